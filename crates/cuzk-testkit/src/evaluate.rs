use cuzk_backend::{Evaluate, ShapeError};
use cuzk_cpu::Naive;
use cuzk_curve::{Domain, Fr};
use cuzk_r1cs::{CsrBuilder, CsrMatrix, PackedWitness, WitnessBuilder};
use ff::Field;
use rand_core::RngCore;

use crate::{ntt::assert_same, rng, shape::assert_refused};

/// A matrix like those of circuits: empty rows, short rows, one row through most columns, and
/// coefficients that are 1, −1, small, or anything.
///
/// # Panics
/// Where `columns` is 0 and `rows` is not.
#[must_use]
pub fn random_matrix(rng: &mut impl RngCore, rows: usize, columns: usize) -> CsrMatrix {
    let mut builder = CsrBuilder::new();
    let long_row = rng.next_u64() as usize % rows.max(1);
    for row in 0..rows {
        let terms = match rng.next_u32() % 8 {
            _ if row == long_row => columns,
            0 | 1 => 0,
            2..=4 => 1,
            few => few as usize,
        };
        let mut terms: Vec<_> = (0..terms)
            .map(|_| (rng.next_u64() as usize % columns, coefficient(rng)))
            .collect();
        builder.push_row(&mut terms).expect("columns fit 32 bits");
    }
    builder.finish(columns).expect("columns are in range")
}

fn coefficient(rng: &mut impl RngCore) -> Fr {
    match rng.next_u32() % 8 {
        0..=2 => Fr::ONE,
        3 | 4 => -Fr::ONE,
        5 => Fr::from(u64::from(rng.next_u32() % 100)),
        6 => Fr::from(2).pow_vartime([u64::from(rng.next_u32() % 255)]),
        _ => Fr::random(rng),
    }
}

/// A witness of `variables` values, `inputs` of them inputs, of all classes in equal parts.
///
/// # Panics
/// Where there is no input.
#[must_use]
pub fn random_witness(rng: &mut impl RngCore, inputs: usize, variables: usize) -> PackedWitness {
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::ONE);
    for variable in 1..variables {
        let value = match rng.next_u32() % 4 {
            0 => Fr::ZERO,
            1 => Fr::ONE,
            2 => Fr::from(rng.next_u64()),
            _ => Fr::random(&mut *rng),
        };
        if variable < inputs {
            builder.push_input(value);
        } else {
            builder.push_aux(value);
        }
    }
    builder.finish().expect("the first input is one")
}

/// Products of a matrix and a witness equal those of the naive backend for each number of
/// rows; a matrix without rows gives zeros; other lengths are refused.
///
/// # Panics
/// Where they do not.
pub fn evaluate_conformance<B: Evaluate>(backend: &B, rows: impl IntoIterator<Item = usize>) {
    for rows in rows {
        let seed = 3000 + rows as u64;
        let mut rng = rng(seed);
        let domain = Domain::for_len(rows).expect("a domain of the field");
        for columns in [1, 2, rows / 2 + 1, rows + 70] {
            let matrix = random_matrix(&mut rng, rows, columns);
            let witness = random_witness(&mut rng, 1, columns);
            let out = evaluate(backend, &matrix, &witness, &domain).expect("lengths agree");
            let expected: Result<_, ShapeError> = evaluate(&Naive, &matrix, &witness, &domain);
            let context = (rows, columns, seed);
            assert_same(&out, &expected.expect("lengths agree"), &context);
            let longer = random_witness(&mut rng, 1, columns + 1);
            let refused = evaluate(backend, &matrix, &longer, &domain);
            assert_refused(refused, columns, columns + 1, &context);
        }
        if domain.log_n() > 0 {
            let smaller = Domain::new(domain.log_n() - 1).expect("smaller");
            let matrix = random_matrix(&mut rng, rows, 3);
            let witness = random_witness(&mut rng, 2, 3);
            let refused = evaluate(backend, &matrix, &witness, &smaller);
            assert_refused(refused, smaller.n(), rows, &(rows, seed));
        }
    }
}

fn evaluate<B: Evaluate>(
    backend: &B,
    matrix: &CsrMatrix,
    witness: &PackedWitness,
    domain: &Domain,
) -> Result<Vec<Fr>, B::Error> {
    let matrix = backend.prepare_matrix(matrix)?;
    let witness = backend.upload_witness(witness)?;
    let values = backend.evaluate(&matrix, &witness, domain)?;
    assert_eq!(values.domain(), domain);
    backend.download(values.vector())
}
