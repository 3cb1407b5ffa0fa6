#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bitmap;
mod csr;
mod error;
mod file;
mod shape;
mod witness;

pub use bitmap::Bitmap;
pub use csr::{CsrBuilder, CsrMatrix, Row};
pub use error::R1csError;
pub use file::FileError;
pub use shape::{Densities, Shape};
pub use witness::{PackedWitness, Value, WitnessBuilder};
