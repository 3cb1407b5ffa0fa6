#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(any(feature = "bellman", feature = "bellpepper"))]
mod adapter;
mod check_pass;
mod combination;
mod density;
mod direct_pass;
mod error;
mod shape_pass;
mod system;
mod values;
mod variable;
mod witness_pass;

#[cfg(feature = "bellman")]
pub use adapter::Bellman;
#[cfg(feature = "bellpepper")]
pub use adapter::Bellpepper;
pub use check_pass::{Counts, check};
pub use combination::{INLINE_TERMS, LinearCombination};
pub use direct_pass::{Capacity, DirectOptions, Evaluations, direct};
pub use error::{CheckError, SynthesisError, Unsatisfied};
pub use shape_pass::shape;
pub use system::{Assigned, Circuit, ConstraintSystem, Namespace};
pub use variable::{Index, Variable};
pub use witness_pass::witness;
