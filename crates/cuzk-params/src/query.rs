//! The points of one query.

use cuzk_curve::SourceGroup;
use cuzk_hostmem::{AllocError, HostAllocator, HostBuf};
use std::{fmt, sync::Arc};

/// The points of one query, shared and unchanging; a clone is another handle.
///
/// # Shapes
/// In `a` and `b` only variables with a non-zero column have a point: inputs first, then
/// auxiliary variables, in order.
#[derive(Clone)]
pub struct Query<G: SourceGroup> {
    points: Arc<HostBuf<G::Limbs>>,
}

impl<G: SourceGroup> Query<G> {
    /// A query from points, copied into memory of the caller's choice.
    ///
    /// # Errors
    /// [`AllocError`] if there is no such memory.
    pub fn from_points(points: &[G::Affine], memory: &HostAllocator) -> Result<Self, AllocError> {
        Self::filled(points.len(), memory, |slots| {
            slots.copy_from_slice(G::as_limbs(points));
            Ok(())
        })
    }

    /// A query of `len` points that `fill` writes into memory of the caller's choice.
    ///
    /// # Correctness
    /// Every coordinate is below the modulus; others give wrong sums, never undefined behaviour.
    ///
    /// # Errors
    /// [`AllocError`] if there is no such memory, or the error of `fill`.
    pub fn filled<E: From<AllocError>>(
        len: usize,
        memory: &HostAllocator,
        fill: impl FnOnce(&mut [G::Limbs]) -> Result<(), E>,
    ) -> Result<Self, E> {
        memory.filled(len, fill).map(Self::from_reduced)
    }

    /// A query from limbs whose coordinates are below the modulus, as decoding leaves them.
    pub(crate) fn from_reduced(limbs: HostBuf<G::Limbs>) -> Self {
        Self {
            points: Arc::new(limbs),
        }
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[G::Affine] {
        G::from_limbs_unchecked(&self.points)
    }

    /// The host memory that holds the points, for example to ask whether it is registered.
    #[must_use]
    pub fn memory(&self) -> &HostBuf<G::Limbs> {
        &self.points
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

impl<G: SourceGroup> AsRef<[G::Affine]> for Query<G> {
    fn as_ref(&self) -> &[G::Affine] {
        self.points()
    }
}

impl<G: SourceGroup> PartialEq for Query<G> {
    fn eq(&self, other: &Self) -> bool {
        self.points[..] == other.points[..]
    }
}

impl<G: SourceGroup> Eq for Query<G> {}

/// Length and memory only: a query can have a hundred million points.
impl<G: SourceGroup> fmt::Debug for Query<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("group", &G::NAME)
            .field("points", &self.points)
            .finish()
    }
}
