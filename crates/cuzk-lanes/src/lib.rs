#![doc = include_str!("../README.md")]

mod columns;
mod coordinate;
mod detect;
mod field;
mod fr;
mod fr_factors;
#[cfg(target_arch = "x86_64")]
mod fr_ifma;
#[cfg(target_arch = "x86_64")]
mod fr_ifma_memory;
#[cfg(target_arch = "x86_64")]
mod fr_ifma_tile;
mod fr_portable;
#[cfg(target_arch = "x86_64")]
mod fr_shoup;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod lane_points;
mod pairs;
mod point_sums;
mod portable;
mod prefetch;
mod segments;
mod signed_index;
mod sources;
mod wipe;
mod zeroed;

pub use columns::{ColumnTile, LANES};
pub use detect::{Arithmetic, Ifma, Lanes};
pub use fr::{FrTile, Reduction};
pub use fr_factors::{FrDft, FrFactors, RowOrder};
pub use lane_points::{LanePoints, LanePointsPart};
pub use point_sums::{LaneGroup, PointSource, PointSums};
pub use signed_index::SignedIndex;
pub use wipe::wipe;
pub use zeroed::zeroed_scalars;
