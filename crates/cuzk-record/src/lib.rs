#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ab;
mod ablation;
mod compared;

pub use ab::{AbResult, ArmResult, Comparison, PhaseRow, StoppedBy};
pub use ablation::{Ablation, Effect};
pub use compared::{Compared, Interval, Verdict};
