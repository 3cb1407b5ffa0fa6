//! What a run did, phase by phase.

use crate::phase::Phase;
use serde::Serialize;
use std::time::Duration;

mod build;
mod findings;
mod json;
mod whole;

pub(crate) use build::build;
pub use findings::Finding;
use json::{milliseconds, optional_milliseconds};
pub use whole::Report;
pub(crate) use whole::percent;

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
    /// Processor time of the whole process in that wall time, if the system tells. Well below it
    /// times the threads, the phase waits.
    #[serde(rename = "cpu_ms", serialize_with = "optional_milliseconds")]
    pub cpu: Option<Duration>,
    /// Time by the device's own clock, summed over its laps; `None` if no device took part.
    #[serde(rename = "device_ms", serialize_with = "optional_milliseconds")]
    pub device: Option<Duration>,
    /// Bytes moved.
    pub bytes: u64,
    /// Bytes moved, in 10^9 in a second of the device's time, or of the host's where no device
    /// took part.
    pub gb_per_s: Option<f64>,
    /// How many spans the phase had.
    pub calls: u64,
    /// Pages of the process that were made resident without reading them from a disk.
    pub minor_faults: Option<u64>,
    /// Pages of the process that were read from a disk.
    pub major_faults: Option<u64>,
    /// The process's peak resident bytes as seen at the end of the phase, if it was read.
    pub peak_rss_bytes: Option<u64>,
    /// The most bytes of devices that were held during the phase.
    pub peak_device_bytes: Option<u64>,
    /// Where the phase ran; several places are joined by `+`.
    pub backend: String,
    /// Named parts of the phase, in the order of their first appearance.
    pub parts: Vec<PartReport>,
}

/// A named part of a phase: a detail, whose time is that of the phase too.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartReport {
    /// The name.
    pub name: &'static str,
    /// The lane of the device that did it beside the phase's own; nothing for that one, and on the
    /// host.
    pub beside: Option<&'static str>,
    /// Wall time in which at least one span of the part was open.
    #[serde(rename = "host_ms", serialize_with = "milliseconds")]
    pub host: Duration,
    /// Time by the device's own clock; `None` for a part on the host.
    #[serde(rename = "device_ms", serialize_with = "optional_milliseconds")]
    pub device: Option<Duration>,
    /// How many spans it had.
    pub calls: u64,
}

/// One proof of a batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProofReport {
    /// Its place in the batch, counted from 0.
    pub index: usize,
    /// From the start of the run to the proof's first span.
    #[serde(rename = "start_ms", serialize_with = "milliseconds")]
    pub start: Duration,
    /// From its first span to the end of its last: proofs overlap.
    #[serde(rename = "elapsed_ms", serialize_with = "milliseconds")]
    pub elapsed: Duration,
    /// Wall time in which at least one of its spans was open.
    #[serde(rename = "host_ms", serialize_with = "milliseconds")]
    pub host: Duration,
    /// Time by the device's own clock, summed over its laps; `None` if no device took part.
    #[serde(rename = "device_ms", serialize_with = "optional_milliseconds")]
    pub device: Option<Duration>,
}

/// One span of a phase on the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Span {
    /// The phase.
    pub phase: Phase,
    /// The part of the phase, where it is one.
    pub part: Option<&'static str>,
    /// The proof of a batch, counted from 0.
    pub proof: Option<usize>,
    /// An index of [`Report::threads`].
    pub thread: usize,
    /// From the start of the run.
    #[serde(rename = "start_ms", serialize_with = "milliseconds")]
    pub start: Duration,
    /// How long it was open.
    #[serde(rename = "host_ms", serialize_with = "milliseconds")]
    pub host: Duration,
    /// Bytes moved.
    pub bytes: u64,
}

/// One stretch of a device's work.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceSpan {
    /// An index of [`Report::clocks`].
    pub clock: usize,
    /// Which of the device's work it is a part of: lanes go on beside each other. What was done
    /// beside a lane has one of its own, `LANE, BESIDE`.
    pub lane: String,
    /// The phase.
    pub phase: Phase,
    /// The part of the phase, where it is one: a detail of a stretch without a part.
    pub part: Option<&'static str>,
    /// The proof of a batch, counted from 0.
    pub proof: usize,
    /// From the start of the run, by the host's clock, to which the device's was set.
    #[serde(rename = "start_ms", serialize_with = "milliseconds")]
    pub start: Duration,
    /// How long it took, by the device's clock.
    #[serde(rename = "device_ms", serialize_with = "milliseconds")]
    pub device: Duration,
}

/// A device's clock beside the host's, over the stretch that both have seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClockReport {
    /// The device.
    pub name: String,
    /// On the host: from asking for the first work until the last was known to have ended.
    #[serde(rename = "host_ms", serialize_with = "milliseconds")]
    pub host: Duration,
    /// On the device: from the start of the first work to the end of the last.
    #[serde(rename = "device_ms", serialize_with = "milliseconds")]
    pub device: Duration,
    /// The part of that in which the device worked.
    #[serde(rename = "busy_ms", serialize_with = "milliseconds")]
    pub busy: Duration,
    /// How exactly the device's clock could be set to the host's.
    #[serde(rename = "uncertainty_ms", serialize_with = "milliseconds")]
    pub uncertainty: Duration,
}

/// Memory and page faults over a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryCurve {
    /// Between samples, at the end of the run.
    #[serde(rename = "interval_ms", serialize_with = "milliseconds")]
    pub interval: Duration,
    /// The samples, in the order of time.
    pub samples: Vec<MemorySample>,
    /// The sample with the most resident bytes.
    pub peak_rss: Option<MemorySample>,
    /// The sample with the most bytes of devices.
    pub peak_device: Option<MemorySample>,
}

/// One sample of a [`MemoryCurve`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemorySample {
    /// From the start of the run.
    #[serde(rename = "at_ms", serialize_with = "milliseconds")]
    pub at: Duration,
    /// Resident bytes of the process.
    pub rss_bytes: Option<u64>,
    /// The most bytes of devices that were held since the time before.
    pub device_bytes: Option<u64>,
    /// Minor faults since the sampling began.
    pub minor_faults: u64,
    /// Major faults since the sampling began.
    pub major_faults: u64,
}
