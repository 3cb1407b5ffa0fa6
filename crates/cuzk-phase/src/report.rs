//! What a run did, phase by phase.

use crate::{
    interval::{Interval, union_ns},
    phase::Phase,
    timeline::{Log, Record},
};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// The times, bytes and memory of one run.
///
/// `Display` prints a table. `serde` gives an object of `phases` (an array of `name`,
/// `host_ms`, `device_ms`, `bytes`, `calls`, `peak_rss_bytes`, `backend`), `total_ms`,
/// `unaccounted_ms`, `unaccounted_percent`, `peak_rss_bytes`, `backend`, `device`;
/// what is not known is `null`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The phases that occurred, in the order of [`Phase::ALL`].
    pub phases: Vec<PhaseReport>,
    /// Wall time from the start of the timeline to its end.
    #[serde(rename = "total_ms", serialize_with = "milliseconds")]
    pub total: Duration,
    /// The part of `total` in which no phase was open.
    #[serde(rename = "unaccounted_ms", serialize_with = "milliseconds")]
    pub unaccounted: Duration,
    /// `unaccounted` in percent of `total`.
    pub unaccounted_percent: f64,
    /// The most bytes the process ever had resident, if the system tells.
    pub peak_rss_bytes: Option<u64>,
    /// The backend that did the work, as it names itself; empty if nobody said.
    pub backend: String,
    /// The device that did the work; empty if nobody said.
    pub device: String,
}

/// One row of a [`Report`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PhaseReport {
    /// The phase.
    #[serde(rename = "name")]
    pub phase: Phase,
    /// Wall time in which at least one span of the phase was open.
    #[serde(rename = "host_ms", serialize_with = "milliseconds")]
    pub host: Duration,
    /// Time by the device's own clock, summed over the spans; `None` if no device took part.
    #[serde(rename = "device_ms", serialize_with = "optional_milliseconds")]
    pub device: Option<Duration>,
    /// Bytes moved.
    pub bytes: u64,
    /// How many spans the phase had.
    pub calls: u64,
    /// The process's peak resident bytes as seen at the end of the phase, if it was read.
    pub peak_rss_bytes: Option<u64>,
    /// Where the phase ran; several places are joined by `+`.
    pub backend: String,
}

impl Report {
    /// The row of one phase, if it occurred.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> Option<&PhaseReport> {
        self.phases.iter().find(|row| row.phase == phase)
    }

    /// A time in percent of the total.
    pub(crate) fn percent(&self, part: Duration) -> f64 {
        percent(part, self.total)
    }
}

/// Makes the report of a run that lasted `total_ns`.
pub(crate) fn build(log: &Log, total_ns: u64, peak_rss_bytes: Option<u64>) -> Report {
    let phases = Phase::ALL
        .iter()
        .filter_map(|&phase| phase_report(phase, log))
        .collect();
    let covered_ns = union_ns(
        log.records
            .iter()
            .filter_map(|record| record.interval)
            .collect(),
    );
    let total = Duration::from_nanos(total_ns);
    let unaccounted = Duration::from_nanos(total_ns.saturating_sub(covered_ns));
    Report {
        phases,
        total,
        unaccounted,
        unaccounted_percent: percent(unaccounted, total),
        peak_rss_bytes,
        backend: log.backend.clone(),
        device: log.device.clone(),
    }
}

fn phase_report(phase: Phase, log: &Log) -> Option<PhaseReport> {
    let records: Vec<&Record> = log.records.iter().filter(|r| r.phase == phase).collect();
    if records.is_empty() {
        return None;
    }
    let intervals: Vec<Interval> = records
        .iter()
        .filter_map(|record| record.interval)
        .collect();
    Some(PhaseReport {
        phase,
        calls: intervals.len() as u64,
        host: Duration::from_nanos(union_ns(intervals)),
        device: records
            .iter()
            .filter_map(|r| r.device)
            .reduce(Duration::saturating_add),
        bytes: records.iter().fold(0, |sum, r| r.bytes.saturating_add(sum)),
        peak_rss_bytes: records.iter().filter_map(|r| r.peak_rss_bytes).max(),
        backend: places(&records, &log.backend),
    })
}

/// The distinct places of a phase's spans, in order of appearance.
fn places(records: &[&Record], default: &str) -> String {
    let mut places: Vec<&str> = Vec::new();
    for record in records.iter().filter(|record| record.interval.is_some()) {
        let place = record.place.as_deref().unwrap_or(default);
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

fn percent(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() {
        0.0
    } else {
        100.0 * part.as_secs_f64() / whole.as_secs_f64()
    }
}

fn milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64() * 1e3)
}

fn optional_milliseconds<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match duration {
        Some(duration) => milliseconds(duration, serializer),
        None => serializer.serialize_none(),
    }
}
