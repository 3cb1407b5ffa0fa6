//! The trace format of Chrome, which Perfetto reads.

use std::time::Duration;

use cuzk_phase::{MemorySample, Phase, Report, Span};
use serde_json::{Value, json};

/// The process of the host; devices follow.
const HOST: usize = 1;
/// Tracks of a device.
const COPIES: usize = 1;
const WORK: usize = 2;

/// One run as an object of the trace format: the host and each device are processes, threads and
/// a device's copies and work are tracks, and memory is a counter.
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
            let track = track(&mut open, span);
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
fn track(open: &mut Vec<Vec<Duration>>, span: &Span) -> usize {
    let end = span.start.saturating_add(span.host);
    for (track, ends) in open.iter_mut().enumerate() {
        ends.retain(|open_end| *open_end > span.start);
        if ends.last().is_none_or(|holder| end <= *holder) {
            ends.push(end);
            return track;
        }
    }
    open.push(vec![end]);
    open.len() - 1
}

fn devices(report: &Report, events: &mut Vec<Value>) {
    let mut names: Vec<&str> = Vec::new();
    for span in &report.device_spans {
        let name = &*report.clocks[span.clock].name;
        let place = names.iter().position(|known| *known == name);
        let place = place.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let track = match span.phase {
            Phase::Upload => COPIES,
            _ => WORK,
        };
        events.push(event(
            (HOST + 1 + place, track),
            span.phase,
            None,
            (span.start, span.device),
            &json!({ "proof": span.proof }),
        ));
    }
    for (place, name) in names.into_iter().enumerate() {
        let process = HOST + 1 + place;
        events.push(named("process_name", process, 0, name));
        events.push(named("thread_name", process, COPIES, "copies"));
        events.push(named("thread_name", process, WORK, "work"));
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
