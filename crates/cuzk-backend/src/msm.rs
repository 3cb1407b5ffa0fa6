use cuzk_curve::SourceGroup;
use cuzk_r1cs::Bitmap;

use crate::{Backend, Evaluate, Keep, Lane, Pending, SharedBases};

/// Multi-scalar multiplication in one group.
pub trait Msm<G: SourceGroup>: Backend {
    /// Points prepared once per key: resident, streamed or precomputed.
    type Bases: Send + Sync;

    /// Prepares the points of a query.
    ///
    /// # Errors
    /// The machine's own.
    fn prepare(&self, points: SharedBases<G>) -> Result<Self::Bases, Self::Error>;

    /// Prepares them as a plan of [`Backend::plan_key`] says; the sums are the same.
    ///
    /// # Errors
    /// The machine's own.
    fn prepare_as(&self, points: SharedBases<G>, _keep: Keep) -> Result<Self::Bases, Self::Error> {
        self.prepare(points)
    }

    /// `Σ scalars[i] · bases[i]`.
    ///
    /// # Shapes
    /// As many scalars as bases; none at all give the identity.
    ///
    /// # Errors
    /// [`crate::ShapeError`] where the lengths differ.
    fn msm(
        &self,
        bases: &Self::Bases,
        scalars: &Self::Vector,
    ) -> Result<Pending<G::Projective, Self::Error>, Self::Error>;
}

/// Splits a witness by value for the queries that hold some of its variables.
pub trait WitnessSplit: Evaluate {
    /// Which variables a query holds, on the machine; point `k` of the query belongs to the
    /// `k`-th of them.
    type Selection: Send + Sync;
    /// The selected variables of one witness: zeros dropped, ones listed, the rest listed
    /// with their values.
    type Split: Send + Sync;

    /// Brings a selection to the machine.
    ///
    /// # Errors
    /// The machine's own.
    fn prepare_selection(&self, selection: &Bitmap) -> Result<Self::Selection, Self::Error>;

    /// Splits the selected variables. Queries with one selection share the split.
    ///
    /// # Shapes
    /// The selection has one bit per variable of the witness.
    ///
    /// # Errors
    /// [`crate::ShapeError`] where the lengths differ.
    fn split(
        &self,
        witness: &Self::Witness,
        selection: &Self::Selection,
    ) -> Result<Self::Split, Self::Error>;
}

/// The sums of a split witness against a query.
///
/// Together they are `Σ w_j · P_k`, `j` the `k`-th selected variable.
pub trait WitnessMsm<G: SourceGroup>: Msm<G> + WitnessSplit {
    /// The sum of the points whose variable is one, or the identity where the machine leaves them
    /// to [`WitnessMsm::msm_rest`].
    ///
    /// # Shapes
    /// As many bases as selected variables.
    ///
    /// # Errors
    /// [`crate::ShapeError`] where the lengths differ.
    fn sum_ones(
        &self,
        bases: &Self::Bases,
        split: &Self::Split,
    ) -> Result<Pending<G::Projective, Self::Error>, Self::Error>;

    /// `Σ w_j · P_k` over the variables that are neither zero nor one, and over those that are one
    /// where [`WitnessMsm::sum_ones`] left them.
    ///
    /// # Shapes
    /// As many bases as selected variables.
    ///
    /// # Errors
    /// [`crate::ShapeError`] where the lengths differ.
    fn msm_rest(
        &self,
        bases: &Self::Bases,
        split: &Self::Split,
    ) -> Result<Pending<G::Projective, Self::Error>, Self::Error>;

    /// Where the sums of a split over these bases go. What goes beside the machine's other work is
    /// waited for when the split is dropped: by whatever is enqueued after that.
    fn lane(&self, _bases: &Self::Bases, _split: &Self::Split) -> Lane {
        Lane::Work
    }
}
