#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ab;
mod ablation;
mod bench;
mod compared;
mod here;
mod record;

pub use ab::{AbResult, ArmResult, Clock, Comparison, PhaseRow, StoppedBy};
pub use ablation::{Ablation, Effect};
pub use bench::{BenchResult, BenchRow, PhaseTimes, Way, median};
pub use compared::{Compared, Interval, Verdict};
pub use here::{load, today};
pub use record::{Machine, Record};
