#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod error;
mod evaluate;
mod sums;
mod transform;

pub use backend::Cuda;
pub use error::CudaError;
pub use evaluate::CudaWitness;
pub use sums::{CudaBases, CudaSplit, OnCuda};
