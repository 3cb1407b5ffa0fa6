//! The report of a whole run.

use super::{
    ClockReport, DeviceSpan, Finding, MemoryCurve, PhaseReport, ProofReport, Span,
    findings::outside,
    json::{milliseconds, optional_milliseconds},
};
use crate::phase::Phase;
use serde::Serialize;
use std::time::Duration;

/// The times, bytes and memory of one run.
///
/// `Display` prints a table that leaves out empty columns. `serde` gives an object with every
/// field; times are in milliseconds and their names end in `_ms`; what is not known is `null`.
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
    /// Processor time of the process in `unaccounted`, if the system tells: where there is none,
    /// other programs held the processors.
    #[serde(
        rename = "unaccounted_cpu_ms",
        serialize_with = "optional_milliseconds"
    )]
    pub unaccounted_cpu: Option<Duration>,
    /// The same work by a timer of the caller's, if it was given: see [`Report::timed_outside`].
    #[serde(rename = "outer_ms", serialize_with = "optional_milliseconds")]
    pub outer: Option<Duration>,
    /// Processor time of the process during the run, if the system tells.
    #[serde(rename = "cpu_ms", serialize_with = "optional_milliseconds")]
    pub cpu: Option<Duration>,
    /// Minor faults of the process during the run, if the system tells.
    pub minor_faults: Option<u64>,
    /// Major faults of the process during the run, if the system tells.
    pub major_faults: Option<u64>,
    /// The most bytes the process ever had resident, if the system tells.
    pub peak_rss_bytes: Option<u64>,
    /// The most bytes of devices that were held, if a device was asked.
    pub peak_device_bytes: Option<u64>,
    /// The backend that did the work, as it names itself; empty if nobody said.
    pub backend: String,
    /// The device that did the work; empty if nobody said.
    pub device: String,
    /// Two clocks that should agree and do not.
    pub findings: Vec<Finding>,
    /// The proofs of a batch; empty where there was one.
    pub proofs: Vec<ProofReport>,
    /// The names of the threads that had spans.
    pub threads: Vec<String>,
    /// Every span, in the order of their starts.
    pub spans: Vec<Span>,
    /// The clocks of devices.
    pub clocks: Vec<ClockReport>,
    /// Every stretch of devices' work, in the order of their starts.
    pub device_spans: Vec<DeviceSpan>,
    /// Memory over time, if it was watched.
    pub memory: Option<MemoryCurve>,
}

impl Report {
    /// The row of one phase, if it occurred.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> Option<&PhaseReport> {
        self.phases.iter().find(|row| row.phase == phase)
    }

    /// Compares the total with a timer of the caller's that was started before the timeline and
    /// stopped after it ended; what lies between them becomes a row, and a finding if it is large.
    #[must_use]
    pub fn timed_outside(mut self, outer: Duration) -> Self {
        self.outer = Some(outer);
        self.findings.extend(outside(outer, self.total));
        self
    }

    /// A time in percent of the total.
    pub(crate) fn percent(&self, part: Duration) -> f64 {
        percent(part, self.total)
    }
}

pub(crate) fn percent(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() {
        0.0
    } else {
        100.0 * part.as_secs_f64() / whole.as_secs_f64()
    }
}
