use std::{fmt, ops::Deref, sync::Arc};

use cuzk_curve::SourceGroup;

use crate::QueryName;

/// The points of one query, shared between whoever holds the key.
///
/// A clone shares the same memory: a file mapping, a registered buffer or a plain vector.
pub struct SharedBases<G: SourceGroup> {
    points: Arc<dyn AsRef<[G::Affine]> + Send + Sync>,
    query: Option<QueryName>,
}

impl<G: SourceGroup> SharedBases<G> {
    /// Takes hold of points, wherever they lie.
    pub fn new(points: impl AsRef<[G::Affine]> + Send + Sync + 'static) -> Self {
        Self {
            points: Arc::new(points),
            query: None,
        }
    }

    /// The same points, as those of a query: a machine may have settings of its own for each.
    #[must_use]
    pub fn of_query(mut self, query: QueryName) -> Self {
        self.query = Some(query);
        self
    }

    /// The query, if anybody said.
    #[must_use]
    pub fn query(&self) -> Option<QueryName> {
        self.query
    }
}

impl<G: SourceGroup> Clone for SharedBases<G> {
    fn clone(&self) -> Self {
        Self {
            points: Arc::clone(&self.points),
            query: self.query,
        }
    }
}

impl<G: SourceGroup> Deref for SharedBases<G> {
    type Target = [G::Affine];

    fn deref(&self) -> &[G::Affine] {
        (*self.points).as_ref()
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
