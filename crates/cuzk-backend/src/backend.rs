use std::sync::Arc;

use cuzk_curve::{Fr, G1, G2};

use crate::{Clock, Evaluate, KeyPlan, KeyShape, Msm, Ntt, ShapeError, WitnessMsm};

/// The most bytes of a machine's own memory that were held since it was last asked.
pub type MemoryProbe = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A machine that holds vectors of scalars.
pub trait Backend: Send + Sync {
    /// A vector of scalars on the machine.
    type Vector: Send + Sync;
    /// What can go wrong there.
    type Error: std::error::Error + From<ShapeError> + Send + Sync + 'static;

    /// One word for reports: `"cpu"`, `"cuda"`.
    fn name(&self) -> &'static str;

    /// The device for reports: the model, and how much of it is used.
    fn device(&self) -> String;

    /// Copies scalars to the machine.
    ///
    /// # Errors
    /// The machine's own, out of memory among them.
    fn upload(&self, host: &[Fr]) -> Result<Self::Vector, Self::Error>;

    /// Copies a vector to the host; waits for the work that makes it.
    ///
    /// # Errors
    /// The machine's own, those of the work that makes the vector among them.
    fn download(&self, vector: &Self::Vector) -> Result<Vec<Fr>, Self::Error>;

    /// The number of scalars in a vector.
    fn len(&self, vector: &Self::Vector) -> usize;

    /// The first `len` scalars.
    ///
    /// # Errors
    /// [`ShapeError`] where the vector is shorter.
    fn truncate(&self, vector: Self::Vector, len: usize) -> Result<Self::Vector, Self::Error>;

    /// Starts the machine's own clock with the work that is enqueued from here on; nothing where
    /// the machine has none, and its work is over when a call returns.
    ///
    /// # Errors
    /// The machine's own.
    fn clock(&self) -> Result<Option<Clock<Self::Error>>, Self::Error> {
        Ok(None)
    }

    /// Decides what is kept of a key, before any of it comes.
    ///
    /// # Errors
    /// The machine's own where no plan fits.
    fn plan_key(&self, _shape: &KeyShape) -> Result<KeyPlan, Self::Error> {
        Ok(KeyPlan::default())
    }

    /// A smaller plan, where a key could not be brought by this one and the error is of a kind
    /// that a smaller one may mend.
    fn plan_less(
        &self,
        _shape: &KeyShape,
        _plan: &KeyPlan,
        _error: &Self::Error,
    ) -> Option<KeyPlan> {
        None
    }

    /// What tells of the machine's own memory; nothing where its memory is the host's.
    fn memory_probe(&self) -> Option<MemoryProbe> {
        None
    }
}

/// Everything that a Groth16 prover asks of a machine.
pub trait ProverBackend:
    Ntt + Evaluate + Msm<G1> + Msm<G2> + WitnessMsm<G1> + WitnessMsm<G2>
{
}

impl<B> ProverBackend for B where
    B: Ntt + Evaluate + Msm<G1> + Msm<G2> + WitnessMsm<G1> + WitnessMsm<G2>
{
}
