#![doc = include_str!("../README.md")]

mod accumulate;
mod affine;
#[cfg(test)]
mod bucket_tests;
mod digits;
mod error;
mod fixed;
mod group;
mod msm;
mod normalize;
mod order;
mod plan;
mod reduce;
#[cfg(test)]
mod small;
mod sort;
mod sorted;
mod split;
mod staging;
mod tables;
#[cfg(test)]
mod twin;
mod windows;

pub use affine::{AffineTree, AffineTuning, PointSelection, PointSelector, most_scratch_bytes};
pub use digits::WindowLayout;
pub use error::MsmError;
pub use fixed::{BasePlan, BaseTable, is_of_base_tables};
pub use group::DeviceGroup;
pub use msm::{Bases, Msm, MsmTimes};
pub use plan::{
    CardFigures, HostLink, Method, MsmPlan, PlanOptions, PointCosts, Prediction, Reduction,
    Residence,
};
pub use sort::{DigitSorter, LargeParts, SortTuning};
pub use sorted::SortedDigits;
pub use split::{DeviceSelection, DeviceSplit, SplitCounts, WitnessSplitter};
