use cuzk_backend::ShapeError;
use thiserror::Error;

/// What can go wrong on the CPU.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CpuError {
    /// Two lengths that should agree do not.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The system has not as much memory as a result takes.
    #[error("out of memory: {bytes} bytes for {what}")]
    OutOfMemory {
        /// What the memory is for.
        what: &'static str,
        /// How much was asked for.
        bytes: u64,
    },
}
