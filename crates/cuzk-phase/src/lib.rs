#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod counters;
mod device;
mod error;
mod interval;
mod measure;
mod memory;
mod phase;
mod report;
mod span;
mod table;
mod timeline;
mod watch;

pub use device::{DeviceClock, DeviceLap, DeviceMemoryProbe, DevicePart};
pub use error::ParsePhaseError;
pub use measure::Measure;
pub use memory::peak_rss_bytes;
pub use phase::Phase;
pub use report::{
    ClockReport, DeviceSpan, Finding, MemoryCurve, MemorySample, PartReport, PhaseReport,
    ProofReport, Report, Span,
};
pub use span::SpanGuard;
pub use timeline::Timeline;
