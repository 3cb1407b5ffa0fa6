use cuzk_backend::ShapeError;
use cuzk_curve::LimbsError;
use cuzk_device::DeviceError;
use cuzk_fold::FoldError;
use cuzk_msm::MsmError;
use cuzk_ntt::NttError;
use cuzk_spmv::SpmvError;
use thiserror::Error;

use crate::plan::PlanError;

/// What can go wrong on a CUDA device.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// Two lengths should agree and do not.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The device refused something, or its work failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A transform.
    #[error(transparent)]
    Ntt(#[from] NttError),
    /// A sparse product.
    #[error(transparent)]
    Spmv(#[from] SpmvError),
    /// A sum of points.
    #[error(transparent)]
    Msm(#[from] MsmError),
    /// A map folded into points.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The key has no place on the device, whatever is streamed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An operand was made by another backend, whose work is in no order with that of this one.
    #[error("the {what} belong to another backend: expected one on {expected}, got one on {got}")]
    OtherBackend {
        /// What does not belong here.
        what: &'static str,
        /// This backend's device.
        expected: String,
        /// The device of the operand's backend, which may be the same one.
        got: String,
    },
    /// The device gave back something that is no scalar.
    #[error("the device gave back something that is no scalar")]
    Scalar(#[from] LimbsError),
}

impl CudaError {
    /// Whether the device's memory, or the budget, was too small for something.
    #[must_use]
    pub fn is_memory(&self) -> bool {
        match self {
            Self::Device(error)
            | Self::Ntt(NttError::Device(error))
            | Self::Spmv(SpmvError::Device(error))
            | Self::Msm(MsmError::Device(error)) => matches!(
                error,
                DeviceError::OverBudget { .. } | DeviceError::OutOfMemory { .. }
            ),
            Self::Msm(MsmError::NoPlace { .. }) | Self::Plan(PlanError::NoPlace { .. }) => true,
            _ => false,
        }
    }
}
