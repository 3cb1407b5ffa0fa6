use cuzk_device::DeviceError;
use thiserror::Error;

/// What went wrong with a product.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpmvError {
    /// Two lengths should agree and do not.
    #[error("{what}: expected {expected}, got {got}")]
    Length {
        /// What was compared.
        what: &'static str,
        /// What it had to be.
        expected: usize,
        /// What it was.
        got: usize,
    },
    /// More of something than there is room for.
    #[error("too many {what}: expected at most {most}, got {got}")]
    TooMany {
        /// What was counted.
        what: &'static str,
        /// The most there may be.
        most: usize,
        /// How many came.
        got: usize,
    },
    /// An operand is on another device than the engine, or that device was opened twice.
    #[error("the {what} is of {got}, opened elsewhere, and the engine of {expected}")]
    OtherDevice {
        /// The operand.
        what: &'static str,
        /// The engine's device, by UUID.
        expected: String,
        /// The operand's device, by UUID.
        got: String,
    },
    /// What the device or its driver met.
    #[error("the device failed in a sparse product")]
    Device(#[from] DeviceError),
}
