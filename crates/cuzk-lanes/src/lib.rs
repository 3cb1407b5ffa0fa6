#![doc = include_str!("../README.md")]

mod coordinate;
mod field;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod lanes;
mod pairs;
mod point_sums;
mod portable;
mod prefetch;
mod segments;
mod signed_index;

pub use lanes::Lanes;
pub use point_sums::{LaneGroup, PointSums};
pub use signed_index::SignedIndex;
