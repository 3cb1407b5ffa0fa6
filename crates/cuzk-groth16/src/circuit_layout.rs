use cuzk_curve::{Domain, DomainError};
use cuzk_r1cs::{Bitmap, Densities, Shape};

/// What a key has to fit: the counts of a circuit and the variables that its queries hold.
///
/// A [`Shape`] has one; a one-shot proof that never made matrices collects its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitLayout {
    pub(crate) num_inputs: usize,
    pub(crate) num_rows: usize,
    pub(crate) domain: Domain,
    pub(crate) densities: Densities,
}

impl CircuitLayout {
    /// A layout from its counts.
    ///
    /// # Shapes
    /// `num_rows` counts the constraints and one row for each of the `num_inputs` inputs, the
    /// constant one among them; the densities have one bit per variable, inputs first.
    ///
    /// # Errors
    /// [`DomainError`] above 2^32 rows.
    pub fn new(
        num_inputs: usize,
        num_rows: usize,
        densities: Densities,
    ) -> Result<Self, DomainError> {
        Ok(Self {
            num_inputs,
            num_rows,
            domain: Domain::for_len(num_rows)?,
            densities,
        })
    }

    /// The layout of a shape.
    ///
    /// # Errors
    /// [`DomainError`] above 2^32 rows.
    pub fn of(shape: &Shape) -> Result<Self, DomainError> {
        Self::new(
            shape.num_inputs(),
            shape.num_rows(),
            shape.densities().clone(),
        )
    }

    /// The domain of the quotient.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    pub(crate) fn num_variables(&self) -> usize {
        self.densities.a.len()
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
}
