//! The trace format of Chrome, which Perfetto reads.

use std::time::Duration;

use cuzk_phase::{MemorySample, Phase, Report};
use serde_json::{Value, json};

/// The process of the host; devices follow.
const HOST: usize = 1;

/// One run as an object of the trace format: the host and each device are processes, threads and
/// the lanes of a device are tracks, and memory is a counter.
///
/// # Units
/// Microseconds, as the format has them.
#[must_use]
pub fn trace(report: &Report) -> String {
    let mut events = vec![named("process_name", HOST, 0, "host")];
    host(report, &mut events);
    devices(report, &mut events);
    let samples = report.memory.iter().flat_map(|curve| &curve.samples);
    events.extend(samples.flat_map(counters));
    let trace = json!({
        "displayTimeUnit": "ms",
        "otherData": {
            "backend": report.backend,
            "device": report.device,
            "total_us": microseconds(report.total),
        },
        "traceEvents": events,
    });
    trace.to_string()
}

/// Each thread has a track, and more where spans overlap without one holding the other.
fn host(report: &Report, events: &mut Vec<Value>) {
    let mut next_track = 1;
    for (thread, name) in report.threads.iter().enumerate() {
        let spans = report.spans.iter().filter(|span| span.thread == thread);
        let mut open: Vec<Vec<Duration>> = Vec::new();
        for span in spans {
            let track = track(&mut open, span.start, span.host);
            events.push(event(
                (HOST, next_track + track),
                span.phase,
                span.part,
                (span.start, span.host),
                &json!({ "proof": span.proof, "bytes": span.bytes }),
            ));
        }
        for track in 0..open.len() {
            events.push(named("thread_name", HOST, next_track + track, name));
        }
        next_track += open.len();
    }
}

/// The first track on which the span lies beside or inside of every other; `open` has the ends
/// of those that are open on each.
fn track(open: &mut Vec<Vec<Duration>>, start: Duration, length: Duration) -> usize {
    let end = start.saturating_add(length);
    for (track, ends) in open.iter_mut().enumerate() {
        ends.retain(|open_end| *open_end > start);
        if ends.last().is_none_or(|holder| end <= *holder) {
            ends.push(end);
            return track;
        }
    }
    open.push(vec![end]);
    open.len() - 1
}

/// Each lane of a device has a track, and more where its stretches overlap.
fn devices(report: &Report, events: &mut Vec<Value>) {
    let mut names: Vec<&str> = Vec::new();
    for clock in &report.clocks {
        if !names.contains(&&*clock.name) {
            names.push(&clock.name);
        }
    }
    for (device, name) in names.into_iter().enumerate() {
        let process = HOST + 1 + device;
        let spans = report.device_spans.iter();
        let spans = spans.filter(|span| report.clocks[span.clock].name == name);
        let mut lanes: Vec<(&str, Vec<Vec<Duration>>)> = Vec::new();
        for span in spans.clone() {
            if !lanes.iter().any(|(lane, _)| *lane == span.lane) {
                lanes.push((&span.lane, Vec::new()));
            }
        }
        let mut next_track = 1;
        for (lane, open) in &mut lanes {
            for span in spans.clone().filter(|span| span.lane == *lane) {
                let track = track(open, span.start, span.device);
                events.push(event(
                    (process, next_track + track),
                    span.phase,
                    span.part,
                    (span.start, span.device),
                    &json!({ "proof": span.proof }),
                ));
            }
            for track in 0..open.len() {
                events.push(named("thread_name", process, next_track + track, lane));
            }
            next_track += open.len();
        }
        events.push(named("process_name", process, 0, name));
    }
}

fn event(
    (process, track): (usize, usize),
    phase: Phase,
    part: Option<&str>,
    (start, length): (Duration, Duration),
    args: &Value,
) -> Value {
    json!({
        "ph": "X",
        "name": part.unwrap_or(phase.name()),
        "cat": phase.name(),
        "pid": process,
        "tid": track,
        "ts": microseconds(start),
        "dur": microseconds(length),
        "args": args,
    })
}

fn named(what: &str, process: usize, track: usize, name: &str) -> Value {
    json!({ "ph": "M", "name": what, "pid": process, "tid": track, "args": { "name": name } })
}

fn counters(sample: &MemorySample) -> Vec<Value> {
    let counter = |name: &str, args: Value| {
        json!({
            "ph": "C",
            "name": name,
            "pid": HOST,
            "ts": microseconds(sample.at),
            "args": args,
        })
    };
    let held = |name: &str, bytes: Option<u64>| bytes.map(|n| counter(name, json!({ "bytes": n })));
    let faults = json!({ "minor": sample.minor_faults, "major": sample.major_faults });
    [
        held("resident memory", sample.rss_bytes),
        held("device memory", sample.device_bytes),
        Some(counter("page faults", faults)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}
