#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod error;
mod evaluate;
mod fold;
mod options;
mod sums;
mod transform;

pub use backend::Cuda;
pub use cuzk_msm::Method;
pub use error::CudaError;
pub use evaluate::CudaWitness;
pub use options::{CudaOptions, Streams, Tables};
pub use sums::{CudaBases, CudaSelection, CudaSplit, OnCuda};
