use std::{fmt, ops::Deref, sync::Arc};

use cuzk_curve::SourceGroup;

/// The points of one query, shared between whoever holds the key.
///
/// A clone shares the same memory: a file mapping, a registered buffer or a plain vector.
pub struct SharedBases<G: SourceGroup>(Arc<dyn AsRef<[G::Affine]> + Send + Sync>);

impl<G: SourceGroup> SharedBases<G> {
    /// Takes hold of points, wherever they lie.
    pub fn new(points: impl AsRef<[G::Affine]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(points))
    }
}

impl<G: SourceGroup> Clone for SharedBases<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G: SourceGroup> Deref for SharedBases<G> {
    type Target = [G::Affine];

    fn deref(&self) -> &[G::Affine] {
        (*self.0).as_ref()
    }
}

impl<G: SourceGroup> From<Vec<G::Affine>> for SharedBases<G> {
    fn from(points: Vec<G::Affine>) -> Self {
        Self::new(points)
    }
}

impl<G: SourceGroup> fmt::Debug for SharedBases<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBases<{}>({} points)", G::NAME, self.len())
    }
}
