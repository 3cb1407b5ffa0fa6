use cuzk_backend::{KeyShape, MatrixShape};
use cuzk_curve::{Domain, DomainError};
use cuzk_r1cs::{Bitmap, CsrMatrix, Densities, Shape};
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

/// The queries that depend on the form of the quotient.
pub(crate) struct LinearCounts {
    pub(crate) folded: bool,
    pub(crate) h: usize,
    pub(crate) l: usize,
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

    /// What a machine plans by, for the queries of the parameters as they are.
    #[must_use]
    pub fn key_shape_of(&self, shape: &Shape) -> KeyShape {
        let counts = LinearCounts {
            folded: false,
            h: self.domain.n() - 1,
            l: self.num_aux(),
        };
        self.key_shape([shape.a(), shape.b(), shape.c()].map(Some), &counts)
    }

    /// What a machine plans by.
    pub(crate) fn key_shape(
        &self,
        matrices: [Option<&CsrMatrix>; 3],
        linear: &LinearCounts,
    ) -> KeyShape {
        let matrix = |matrix: &CsrMatrix| MatrixShape {
            terms: matrix.terms(),
            coefficients: matrix.dictionary().len(),
        };
        KeyShape {
            log_n: self.domain.log_n(),
            rows: self.num_rows,
            variables: self.num_variables(),
            folded: linear.folded,
            matrices: matrices.map(|given| given.map(matrix)),
            h: linear.h,
            l: linear.l,
            a: self.densities.a.count_ones(),
            b: self.densities.b.count_ones(),
        }
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
