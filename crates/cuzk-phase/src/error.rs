//! Errors of this crate.

/// A word that names no phase.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "unknown phase {got:?}, expected one of {}",
    crate::phase::joined_names()
)]
pub struct ParsePhaseError {
    /// The word as it was given.
    pub got: String,
}
