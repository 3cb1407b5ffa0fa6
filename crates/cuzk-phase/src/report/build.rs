//! From what was recorded to the report.

use super::{
    ClockReport, DeviceSpan, MemoryCurve, MemorySample, PartReport, PhaseReport, ProofReport,
    Report, Span,
    findings::{Waited, findings},
    percent,
};
use crate::{
    counters::Counters,
    device::{DevicePart, LapRecord, Offset},
    interval::{Interval, union_ns, united},
    phase::Phase,
    timeline::{Clock, Log, Run, SpanRecord, nanoseconds},
    watch::Samples,
};
use std::{collections::BTreeSet, time::Duration};

/// Makes the report of a run.
pub(crate) fn build(log: &Log, run: Run, samples: Option<&Samples>) -> Report {
    let memory = DeviceMemory::of(log, samples);
    let phases: Vec<PhaseReport> = Phase::ALL
        .iter()
        .filter_map(|&phase| phase_report(phase, log, &memory))
        .collect();
    let total = Duration::from_nanos(run.total_ns);
    let covered = Duration::from_nanos(union_ns(intervals(log.spans.iter())));
    let unaccounted = total.saturating_sub(covered);
    let offsets: Vec<Option<Offset>> = (0..log.clocks.len())
        .map(|clock| Offset::of(laps_of(log, clock)))
        .collect();
    let clocks = clocks(log, &offsets);
    let findings = findings(total, covered, &phases, &clocks, &waited(log, &offsets));
    Report {
        phases,
        total,
        unaccounted,
        unaccounted_percent: percent(unaccounted, total),
        outer: None,
        unaccounted_cpu: unaccounted_cpu(log, run.counters),
        cpu: run.counters.map(|c| Duration::from_nanos(c.cpu_ns)),
        minor_faults: run.counters.map(|c| c.minor_faults),
        major_faults: run.counters.map(|c| c.major_faults),
        peak_rss_bytes: run.peak_rss_bytes,
        peak_device_bytes: memory.most(0, u64::MAX),
        backend: log.backend.clone(),
        device: log.device.clone(),
        findings,
        proofs: proofs(log),
        threads: log.threads.iter().map(|t| t.name.clone()).collect(),
        spans: spans(log),
        clocks,
        device_spans: device_spans(log, &offsets),
        memory: samples.map(memory_curve),
    }
}

/// When devices were asked, and the most bytes that they had held since the time before.
struct DeviceMemory(Vec<(u64, u64)>);

impl DeviceMemory {
    fn of(log: &Log, samples: Option<&Samples>) -> Self {
        let sampled = samples.into_iter().flat_map(|samples| &samples.list);
        let sampled = sampled.filter_map(|sample| Some((sample.at_ns, sample.device_bytes?)));
        Self(log.device_memory.iter().copied().chain(sampled).collect())
    }

    /// The most in an interval without its start, which tells of the time before.
    fn most(&self, start_ns: u64, end_ns: u64) -> Option<u64> {
        let within = |at_ns: u64| start_ns < at_ns && at_ns <= end_ns;
        let readings = self.0.iter().filter(|(at_ns, _)| within(*at_ns));
        readings.map(|&(_, bytes)| bytes).max()
    }
}

fn intervals<'a>(spans: impl Iterator<Item = &'a SpanRecord>) -> Vec<Interval> {
    spans.map(|span| span.interval).collect()
}

fn phase_report(phase: Phase, log: &Log, memory: &DeviceMemory) -> Option<PhaseReport> {
    let spans: Vec<&SpanRecord> = log.spans.iter().filter(|s| s.phase == phase).collect();
    let whole: Vec<&SpanRecord> = spans.iter().copied().filter(|s| s.part.is_none()).collect();
    let laps = log.laps.iter().filter(|lap| lap.phase == phase);
    let device = laps.map(|lap| lap.elapsed_ns).reduce(u64::saturating_add);
    let device = device.map(Duration::from_nanos);
    let moved = log.bytes.iter().filter(|(of, _)| *of == phase);
    let moved: Vec<u64> = moved.map(|&(_, bytes)| bytes).collect();
    if spans.is_empty() && moved.is_empty() && device.is_none() {
        return None;
    }
    let moved = moved.into_iter().chain(spans.iter().map(|span| span.bytes));
    let bytes = moved.fold(0, u64::saturating_add);
    let host = Duration::from_nanos(union_ns(intervals(spans.iter().copied())));
    let counters = counters(&whole);
    Some(PhaseReport {
        phase,
        host,
        cpu: counters.map(|c| Duration::from_nanos(c.cpu_ns)),
        device,
        bytes,
        gb_per_s: rate(bytes, device.unwrap_or(host)),
        calls: whole.len() as u64,
        minor_faults: counters.map(|c| c.minor_faults),
        major_faults: counters.map(|c| c.major_faults),
        peak_rss_bytes: spans.iter().filter_map(|s| s.peak_rss_bytes).max(),
        peak_device_bytes: whole
            .iter()
            // The reading at an end is taken after it.
            .filter_map(|s| memory.most(s.interval.start_ns, s.memory_read_ns?))
            .max(),
        backend: places(&whole, &log.backend),
        parts: parts(&spans, log.laps.iter().filter(|lap| lap.phase == phase)),
    })
}

/// Counted over the union of the spans, so that spans side by side count once.
fn counters(spans: &[&SpanRecord]) -> Option<Counters> {
    let keyed = spans.iter().filter_map(|span| {
        let (start, end) = span.counters?;
        Some((span.interval, start, end))
    });
    let united = united(keyed.collect()).into_iter();
    let spent = united.map(|(_, start, end)| end.since(start));
    spent.reduce(Counters::plus)
}

/// What the run counted less what its spans did, also where they were side by side.
fn unaccounted_cpu(log: &Log, all: Option<Counters>) -> Option<Duration> {
    let spans: Vec<&SpanRecord> = log.spans.iter().collect();
    let in_spans = counters(&spans).unwrap_or_default();
    let rest = all?.since(in_spans);
    Some(Duration::from_nanos(rest.cpu_ns))
}

fn rate(bytes: u64, time: Duration) -> Option<f64> {
    (bytes > 0 && !time.is_zero()).then(|| bytes as f64 / 1e9 / time.as_secs_f64())
}

/// Those on the host, then those on devices.
fn parts<'a>(spans: &[&SpanRecord], laps: impl Iterator<Item = &'a LapRecord>) -> Vec<PartReport> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in spans.iter().filter_map(|span| span.part) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let part = |name| {
        let spans = spans.iter().copied().filter(|s| s.part == Some(name));
        let intervals = intervals(spans);
        PartReport {
            name,
            beside: None,
            calls: intervals.len() as u64,
            host: Duration::from_nanos(union_ns(intervals)),
            device: None,
        }
    };
    let mut parts: Vec<PartReport> = names.into_iter().map(part).collect();
    for DevicePart {
        name,
        beside,
        elapsed,
        ..
    } in laps.flat_map(|lap| lap.parts.iter().copied())
    {
        let is_it =
            |part: &PartReport| part.device.is_some() && (part.name, part.beside) == (name, beside);
        match parts.iter_mut().find(|part| is_it(part)) {
            Some(part) => {
                part.device = part.device.map(|sum| sum.saturating_add(elapsed));
                part.calls += 1;
            }
            None => parts.push(PartReport {
                name,
                beside,
                calls: 1,
                host: Duration::ZERO,
                device: Some(elapsed),
            }),
        }
    }
    parts
}

/// The distinct places of a phase's spans, in order of appearance.
fn places(spans: &[&SpanRecord], default: &str) -> String {
    let mut places: Vec<&str> = Vec::new();
    for span in spans {
        let place = span.place.as_deref().unwrap_or(default);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    if places.is_empty() {
        default.to_owned()
    } else {
        places.join("+")
    }
}

/// The proofs, where there are several.
fn proofs(log: &Log) -> Vec<ProofReport> {
    let of_laps = log.laps.iter().map(|lap| lap.proof);
    let of_spans = log.spans.iter().filter_map(|span| span.proof);
    let indices: BTreeSet<usize> = of_spans.chain(of_laps).collect();
    if indices.len() < 2 {
        return Vec::new();
    }
    let proof = |index| {
        let spans = intervals(log.spans.iter().filter(|s| s.proof == Some(index)));
        let start_ns = spans.iter().map(|i| i.start_ns).min()?;
        let end_ns = spans.iter().map(|i| i.end_ns).max()?;
        let laps = log.laps.iter().filter(|lap| lap.proof == index);
        let device = laps.map(|lap| lap.elapsed_ns).reduce(u64::saturating_add);
        Some(ProofReport {
            index,
            start: Duration::from_nanos(start_ns),
            elapsed: Duration::from_nanos(end_ns - start_ns),
            host: Duration::from_nanos(union_ns(spans)),
            device: device.map(Duration::from_nanos),
        })
    };
    indices.into_iter().filter_map(proof).collect()
}

fn spans(log: &Log) -> Vec<Span> {
    let span = |span: &SpanRecord| Span {
        phase: span.phase,
        part: span.part,
        proof: span.proof,
        thread: span.thread,
        start: Duration::from_nanos(span.interval.start_ns),
        host: Duration::from_nanos(span.interval.end_ns - span.interval.start_ns),
        bytes: span.bytes,
    };
    let mut spans: Vec<Span> = log.spans.iter().map(span).collect();
    // An outer span before those that it encloses.
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.host)));
    spans
}

/// The stretches of a lap by its device's clock: the whole of it, and the parts on other lanes,
/// which may begin before it.
fn stretches(lap: &LapRecord) -> impl Iterator<Item = Interval> {
    let beside = lap.parts.iter().filter(|part| part.beside.is_some());
    let beside = beside.map(|part| Interval {
        start_ns: nanoseconds(part.start),
        end_ns: nanoseconds(part.start.saturating_add(part.elapsed)),
    });
    let whole = Interval {
        start_ns: lap.start_ns,
        end_ns: lap.end_ns(),
    };
    std::iter::once(whole).chain(beside)
}

fn laps_of(log: &Log, clock: usize) -> impl Iterator<Item = &LapRecord> + Clone {
    log.laps.iter().filter(move |lap| lap.clock == clock)
}

fn offset_of(offsets: &[Option<Offset>], lap: &LapRecord) -> Option<Offset> {
    offsets.get(lap.clock).copied().flatten()
}

fn clocks(log: &Log, offsets: &[Option<Offset>]) -> Vec<ClockReport> {
    let clock = |(index, clock): (usize, &Clock)| {
        let laps = laps_of(log, index);
        let busy: Vec<Interval> = laps.clone().flat_map(stretches).collect();
        let from_to = |starts: Option<u64>, ends: Option<u64>| {
            let (first, last) = (starts.unwrap_or(0), ends.unwrap_or(0));
            Duration::from_nanos(last.saturating_sub(first))
        };
        let slack = offsets[index].map_or(0, Offset::slack_ns);
        ClockReport {
            name: clock.device.clone(),
            host: from_to(
                laps.clone().map(|lap| lap.asked_ns).min(),
                laps.map(|lap| lap.known_ns).max(),
            ),
            device: from_to(
                busy.iter().map(|stretch| stretch.start_ns).min(),
                busy.iter().map(|stretch| stretch.end_ns).max(),
            ),
            // Lanes go on beside each other.
            busy: Duration::from_nanos(union_ns(busy)),
            uncertainty: Duration::from_nanos(slack.unsigned_abs()),
        }
    };
    log.clocks.iter().enumerate().map(clock).collect()
}

fn device_spans(log: &Log, offsets: &[Option<Offset>]) -> Vec<DeviceSpan> {
    let mut spans = Vec::new();
    for lap in &log.laps {
        // A lap of a clock that another timeline gave out has no place here.
        let Some(offset) = offset_of(offsets, lap) else {
            continue;
        };
        let whole = DeviceSpan {
            clock: lap.clock,
            lane: lap.lane.to_owned(),
            phase: lap.phase,
            part: None,
            proof: lap.proof,
            start: Duration::from_nanos(offset.host_ns(lap.start_ns)),
            device: Duration::from_nanos(lap.elapsed_ns),
        };
        let part = |part: &DevicePart| DeviceSpan {
            lane: part.beside.map_or_else(
                || lap.lane.to_owned(),
                |beside| format!("{}, {beside}", lap.lane),
            ),
            part: Some(part.name),
            start: Duration::from_nanos(offset.host_ns(nanoseconds(part.start))),
            device: part.elapsed,
            ..whole.clone()
        };
        spans.extend(lap.parts.iter().map(part));
        spans.push(whole);
    }
    // A stretch before the parts that it is made of.
    spans.sort_by_key(|span| (span.start, span.part.is_some()));
    spans
}

/// Per phase the stretches whose work ended as the last of it was asked for: the host waited for
/// it meanwhile, so that both clocks have seen the same.
fn waited(log: &Log, offsets: &[Option<Offset>]) -> Vec<Waited> {
    /// To record an event and to reach it.
    const LATENCY_NS: u64 = 50_000;
    let ended_by = |lap: &&LapRecord| {
        let known = lap.all_asked_ns.saturating_add(LATENCY_NS);
        offset_of(offsets, lap).is_some_and(|offset| offset.host_ns(lap.end_ns()) <= known)
    };
    let of = |phase: &Phase| {
        let laps = log.laps.iter().filter(|lap| lap.phase == *phase);
        let laps: Vec<&LapRecord> = laps.filter(ended_by).collect();
        let sum = |time: fn(&LapRecord) -> u64| {
            let times = laps.iter().map(|lap| time(lap));
            Duration::from_nanos(times.fold(0, u64::saturating_add))
        };
        (!laps.is_empty()).then(|| Waited {
            phase: phase.name(),
            host: sum(|lap| lap.all_asked_ns - lap.asked_ns),
            device: sum(|lap| lap.elapsed_ns),
        })
    };
    Phase::ALL.iter().filter_map(of).collect()
}

fn memory_curve(samples: &Samples) -> MemoryCurve {
    let list: Vec<MemorySample> = samples
        .list
        .iter()
        .map(|sample| MemorySample {
            at: Duration::from_nanos(sample.at_ns),
            rss_bytes: sample.rss_bytes,
            device_bytes: sample.device_bytes,
            minor_faults: sample.minor_faults,
            major_faults: sample.major_faults,
        })
        .collect();
    let peak = |bytes: fn(&MemorySample) -> Option<u64>| {
        let known = list.iter().filter(|sample| bytes(sample).is_some());
        known.copied().max_by_key(bytes)
    };
    MemoryCurve {
        interval: samples.interval,
        peak_rss: peak(|sample| sample.rss_bytes),
        peak_device: peak(|sample| sample.device_bytes),
        samples: list,
    }
}
