use cuzk_curve::{Domain, DomainError};
use cuzk_r1cs::{Bitmap, Densities, Shape};
use cuzk_synth::Evaluations;

/// What a key has to fit: the counts of a circuit and the variables that its queries hold.
///
/// A [`Shape`] has one, and so has what a direct pass made without matrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitLayout {
    pub(crate) num_inputs: usize,
    pub(crate) num_rows: usize,
    pub(crate) domain: Domain,
    pub(crate) densities: Densities,
}

impl CircuitLayout {
    /// The layout of a shape.
    ///
    /// # Errors
    /// [`DomainError`] above 2^32 rows.
    pub fn of_shape(shape: &Shape) -> Result<Self, DomainError> {
        Ok(Self {
            num_inputs: shape.num_inputs(),
            num_rows: shape.num_rows(),
            domain: Domain::for_len(shape.num_rows())?,
            densities: shape.densities().clone(),
        })
    }

    /// The layout of a circuit that a direct pass went through.
    ///
    /// # Errors
    /// [`DomainError`] above 2^32 rows.
    pub fn of_evaluations(evaluations: &Evaluations) -> Result<Self, DomainError> {
        Ok(Self {
            num_inputs: evaluations.witness.num_inputs(),
            num_rows: evaluations.a.len(),
            domain: Domain::for_len(evaluations.a.len())?,
            densities: evaluations.densities.clone(),
        })
    }

    /// The domain of the quotient.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    pub(crate) fn num_variables(&self) -> usize {
        self.densities.a.len()
    }

    pub(crate) fn num_constraints(&self) -> usize {
        self.num_rows.saturating_sub(self.num_inputs)
    }

    pub(crate) fn num_aux(&self) -> usize {
        self.num_variables().saturating_sub(self.num_inputs)
    }

    /// The variables of the L query: every auxiliary one.
    pub(crate) fn auxiliary(&self) -> Bitmap {
        (0..self.num_variables())
            .map(|variable| variable >= self.num_inputs)
            .collect()
    }

    /// The variables of a folded L query.
    pub(crate) fn all_variables(&self) -> Bitmap {
        (0..self.num_variables()).map(|_| true).collect()
    }
}
