//! The report as an aligned table.

use crate::report::{PartReport, PhaseReport, Report};
use std::{fmt, time::Duration};

/// A table that is wider leaves out columns, the least telling first.
const WIDTH: usize = 100;

/// A column: its head, and what it says of a phase; empty where there is nothing to say.
struct Column {
    head: &'static str,
    cell: fn(&Report, &PhaseReport) -> String,
}

const fn column(head: &'static str, cell: fn(&Report, &PhaseReport) -> String) -> Column {
    Column { head, cell }
}

const COLUMNS: [Column; 12] = [
    column("phase", name),
    column(HOST, |_, row| milliseconds(row.host)),
    column(PERCENT, |report, row| {
        format!("{:.1}", report.percent(row.host))
    }),
    column(CPUS, |_, row| {
        row.cpu.map_or_else(String::new, |cpu| cpus(cpu, row.host))
    }),
    column(DEVICE, |_, row| {
        row.device.map_or_else(String::new, milliseconds)
    }),
    column("bytes", |_, row| match row.bytes {
        0 => String::new(),
        moved => bytes(moved),
    }),
    column("GB/s", |_, row| {
        row.gb_per_s
            .map_or_else(String::new, |rate| format!("{rate:.1}"))
    }),
    column(CALLS, |_, row| row.calls.to_string()),
    column(FAULTS, |_, row| count(row.minor_faults)),
    column(MAJOR, |_, row| count(row.major_faults)),
    column(RSS, |_, row| {
        row.peak_rss_bytes.map_or_else(String::new, bytes)
    }),
    column(DEVICE_PEAK, |_, row| {
        row.peak_device_bytes.map_or_else(String::new, bytes)
    }),
];
const HOST: &str = "host ms";
const PERCENT: &str = "%";
const DEVICE: &str = "device ms";
const CPUS: &str = "cpus";
const CALLS: &str = "calls";
const FAULTS: &str = "faults";
const MAJOR: &str = "major";
const RSS: &str = "peak rss";
const DEVICE_PEAK: &str = "peak dev";
/// What a table that is too wide leaves out, one after the other.
const LEAST_TELLING: [&str; 5] = [CALLS, "GB/s", RSS, FAULTS, DEVICE_PEAK];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !(self.backend.is_empty() && self.device.is_empty()) {
            writeln!(f, "backend {}, device {}", self.backend, self.device)?;
        }
        table(self)
            .iter()
            .try_for_each(|line| writeln!(f, "{line}"))?;
        for proof in &self.proofs {
            let device = proof.device.map_or_else(String::new, |time| {
                format!(", {} ms on the device", milliseconds(time))
            });
            writeln!(
                f,
                "proof {:<3} from {} ms, took {} ms, {} ms on the host{device}",
                proof.index,
                milliseconds(proof.start),
                milliseconds(proof.elapsed),
                milliseconds(proof.host),
            )?;
        }
        if let Some(memory) = &self.memory {
            let peak = |sample: Option<crate::MemorySample>, of: &str, held: Option<u64>| {
                let at = milliseconds(sample?.at);
                Some(format!(", {of} most at {at} ms: {}", bytes(held?)))
            };
            let rss = memory.peak_rss.and_then(|sample| sample.rss_bytes);
            let device = memory.peak_device.and_then(|sample| sample.device_bytes);
            writeln!(
                f,
                "watched every {} ms{}{}",
                milliseconds(memory.interval),
                peak(memory.peak_rss, "resident", rss).unwrap_or_default(),
                peak(memory.peak_device, "on devices", device).unwrap_or_default(),
            )?;
        }
        let mut findings = self.findings.iter();
        findings.try_for_each(|finding| writeln!(f, "finding: {finding}"))
    }
}

/// The lines of the table.
fn table(report: &Report) -> Vec<String> {
    let mut columns = columns(report);
    let mut dropped = LEAST_TELLING.iter();
    loop {
        let widths: Vec<usize> = columns.iter().map(|c| width(c)).collect();
        let whole = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
        let next = if whole > WIDTH { dropped.next() } else { None };
        match next {
            Some(head) => columns.retain(|column| column[0] != *head),
            None => {
                let rows = columns[0].len();
                return (0..rows).map(|row| line(&columns, &widths, row)).collect();
            }
        }
    }
}

fn width(column: &[String]) -> usize {
    column.iter().map(String::len).max().unwrap_or(0)
}

/// The name to the left, numbers to the right.
fn line(columns: &[Vec<String>], widths: &[usize], row: usize) -> String {
    let mut line = format!("{:<width$}", columns[0][row], width = widths[0]);
    for (column, width) in columns.iter().zip(widths).skip(1) {
        line.push_str(&format!("  {:>width$}", column[row]));
    }
    line.truncate(line.trim_end().len());
    line
}

/// The columns that say something, each with its head, the phases and the sums.
fn columns(report: &Report) -> Vec<Vec<String>> {
    let sums = sums(report);
    let column = |column: &Column| {
        let mut cells = vec![column.head.to_owned()];
        for row in &report.phases {
            cells.push((column.cell)(report, row));
            // A part says how long it took, and nothing else.
            cells.extend(row.parts.iter().map(|part| match column.head {
                "phase" => format!("  {}", part_name(part)),
                HOST if part.device.is_none() => milliseconds(part.host),
                PERCENT if part.device.is_none() => format!("{:.1}", report.percent(part.host)),
                DEVICE => part.device.map_or_else(String::new, milliseconds),
                CALLS => part.calls.to_string(),
                _ => String::new(),
            }));
        }
        let of = |cells: &[(&str, String)]| {
            let found = cells.iter().find(|(head, _)| *head == column.head);
            found.map_or_else(String::new, |(_, cell)| cell.clone())
        };
        cells.extend(sums.iter().map(|sum| of(sum)));
        cells
    };
    let columns = COLUMNS.iter().map(column);
    let says = |cells: &Vec<String>| match cells[0].as_str() {
        // A page that was read from a disk is rare, and a column of zeros tells nothing.
        MAJOR => cells[1..].iter().any(|cell| !matches!(&**cell, "" | "0")),
        _ => cells[1..].iter().any(|cell| !cell.is_empty()),
    };
    columns.filter(says).collect()
}

/// The rows below the phases, as cells of named columns.
fn sums(report: &Report) -> Vec<Vec<(&'static str, String)>> {
    let line = |name: &str, time: Duration| {
        vec![
            ("phase", name.to_owned()),
            (HOST, milliseconds(time)),
            (PERCENT, format!("{:.1}", report.percent(time))),
        ]
    };
    let mut total = line("total", report.total);
    let cpu = report.cpu.map(|cpu| cpus(cpu, report.total));
    total.extend(cpu.map(|cell| (CPUS, cell)));
    total.push((FAULTS, count(report.minor_faults)));
    total.push((MAJOR, count(report.major_faults)));
    total.extend(report.peak_rss_bytes.map(|peak| (RSS, bytes(peak))));
    total.extend(
        report
            .peak_device_bytes
            .map(|peak| (DEVICE_PEAK, bytes(peak))),
    );
    let mut rest = line("unaccounted", report.unaccounted);
    let cpu = report
        .unaccounted_cpu
        .map(|cpu| cpus(cpu, report.unaccounted));
    rest.extend(cpu.map(|cell| (CPUS, cell)));
    let mut sums = vec![rest, total];
    if let Some(outer) = report.outer {
        sums.push(line("outside", outer.saturating_sub(report.total)));
    }
    sums
}

/// Only a phase that ran elsewhere than the run as a whole says where.
fn name(report: &Report, row: &PhaseReport) -> String {
    if row.backend == report.backend {
        row.phase.to_string()
    } else {
        format!("{} ({})", row.phase, row.backend)
    }
}

/// A part on another lane of the device says on which.
fn part_name(part: &PartReport) -> String {
    match part.beside {
        None => part.name.to_owned(),
        Some(lane) => format!("{} ({lane})", part.name),
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// Processors that were busy on average; nothing where the time is too short to tell.
fn cpus(cpu: Duration, wall: Duration) -> String {
    const SHORTEST: Duration = Duration::from_micros(100);
    if wall < SHORTEST {
        return String::new();
    }
    format!("{:.1}", cpu.as_secs_f64() / wall.as_secs_f64())
}

fn count(number: Option<u64>) -> String {
    match number {
        None => String::new(),
        Some(number @ ..10_000) => number.to_string(),
        Some(number) => format!("{:.0}k", number as f64 / 1e3),
    }
}

/// Bytes with a binary unit, so that a row stays short for 100 GiB as well.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_carry_a_unit() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1.0 KiB");
        assert_eq!(bytes(47_958_396), "45.7 MiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }
}
