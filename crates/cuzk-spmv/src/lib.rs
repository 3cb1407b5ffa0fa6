#![doc = include_str!("../README.md")]

mod engine;
mod error;
mod matrix;
mod params;
mod plan;
mod witness;

pub use engine::SpmvEngine;
pub use error::SpmvError;
pub use matrix::DeviceMatrix;
pub use params::{ClassWord, RankWord};
pub use witness::DeviceWitness;
