use cuzk_curve::{Domain, Fr};
use cuzk_hostmem::AllocError;
use cuzk_lanes::{wipe, zeroed_scalars};
use cuzk_r1cs::CsrMatrix;
use ff::Field;
use rayon::prelude::*;

/// Elements that one job computes; a job begins with an exponentiation or an inversion.
const CHUNK: usize = 1 << 12;
/// Columns of a job that sums some of a matrix's; it reads all terms.
const MIN_COLUMNS: usize = 1 << 12;

/// Zeros whose memory is first touched by the threads that write there.
fn zeros(len: usize) -> Result<Vec<Fr>, AllocError> {
    zeroed_scalars(len).ok_or(AllocError::Refused {
        bytes: len.saturating_mul(size_of::<Fr>()),
    })
}

/// `factor · base^i` for `i` below `len`.
pub(super) fn powers(base: Fr, factor: Fr, len: usize) -> Result<Vec<Fr>, AllocError> {
    let mut values = zeros(len)?;
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
    Ok(values)
}

/// The Lagrange polynomials of the domain at τ: `L_i(τ) = Z(τ)/n · ω^i/(τ − ω^i)`.
///
/// τ is not in the domain.
pub(super) fn lagrange_values(domain: &Domain, tau: Fr) -> Result<Vec<Fr>, AllocError> {
    let factor = domain.vanishing_at(tau) * domain.n_inv();
    let mut values = powers(domain.generator(), Fr::ONE, domain.n())?;
    values.par_chunks_mut(CHUNK).for_each(|roots| {
        // Each of them, and each product, is as good as tau.
        let mut differences: Vec<Fr> = roots.iter().map(|root| tau - root).collect();
        invert_all(&mut differences);
        for (root, inverse) in roots.iter_mut().zip(&differences) {
            *root *= factor * inverse;
        }
        wipe(&mut differences);
    });
    Ok(values)
}

/// Inverts every element with one inversion; none is zero.
///
/// # Source
/// Montgomery's trick, `[Montgomery87]` §10.3.1.
fn invert_all(values: &mut [Fr]) {
    let mut product = Fr::ONE;
    let mut before: Vec<Fr> = values
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
    for (value, before) in values.iter_mut().zip(&before).rev() {
        (*value, inverse) = (inverse * before, inverse * *value);
    }
    wipe(&mut before);
}

/// The polynomials of a matrix's columns at τ: `Σ_i M[i][j]·L_i(τ)` for every column j.
///
/// Each thread reads all terms and adds those of its columns, so that no sum has two writers.
pub(super) fn column_sums(matrix: &CsrMatrix, lagrange: &[Fr]) -> Result<Vec<Fr>, AllocError> {
    let mut sums = zeros(matrix.columns())?;
    let each = matrix.columns().div_ceil(rayon::current_num_threads());
    let each = each.max(MIN_COLUMNS);
    sums.par_chunks_mut(each)
        .enumerate()
        .for_each(|(job, sums)| {
            add_columns(matrix, lagrange, job * each, sums);
        });
    Ok(sums)
}

/// Adds the terms of some columns from `first` on.
fn add_columns(matrix: &CsrMatrix, lagrange: &[Fr], first: usize, sums: &mut [Fr]) {
    let dictionary = matrix.dictionary();
    for (index, value) in lagrange.iter().enumerate().take(matrix.rows()) {
        let row = matrix.row(index);
        for (&column, &coefficient) in row.columns.iter().zip(row.coefficients) {
            let Some(sum) = sums.get_mut((column as usize).wrapping_sub(first)) else {
                continue;
            };
            match coefficient {
                CsrMatrix::ONE => *sum += value,
                CsrMatrix::MINUS_ONE => *sum -= value,
                other => *sum += *value * dictionary[other as usize],
            }
        }
    }
}

#[cfg(test)]
mod tests;
