//! Circuits for tests and benchmarks.

mod mimc;
mod program;
mod random;
mod sha256;
mod word;

pub use mimc::MimcChain;
pub use program::{Program, Step, Terms};
pub use random::RandomSystem;
pub use sha256::Sha256Chain;
