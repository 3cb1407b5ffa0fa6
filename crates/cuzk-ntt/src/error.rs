use cuzk_backend::{ShapeError, Transform};
use cuzk_device::DeviceError;

/// What went wrong with a transform.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NttError {
    /// No plan reaches so far.
    #[error("stages of a transform: expected at most {max}, got {got}")]
    TooLarge {
        /// The most stages of a plan.
        max: u32,
        /// The stages asked for.
        got: u32,
    },
    /// A pass cannot have so many stages.
    #[error("stages of a pass: expected 1 to {max}, got {got}")]
    PassStages {
        /// The most that a block's shared memory holds.
        max: u32,
        /// The stages asked for.
        got: u32,
    },
    /// The domain's twiddles for this transform were not asked for when it was prepared.
    #[error("the domain of 2^{log_n} elements was not prepared for {transform:?}")]
    NotPrepared {
        /// The transform asked for.
        transform: Transform,
        /// The domain's size.
        log_n: u32,
    },
    /// Values lie on another device than the engine's kernels.
    #[error("values on {got}, expected on {expected}")]
    OtherDevice {
        /// UUID of the engine's device.
        expected: String,
        /// UUID of the values' device.
        got: String,
    },
    /// Two lengths should agree and do not.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The device refused.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
