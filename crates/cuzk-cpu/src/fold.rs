use cuzk_backend::{Fold, InverseTransform, ShapeError};
use cuzk_curve::{Domain, Fr, G1Affine, G1Projective};
use cuzk_r1cs::CsrMatrix;
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rayon::prelude::*;

use crate::{Cpu, CpuError};

/// Points that one job multiplies; it begins with a power of a root.
const POINTS_PER_JOB: usize = 16;
/// Terms of a column that one job adds.
const TERMS_PER_JOB: usize = 256;
/// Points that share an inversion on the way to affine coordinates.
const POINTS_PER_INVERSION: usize = 1 << 10;

impl Fold for Cpu {
    /// As a transform of points, half as many multiples as points in each of its stages.
    fn fold_inverse(
        &self,
        inverse: InverseTransform,
        domain: &Domain,
        factor: Fr,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, CpuError> {
        InverseTransform::check_points(domain, points.len())?;
        let shift_inv = match inverse {
            InverseTransform::Inverse => Fr::ONE,
            InverseTransform::CosetInverse => domain.coset_shift_inv(),
        };
        let scale = factor * domain.n_inv();
        let scaled: Vec<_> = points.par_iter().map(|point| point * scale).collect();
        let mut values = even_before_odd(&scaled, domain.n());
        transform(&mut values, domain.generator_inv(), shift_inv);
        Ok(affine(&values))
    }

    fn fold_matrix(
        &self,
        matrix: &CsrMatrix,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, CpuError> {
        if points.len() < matrix.rows() {
            return Err(ShapeError {
                what: "points for the rows, at least",
                expected: matrix.rows(),
                got: points.len(),
            }
            .into());
        }
        let columns = matrix.transposed();
        let folded = (0..columns.rows()).into_par_iter();
        let folded: Vec<_> = folded.map(|j| sum_of_row(&columns, j, points)).collect();
        Ok(affine(&folded))
    }
}

/// Puts the points at even places before those at odd places, and so in each half; the identity
/// follows where there are fewer than `n`.
fn even_before_odd(points: &[G1Projective], n: usize) -> Vec<G1Projective> {
    let unused = usize::BITS - n.trailing_zeros();
    let from = |i: usize| match unused {
        usize::BITS => i,
        _ => i.reverse_bits() >> unused,
    };
    let place = |i| points.get(from(i)).copied();
    let identity = G1Projective::identity();
    (0..n).map(|i| place(i).unwrap_or(identity)).collect()
}

/// `out[k] = Σ_i (shift·root^k)^i · in[i]`, of points whose even ones stand before the odd ones.
///
/// # Source
/// `[CT65]`, with sums of points for sums of numbers.
fn transform(points: &mut [G1Projective], root: Fr, shift: Fr) {
    if points.len() < 2 {
        return;
    }
    let (even, odd) = points.split_at_mut(points.len() / 2);
    let half = |points| transform(points, root.square(), shift.square());
    rayon::join(|| half(even), || half(odd));
    let even = even.par_chunks_mut(POINTS_PER_JOB);
    let pairs = even.zip(odd.par_chunks_mut(POINTS_PER_JOB)).enumerate();
    pairs.for_each(|(job, (even, odd))| {
        let mut x = shift * root.pow_vartime([(job * POINTS_PER_JOB) as u64]);
        for (even, odd) in even.iter_mut().zip(odd) {
            let product = if x == Fr::ONE { *odd } else { *odd * x };
            (*even, *odd) = (*even + product, *even - product);
            x *= root;
        }
    });
}

fn sum_of_row(matrix: &CsrMatrix, index: usize, points: &[G1Affine]) -> G1Projective {
    let dictionary = matrix.dictionary();
    let row = matrix.row(index);
    let add = |sum: G1Projective, (&i, &coefficient): (&u32, &u32)| {
        let point = points[i as usize];
        match coefficient {
            CsrMatrix::ONE => sum + point,
            CsrMatrix::MINUS_ONE => sum - point,
            other => sum + point * dictionary[other as usize],
        }
    };
    let terms = row.columns.par_chunks(TERMS_PER_JOB);
    let terms = terms.zip(row.coefficients.par_chunks(TERMS_PER_JOB));
    terms
        .map(|(columns, coefficients)| {
            let terms = columns.iter().zip(coefficients);
            terms.fold(G1Projective::identity(), add)
        })
        .sum()
}

fn affine(points: &[G1Projective]) -> Vec<G1Affine> {
    let mut affine = vec![G1Affine::identity(); points.len()];
    let chunks = affine.par_chunks_mut(POINTS_PER_INVERSION);
    let chunks = chunks.zip(points.par_chunks(POINTS_PER_INVERSION));
    chunks.for_each(|(affine, points)| G1Projective::batch_normalize(points, affine));
    affine
}
