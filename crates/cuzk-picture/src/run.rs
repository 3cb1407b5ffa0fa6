//! One run as a part of a page.

use std::{collections::BTreeSet, time::Duration};

use cuzk_phase::{PartReport, Phase, PhaseReport, Report, Span};

use crate::{
    lanes::{Bar, gaps, rows},
    memory::memory,
    page::{figure, page},
    text::{bytes, escaped, line, time},
};

/// Height of a row of bars.
const ROW: usize = 22;

/// Runs one below the other, each with its name.
#[must_use]
pub fn run_page(title: &str, runs: &[(&str, &Report)]) -> String {
    let body: String = runs.iter().map(|(name, run)| section(name, run)).collect();
    page(title, &body)
}

fn section(name: &str, report: &Report) -> String {
    let mut text = String::from("<section>\n");
    line(&mut text, format_args!("<h2>{}</h2>", escaped(name)));
    line(
        &mut text,
        format_args!(
            "<p>{} in all, {} ({:.1} %) in no phase; {} on {}</p>",
            time(report.total),
            time(report.unaccounted),
            report.unaccounted_percent,
            escaped(&report.backend),
            escaped(&report.device)
        ),
    );
    for finding in &report.findings {
        let finding = escaped(&finding.to_string());
        line(&mut text, format_args!("<p class=\"bad\">{finding}</p>"));
    }
    text += &hosts(report);
    text += &devices(report);
    text += &axis(report.total);
    text += &report
        .memory
        .as_ref()
        .map_or_else(String::new, |curve| memory(curve, report.total));
    text += &table(report);
    text + "</section>\n"
}

/// A lane for each thread, and one for the time of no phase.
fn hosts(report: &Report) -> String {
    let bar = |span: &Span| Bar {
        phase: span.phase,
        label: label(span.phase, span.part, span.proof),
        start: span.start,
        length: span.host,
    };
    let mut text = String::new();
    for (thread, name) in report.threads.iter().enumerate() {
        let spans = report.spans.iter().filter(|span| span.thread == thread);
        let caption = format!("host, thread {name}");
        text += &lane(&caption, spans.map(bar).collect(), report.total);
    }
    let all: Vec<Bar> = report.spans.iter().map(bar).collect();
    let holes: String = gaps(&all, report.total)
        .into_iter()
        .map(|(start, end)| {
            let title = format!("no phase: {}", time(end - start));
            rect("gap", start, end - start, 0, report.total, &title)
        })
        .collect();
    text + &figure("host, in no phase", ROW / 2, &holes)
}

/// The lanes of each device: what they do goes on beside each other.
fn devices(report: &Report) -> String {
    let names: BTreeSet<&str> = report.clocks.iter().map(|clock| &*clock.name).collect();
    let mut text = String::new();
    for name in names {
        let spans = report.device_spans.iter();
        let spans = spans.filter(|span| report.clocks[span.clock].name == name);
        let lanes: BTreeSet<&str> = spans.clone().map(|span| &*span.lane).collect();
        for lane_name in lanes {
            let bars = spans.clone().filter(|span| span.lane == lane_name);
            let bars = bars.map(|span| Bar {
                phase: span.phase,
                label: label(span.phase, span.part, Some(span.proof)),
                start: span.start,
                length: span.device,
            });
            text += &lane(
                &format!("{name}: {lane_name}"),
                bars.collect(),
                report.total,
            );
        }
    }
    text
}

fn label(phase: Phase, part: Option<&str>, proof: Option<usize>) -> String {
    let part = part.map_or_else(String::new, |part| format!(", {part}"));
    let proof = proof.map_or_else(String::new, |proof| format!(", proof {proof}"));
    format!("{phase}{part}{proof}")
}

fn lane(caption: &str, bars: Vec<Bar>, total: Duration) -> String {
    let rows = rows(bars);
    let draw = |(row, bars): (usize, &Vec<Bar>)| -> String {
        let draw = |bar: &Bar| {
            let title = format!("{}: {}", bar.label, time(bar.length));
            rect(bar.phase.name(), bar.start, bar.length, row, total, &title)
        };
        bars.iter().map(draw).collect()
    };
    let content: String = rows.iter().enumerate().map(draw).collect();
    figure(caption, ROW * rows.len().max(1), &content)
}

fn rect(
    class: &str,
    start: Duration,
    length: Duration,
    row: usize,
    total: Duration,
    title: &str,
) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{:.3}\" y=\"{}\" width=\"{:.3}\" height=\"{ROW}\">\
         <title>{}</title></rect>",
        1000.0 * part(start, total),
        row * ROW,
        1000.0 * part(length, total),
        escaped(title)
    )
}

/// A part of the whole, at most one.
fn part(time: Duration, total: Duration) -> f64 {
    if total.is_zero() {
        return 0.0;
    }
    (time.as_secs_f64() / total.as_secs_f64()).min(1.0)
}

pub(crate) fn axis(total: Duration) -> String {
    let ticks = (0..=4).map(|quarter| format!("<span>{}</span>", time(total * quarter / 4)));
    format!("<div class=\"axis\">{}</div>\n", ticks.collect::<String>())
}

/// The phases as a table, without the columns that say nothing.
fn table(report: &Report) -> String {
    const HEADS: [&str; 10] = [
        "phase",
        "host",
        "%",
        "cpus",
        "device",
        "bytes",
        "GB/s",
        "faults",
        "peak rss",
        "peak device",
    ];
    let mut rows: Vec<(&str, [String; 10])> = Vec::new();
    for row in &report.phases {
        rows.push(("", cells(report, row)));
        let parts = row.parts.iter();
        rows.extend(parts.map(|part| ("part", part_cells(part, report))));
    }
    let rest = |name: &str, time| ("", short(name.to_owned(), time, report));
    rows.push(rest("in no phase", report.unaccounted));
    let outer = report.outer.map(|outer| outer.saturating_sub(report.total));
    rows.extend(outer.map(|outside| rest("outside of the run", outside)));
    let says = |column: &usize| rows.iter().any(|(_, cells)| !cells[*column].is_empty());
    let columns: Vec<usize> = (0..HEADS.len()).filter(says).collect();
    let heads: String = columns
        .iter()
        .map(|i| format!("<th>{}</th>", HEADS[*i]))
        .collect();
    let mut text = format!("<div class=\"wide\"><table>\n<tr>{heads}</tr>\n");
    for (class, cells) in &rows {
        let cells: String = columns
            .iter()
            .map(|i| format!("<td>{}</td>", cells[*i]))
            .collect();
        line(
            &mut text,
            format_args!("<tr class=\"{class}\">{cells}</tr>"),
        );
    }
    text + "</table></div>\n"
}

/// What is known of a part of a phase, and of a rest: its time.
fn short(name: String, time_spent: Duration, report: &Report) -> [String; 10] {
    let mut cells: [String; 10] = Default::default();
    cells[0] = name;
    cells[1] = time(time_spent);
    cells[2] = format!("{:.1}", percent(time_spent, report.total));
    cells
}

fn part_cells(part: &PartReport, report: &Report) -> [String; 10] {
    let name = match part.beside {
        None => part.name.to_owned(),
        Some(lane) => format!("{} ({lane})", part.name),
    };
    match part.device {
        None => short(escaped(&name), part.host, report),
        Some(device) => {
            let mut cells: [String; 10] = Default::default();
            cells[0] = escaped(&name);
            cells[4] = time(device);
            cells
        }
    }
}

fn cells(report: &Report, row: &PhaseReport) -> [String; 10] {
    let known = |held: Option<u64>| held.map_or_else(String::new, bytes);
    let cpus = row.cpu.filter(|_| !row.host.is_zero());
    [
        format!("<span class=\"dot {0}\"></span>{0}", row.phase),
        time(row.host),
        format!("{:.1}", percent(row.host, report.total)),
        cpus.map_or_else(String::new, |cpu| {
            format!("{:.1}", cpu.as_secs_f64() / row.host.as_secs_f64())
        }),
        row.device.map_or_else(String::new, time),
        known(Some(row.bytes).filter(|moved| *moved > 0)),
        row.gb_per_s
            .map_or_else(String::new, |rate| format!("{rate:.1}")),
        row.minor_faults.map_or_else(String::new, |n| n.to_string()),
        known(row.peak_rss_bytes),
        known(row.peak_device_bytes),
    ]
}

fn percent(time: Duration, total: Duration) -> f64 {
    if total.is_zero() {
        return 0.0;
    }
    100.0 * time.as_secs_f64() / total.as_secs_f64()
}
