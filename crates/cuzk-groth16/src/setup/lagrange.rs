use cuzk_curve::{Domain, Fr};
use cuzk_r1cs::CsrMatrix;
use ff::Field;
use rayon::prelude::*;

/// Elements that one job computes; a job begins with an exponentiation or an inversion.
const CHUNK: usize = 1 << 12;

/// `factor · base^i` for `i` below `len`.
pub(super) fn powers(base: Fr, factor: Fr, len: usize) -> Vec<Fr> {
    let mut values = vec![Fr::ZERO; len];
    values
        .par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk, values)| {
            let mut power = factor * base.pow_vartime([(chunk * CHUNK) as u64]);
            for value in values {
                *value = power;
                power *= base;
            }
        });
    values
}

/// The Lagrange polynomials of the domain at τ: `L_i(τ) = Z(τ)/n · ω^i/(τ − ω^i)`.
///
/// τ is not in the domain.
pub(super) fn lagrange_values(domain: &Domain, tau: Fr) -> Vec<Fr> {
    let factor = domain.vanishing_at(tau) * domain.n_inv();
    let mut values = powers(domain.generator(), Fr::ONE, domain.n());
    values.par_chunks_mut(CHUNK).for_each(|roots| {
        let mut differences: Vec<Fr> = roots.iter().map(|root| tau - root).collect();
        invert_all(&mut differences);
        for (root, inverse) in roots.iter_mut().zip(&differences) {
            *root *= factor * inverse;
        }
    });
    values
}

/// Inverts every element with one inversion; none is zero.
///
/// # Source
/// Montgomery's trick, `[Montgomery87]` §10.3.1.
fn invert_all(values: &mut [Fr]) {
    let mut product = Fr::ONE;
    let before: Vec<Fr> = values
        .iter()
        .map(|value| {
            let before = product;
            product *= value;
            before
        })
        .collect();
    let mut inverse = product
        .invert()
        .expect("a product of differences from roots that tau is not");
    for (value, before) in values.iter_mut().zip(before).rev() {
        (*value, inverse) = (inverse * before, inverse * *value);
    }
}

/// The polynomials of a matrix's columns at τ: `Σ_i M[i][j]·L_i(τ)` for every column j.
pub(super) fn column_sums(matrix: &CsrMatrix, lagrange: &[Fr]) -> Vec<Fr> {
    let mut sums = vec![Fr::ZERO; matrix.columns()];
    let dictionary = matrix.dictionary();
    for (index, value) in lagrange.iter().enumerate().take(matrix.rows()) {
        let row = matrix.row(index);
        for (&column, &coefficient) in row.columns.iter().zip(row.coefficients) {
            let sum = &mut sums[column as usize];
            match coefficient {
                CsrMatrix::ONE => *sum += value,
                CsrMatrix::MINUS_ONE => *sum -= value,
                other => *sum += *value * dictionary[other as usize],
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests;
