//! Memory over a run.

use std::time::Duration;

use cuzk_phase::{MemoryCurve, MemorySample};

use crate::{
    page::figure,
    run::axis,
    text::{bytes, time},
};

const HEIGHT: usize = 120;

/// The curves, each with its own scale from zero to its peak.
pub(crate) fn memory(memory: &MemoryCurve, total: Duration) -> String {
    let rss = curve(
        memory,
        total,
        "resident",
        "curve",
        memory.peak_rss,
        |sample| sample.rss_bytes,
    );
    let device = curve(
        memory,
        total,
        "on devices",
        "curve device",
        memory.peak_device,
        |sample| sample.device_bytes,
    );
    let faults = faults(memory, total);
    match [rss, device, faults]
        .into_iter()
        .flatten()
        .collect::<String>()
    {
        drawn if drawn.is_empty() => drawn,
        drawn => drawn + &axis(total),
    }
}

fn curve(
    memory: &MemoryCurve,
    total: Duration,
    what: &str,
    class: &str,
    peak: Option<MemorySample>,
    of: fn(&MemorySample) -> Option<u64>,
) -> Option<String> {
    let peak = peak?;
    let most = of(&peak)?;
    let caption = format!("memory {what}: most {} at {}", bytes(most), time(peak.at));
    let points = memory
        .samples
        .iter()
        .filter_map(|sample| Some((sample.at, of(sample)?)));
    Some(figure(
        &caption,
        HEIGHT,
        &polyline(points, most, total, HEIGHT, class),
    ))
}

/// Pages touched for the first time, from the start of the run.
fn faults(memory: &MemoryCurve, total: Duration) -> Option<String> {
    let last = memory.samples.last()?;
    let all = |sample: &MemorySample| sample.minor_faults + sample.major_faults;
    let caption = format!(
        "page faults: {} minor, {} major",
        last.minor_faults, last.major_faults
    );
    let points = memory.samples.iter().map(|sample| (sample.at, all(sample)));
    Some(figure(
        &caption,
        HEIGHT / 2,
        &polyline(points, all(last), total, HEIGHT / 2, "curve"),
    ))
}

fn polyline(
    points: impl Iterator<Item = (Duration, u64)>,
    most: u64,
    total: Duration,
    height: usize,
    class: &str,
) -> String {
    // The curve keeps off the edges, where half of its line would be cut.
    let points = points.map(|(at, bytes)| {
        let x = 1000.0 * (at.as_secs_f64() / total.as_secs_f64().max(1e-9)).min(1.0);
        let y = height as f64 * (0.97 - 0.94 * bytes as f64 / most.max(1) as f64);
        format!("{x:.2},{y:.2}")
    });
    let points: Vec<String> = points.collect();
    format!(
        "<polyline class=\"{class}\" points=\"{}\" />",
        points.join(" ")
    )
}
