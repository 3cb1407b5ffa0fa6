use std::sync::Arc;

use cuzk_r1cs::{CsrMatrix, PackedWitness, Shape};

use crate::{
    scalar::Scalar,
    system::{Circuit, System, Terms},
};

/// A recorded constraint system and one witness of it, played back.
///
/// A circuit that is written for one library's trait runs on the others this way. Recording
/// is not part of what is timed, and the rows that are played back have their equal terms
/// merged: other provers are spared the circuit's own arithmetic.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    shape: Arc<Shape>,
    witness: Arc<PackedWitness>,
}

impl Replay {
    pub(crate) fn new(shape: Shape, witness: PackedWitness) -> Self {
        Self {
            shape: Arc::new(shape),
            witness: Arc::new(witness),
        }
    }
}

/// One matrix with its dictionary in another library's scalars.
struct Matrix<'a, F> {
    matrix: &'a CsrMatrix,
    dictionary: Vec<F>,
}

impl<'a, F: Scalar> Matrix<'a, F> {
    fn new(matrix: &'a CsrMatrix) -> Self {
        let dictionary = matrix.dictionary();
        Self {
            matrix,
            dictionary: dictionary.iter().map(|&c| F::from_other(c)).collect(),
        }
    }

    fn row<V: Copy, T: Terms<F, V>>(&self, index: usize, variables: &[V], terms: T) -> T {
        let row = self.matrix.row(index);
        let pairs = row.columns.iter().zip(row.coefficients);
        pairs.fold(terms, |terms, (&column, &coefficient)| {
            terms.plus(
                self.dictionary[coefficient as usize],
                variables[column as usize],
            )
        })
    }
}

impl Circuit for Replay {
    fn synthesize<S: System>(&self, system: &mut S) -> Result<(), S::Error> {
        let shape = &*self.shape;
        let [a, b, c] = [shape.a(), shape.b(), shape.c()].map(Matrix::<S::Scalar>::new);
        let mut variables = Vec::with_capacity(shape.num_variables());
        for (column, value) in self.witness.values().enumerate() {
            let value = || S::Scalar::from_other(value.to_scalar());
            variables.push(if column == 0 {
                S::one()
            } else if column < shape.num_inputs() {
                system.alloc_input(value)?
            } else {
                system.alloc(value)?
            });
        }
        for row in 0..shape.num_constraints() {
            system.enforce(
                |terms| a.row(row, &variables, terms),
                |terms| b.row(row, &variables, terms),
                |terms| c.row(row, &variables, terms),
            )?;
        }
        Ok(())
    }

    fn public_inputs<F: Scalar>(&self) -> Vec<F> {
        let inputs = self.witness.public_inputs();
        inputs.into_iter().map(F::from_other).collect()
    }
}
