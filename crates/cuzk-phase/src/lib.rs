#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod interval;
mod memory;
mod phase;
mod report;
mod table;
mod timeline;

pub use error::ParsePhaseError;
pub use memory::peak_rss_bytes;
pub use phase::Phase;
pub use report::{PhaseReport, Report};
pub use timeline::{SpanGuard, Timeline};
