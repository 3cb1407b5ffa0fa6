#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cursor;
mod error;
mod r1cs;
mod sections;
mod write;
mod wtns;

pub use error::Iden3Error;
pub use r1cs::{R1csFile, R1csHeader};
pub use write::{write_r1cs, write_wtns};
pub use wtns::WitnessFile;
