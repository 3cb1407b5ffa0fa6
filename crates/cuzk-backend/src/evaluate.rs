use cuzk_curve::Domain;
use cuzk_hostmem::CopyStep;
use cuzk_r1cs::{CsrMatrix, PackedWitness};

use crate::{Backend, Evals, Poly};

/// Sparse matrix times witness.
pub trait Evaluate: Backend {
    /// A matrix on the machine, prepared once per circuit shape.
    type Matrix: Send + Sync;
    /// A witness on the machine.
    type Witness: Send + Sync;

    /// Brings a matrix to the machine.
    ///
    /// # Errors
    /// The machine's own.
    fn prepare_matrix(&self, matrix: &CsrMatrix) -> Result<Self::Matrix, Self::Error>;

    /// Brings a witness to the machine; bits travel as bits.
    ///
    /// # Errors
    /// The machine's own.
    fn upload_witness(&self, witness: &PackedWitness) -> Result<Self::Witness, Self::Error>;

    /// The same; `begins` is told of every step on the way, where the machine takes any.
    ///
    /// # Errors
    /// As [`Evaluate::upload_witness`].
    fn upload_witness_by_steps(
        &self,
        witness: &PackedWitness,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<Self::Witness, Self::Error> {
        begins(CopyStep::Copy);
        self.upload_witness(witness)
    }

    /// `matrix · witness`, followed by zeros up to the domain's order.
    ///
    /// # Shapes
    /// The witness has one value per column; the matrix has at most `domain.n()` rows.
    ///
    /// # Errors
    /// [`crate::ShapeError`] where the columns and the witness disagree or the rows exceed
    /// the domain.
    fn evaluate(
        &self,
        matrix: &Self::Matrix,
        witness: &Self::Witness,
        domain: &Domain,
    ) -> Result<Poly<Self::Vector, Evals>, Self::Error>;
}
