use cuzk_curve::Fr;
use cuzk_r1cs::{CsrMatrix, PackedWitness, Shape};
use cuzk_synth::Evaluations;
use ff::Field;
use rayon::prelude::*;

/// The first constraint that a witness does not satisfy.
pub(crate) fn first_unsatisfied_constraint(
    shape: &Shape,
    witness: &PackedWitness,
) -> Option<usize> {
    let w = witness.unpack();
    let product = |matrix: &CsrMatrix, row: usize| -> Fr {
        matrix
            .row_terms(row)
            .map(|(column, coefficient)| coefficient * w[column])
            .sum()
    };
    (0..shape.num_constraints())
        .into_par_iter()
        .find_first(|&row| {
            product(shape.a(), row) * product(shape.b(), row) != product(shape.c(), row)
        })
}

/// The first row in which a·b is not c.
pub(crate) fn first_unequal_row(evaluations: &Evaluations) -> Option<usize> {
    let Evaluations { a, b, c, .. } = evaluations;
    (a, b, c).into_par_iter().position_first(|(a, b, c)| {
        match a.is_zero_vartime() || b.is_zero_vartime() {
            true => !c.is_zero_vartime(),
            false => *a * b != *c,
        }
    })
}
