//! Errors of this crate.

use std::error::Error;

/// Memory that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocError {
    /// The buffer is larger than the address space.
    #[error("buffer of {elements} elements of {element_bytes} bytes is larger than memory can be")]
    TooLarge {
        /// Elements asked for.
        elements: usize,
        /// Bytes of one element.
        element_bytes: usize,
    },
    /// The system refuses so much memory.
    #[error("out of memory: the system refused {bytes} bytes")]
    Refused {
        /// Bytes asked for.
        bytes: usize,
    },
}

/// Pages that a device did not register or unregister.
#[derive(Debug, thiserror::Error)]
#[error("pages could not be {attempted}")]
pub struct LockError {
    attempted: &'static str,
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

impl LockError {
    /// A refusal to lock, with the device's own error.
    pub fn lock(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            attempted: "locked",
            source: source.into(),
        }
    }

    /// A refusal to unlock, with the device's own error.
    pub fn unlock(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            attempted: "unlocked",
            source: source.into(),
        }
    }
}

/// A word that names no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown host memory strategy {got:?}, expected {}",
    crate::strategy::joined_names()
)]
pub struct ParseHostMemoryError {
    /// The word as it was given.
    pub got: String,
}
