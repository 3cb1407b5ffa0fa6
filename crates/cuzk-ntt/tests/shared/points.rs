//! A polynomial's values at points, for sizes at which a whole transform takes too long.

use cuzk_curve::{Fr, FrLimbs};
use ff::Field as _;
use rayon::prelude::*;

/// The value at a point of the polynomial with these coefficients, by parts on all threads.
pub(crate) fn evaluated(coefficients: &[FrLimbs], point: Fr) -> FrLimbs {
    const PART: usize = 1 << 14;
    let scalars = FrLimbs::scalars(coefficients).expect("reduced");
    let part = |(i, part): (usize, &[Fr])| {
        let sum = part.iter().rev().fold(Fr::ZERO, |sum, c| sum * point + c);
        sum * point.pow_vartime([(i * PART) as u64])
    };
    let sum: Fr = scalars.par_chunks(PART).enumerate().map(part).sum();
    sum.into()
}
