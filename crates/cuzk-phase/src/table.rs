//! The report as an aligned table.

use crate::report::Report;
use std::{fmt, time::Duration};

const HEAD: [&str; 7] = [
    "phase",
    "host ms",
    "%",
    "device ms",
    "bytes",
    "calls",
    "peak rss",
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = rows(self);
        let mut widths = HEAD.map(str::len);
        for (width, column) in widths.iter_mut().zip(0..) {
            *width = rows
                .iter()
                .map(|row| row[column].len())
                .fold(*width, usize::max);
        }
        if !(self.backend.is_empty() && self.device.is_empty()) {
            writeln!(f, "backend {}, device {}", self.backend, self.device)?;
        }
        write_row(f, &widths, HEAD)?;
        rows.iter()
            .try_for_each(|row| write_row(f, &widths, row.each_ref().map(String::as_str)))
    }
}

fn rows(report: &Report) -> Vec<[String; 7]> {
    let empty = String::new;
    let mut rows: Vec<[String; 7]> = report
        .phases
        .iter()
        .map(|row| {
            // Only a phase that ran elsewhere than the run as a whole says where.
            let elsewhere = row.backend != report.backend;
            let place = if elsewhere {
                format!(" ({})", row.backend)
            } else {
                empty()
            };
            [
                format!("{}{place}", row.phase),
                milliseconds(row.host),
                format!("{:.1}", report.percent(row.host)),
                row.device.map_or_else(empty, milliseconds),
                if row.bytes == 0 {
                    empty()
                } else {
                    bytes(row.bytes)
                },
                row.calls.to_string(),
                row.peak_rss_bytes.map_or_else(empty, bytes),
            ]
        })
        .collect();
    let line = |name: &str, time: Duration, percent: f64, peak: String| {
        let percent = format!("{percent:.1}");
        [
            name.to_owned(),
            milliseconds(time),
            percent,
            empty(),
            empty(),
            empty(),
            peak,
        ]
    };
    rows.push(line(
        "unaccounted",
        report.unaccounted,
        report.unaccounted_percent,
        empty(),
    ));
    let peak = report.peak_rss_bytes.map_or_else(empty, bytes);
    rows.push(line(
        "total",
        report.total,
        report.percent(report.total),
        peak,
    ));
    rows
}

/// The name to the left, numbers to the right.
fn write_row(f: &mut fmt::Formatter<'_>, widths: &[usize; 7], cells: [&str; 7]) -> fmt::Result {
    let mut line = format!("{:<width$}", cells[0], width = widths[0]);
    for (cell, width) in cells.iter().zip(widths).skip(1) {
        line.push_str(&format!("  {cell:>width$}"));
    }
    writeln!(f, "{}", line.trim_end())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
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
