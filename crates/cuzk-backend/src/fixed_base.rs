use cuzk_curve::{Fr, G1, G2, SourceGroup};

use crate::Backend;

/// Products of one point with many scalars, of which a set-up consists.
///
/// Scalars come from the host and points go back there: parameters are made once, and kept or
/// written.
pub trait FixedBase<G: SourceGroup>: Backend {
    /// A point with what makes its products cheap.
    type Base: Send + Sync;

    /// Prepares a point of the subgroup of prime order for about so many products in all.
    ///
    /// # Errors
    /// The machine's own.
    fn prepare_base(&self, base: &G::Affine, products: usize) -> Result<Self::Base, Self::Error>;

    /// `points[i] = scalars[i] · base`, whatever is in the points before.
    ///
    /// May be called from several threads at once. `done` is called, from any thread, with a
    /// number of points whenever so many more are made.
    ///
    /// # Shapes
    /// As many points as scalars; coordinates are reduced.
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) where the lengths differ; the machine's own.
    fn multiply_base(
        &self,
        base: &Self::Base,
        scalars: &[Fr],
        points: &mut [G::Limbs],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), Self::Error>;
}

/// Everything that a set-up asks of a machine.
pub trait SetupBackend: FixedBase<G1> + FixedBase<G2> {}

impl<B: FixedBase<G1> + FixedBase<G2>> SetupBackend for B {}
