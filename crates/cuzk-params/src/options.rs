//! What a reader is to check and where it is to put the points.

use crate::Digest;
use cuzk_hostmem::HostAllocator;

/// What is checked of every point.
///
/// At every level the flags are checked, the coordinates are below the field modulus, and the
/// identity is refused in the key head and in `ic`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Check {
    /// The content is the one whose digest the caller pins, and was checked when that was
    /// taken; nothing more is checked of its points.
    Digest,
    /// Every point lies on the curve; those of the verifying key also lie in the subgroup.
    /// Finds every accident. Somebody who makes a file on purpose can give points of the
    /// curve outside the subgroup, with which no valid proof comes out.
    #[default]
    OnCurve,
    /// Every point lies in the subgroup of prime order.
    Subgroup,
}

/// Whether bytes may follow the last section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Trailing {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left alone and counted, as in ceremony files, which carry their transcript.
    Allow,
}

/// How parameters are read.
///
/// ```
/// use cuzk_params::{Check, ReadOptions, Trailing};
///
/// let options = ReadOptions { trailing: Trailing::Allow, ..ReadOptions::default() };
/// assert_eq!(options.check, Check::OnCurve);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// What is checked of every point.
    pub check: Check,
    /// Whether bytes may follow the last section.
    pub trailing: Trailing,
    /// The digest that the content must have, if the caller knows it.
    pub digest: Option<Digest>,
    /// Where the points of the queries are kept.
    pub memory: HostAllocator,
}

impl ReadOptions {
    /// Options for a file whose digest is known: compared instead of checking points.
    #[must_use]
    pub fn pinned(digest: Digest) -> Self {
        Self {
            check: Check::Digest,
            digest: Some(digest),
            ..Self::default()
        }
    }
}
