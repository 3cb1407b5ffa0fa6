use cuzk_backend::ShapeError;
use cuzk_curve::LimbsError;
use cuzk_device::DeviceError;
use thiserror::Error;

/// What went wrong when a map was folded into points.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FoldError {
    /// Two lengths should agree and do not.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The device refused something, or its work failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device gave back something that is no point.
    #[error("the device gave back something that is no point")]
    Point(#[from] LimbsError),
}
