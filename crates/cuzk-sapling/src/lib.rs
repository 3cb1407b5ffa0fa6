#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod circuit;
mod instance;
mod output;
mod spend;
mod statement;

pub use circuit::{Circuit, TRANSCRIPT_BYTES, UnknownCircuit};
pub use instance::Instance;
pub use statement::Statement;
