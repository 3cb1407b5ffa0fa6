use cuzk_msm::MsmError;
use thiserror::Error;

/// Why there is no plan.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Not even the smallest plan fits.
    #[error(
        "the key has no place on the device: expected a memory budget of {} at least, got {}{} ({step} \
         takes too much)",
        mebibytes(*.needed_bytes),
        mebibytes(*.budget_bytes),
        beside(*.others_bytes)
    )]
    NoPlace {
        /// What takes too much.
        step: &'static str,
        /// The smallest budget for which a plan was found.
        needed_bytes: usize,
        /// What may be used.
        budget_bytes: usize,
        /// What is set aside for other keys and their proofs.
        others_bytes: usize,
    },
    /// A sum cannot be planned.
    #[error(transparent)]
    Sum(MsmError),
}

fn beside(others_bytes: usize) -> String {
    match others_bytes {
        0 => String::new(),
        _ => format!(" beside {} for other keys", mebibytes(others_bytes)),
    }
}

/// Bytes in words: whole MiB, rounded up, or bytes below one.
pub(super) fn mebibytes(bytes: usize) -> String {
    match bytes {
        0..0x10_0000 => format!("{bytes} bytes"),
        _ => format!("{} MiB", bytes.div_ceil(1 << 20)),
    }
}
