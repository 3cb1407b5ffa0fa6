#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod beside;
mod domains;
mod error;
mod evaluate;
mod fixed_base;
mod fold;
mod options;
pub mod plan;
mod planned;
mod split;
mod sums;
mod transform;

pub use backend::Cuda;
pub use cuzk_msm::Method;
pub use error::CudaError;
pub use evaluate::CudaWitness;
pub use options::{CudaOptions, Streams, Tables};
pub use plan::MemoryPlan;
pub use split::{CudaSelection, CudaSplit};
pub use sums::{CudaBases, OnCuda};
