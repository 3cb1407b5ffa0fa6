use cuzk_curve::Fr;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rayon::prelude::*;

use super::{
    Progress,
    coordinates::{Coordinate, Coordinates, Point},
    progress::Counter,
};

/// Bits of a scalar.
const SCALAR_BITS: usize = 255;
/// Scalars whose additions share inversions.
const CHUNK: usize = 1 << 10;
/// A row of 2^12 points of G1 is 400 KB and stays in the cache while a chunk passes.
const MAX_WINDOW_BITS: usize = 12;

/// Multiples of one point of prime order, for multiplying it with many scalars.
///
/// ```text
/// a scalar is Σ digits[i]·2^(w·i), so its multiple is Σ rows[i][digits[i]]
/// ```
///
/// Sums are kept affine: all scalars of a chunk take their step in window i together and share
/// one inversion. No step can meet its exceptional case. The partial sum before window i
/// is m·P with m < 2^(w·i), the addend is t·P with 2^(w·i) ≤ t, and m + t is at most the
/// scalar and below the order: so m·P is neither t·P nor −t·P, and it is the identity only
/// where m = 0, which is told apart.
///
/// # Source
/// `[BGMW92]`.
pub(super) struct FixedBase<G: Coordinates> {
    window_bits: usize,
    /// `rows[i][d − 1]` is `d·2^(w·i)·P`.
    rows: Vec<Vec<Point<G::Field>>>,
}

impl<G: Coordinates> FixedBase<G> {
    /// The table of a point of prime order for about `scalars` multiplications.
    pub(super) fn new(base: G::Affine, scalars: usize) -> Self {
        let window_bits = window_bits(scalars);
        let windows = SCALAR_BITS.div_ceil(window_bits);
        let doublings = doublings::<G>(base, windows * window_bits);
        let mut rows = vec![Vec::with_capacity(1 << window_bits); windows];
        let mut steps = Steps::default();
        for bit in 0..window_bits {
            // The multiple 2^bit, then its sums with the multiples below it.
            for (window, row) in rows.iter_mut().enumerate() {
                let power = doublings[window * window_bits + bit];
                row.iter()
                    .for_each(|lower| steps.push(window, &power, lower));
                row.push(power);
            }
            steps.take(|window, point| rows[window].push(point));
        }
        Self { window_bits, rows }
    }

    /// The point times every scalar.
    pub(super) fn multiply<F: Fn(Progress) + Sync>(
        &self,
        scalars: &[Fr],
        counter: &Counter<'_, F>,
    ) -> Vec<G::Affine> {
        let mut points = vec![G::Affine::identity(); scalars.len()];
        points
            .par_chunks_mut(CHUNK)
            .zip(scalars.par_chunks(CHUNK))
            .for_each(|(points, scalars)| {
                self.multiply_chunk(scalars, points);
                counter.add(points.len());
            });
        points
    }

    fn multiply_chunk(&self, scalars: &[Fr], points: &mut [G::Affine]) {
        let scalars: Vec<[u8; 32]> = scalars.iter().map(Fr::to_bytes_le).collect();
        let mut sums: Vec<Option<Point<G::Field>>> = vec![None; scalars.len()];
        let mut steps = Steps::default();
        for (window, row) in self.rows.iter().enumerate() {
            let from = window * self.window_bits;
            for (index, (sum, scalar)) in sums.iter_mut().zip(&scalars).enumerate() {
                let digit = digit(scalar, from, self.window_bits);
                match (digit.checked_sub(1), &sum) {
                    (None, _) => {}
                    (Some(entry), None) => *sum = Some(row[entry]),
                    (Some(entry), Some(sum)) => steps.push(index, sum, &row[entry]),
                }
            }
            steps.take(|index, point| sums[index] = Some(point));
        }
        for (point, sum) in points.iter_mut().zip(&sums) {
            if let Some(sum) = sum {
                *point = G::join(sum);
            }
        }
    }
}

/// `2^i·P` for `i` below `len`.
fn doublings<G: Coordinates>(base: G::Affine, len: usize) -> Vec<Point<G::Field>> {
    let mut power = base.to_curve();
    (0..len)
        .map(|_| {
            let point = G::split(&power.to_affine());
            power = power.double();
            point
        })
        .collect()
}

/// Affine additions whose results are taken together, with one inversion.
struct Steps<F> {
    pairs: Vec<Pair<F>>,
}

struct Pair<F> {
    index: usize,
    left: Point<F>,
    right: Point<F>,
    /// The product of the differences of abscissas of all pairs before this one.
    before: F,
}

impl<F> Default for Steps<F> {
    fn default() -> Self {
        Self { pairs: Vec::new() }
    }
}

impl<F: Coordinate> Steps<F> {
    /// Notes `left + right` for `index`; their abscissas differ.
    fn push(&mut self, index: usize, left: &Point<F>, right: &Point<F>) {
        self.pairs.push(Pair {
            index,
            left: *left,
            right: *right,
            before: F::one(),
        });
    }

    /// Hands over the sums in the order in which they were noted, and forgets them.
    ///
    /// # Source
    /// The shared inversion: `[Montgomery87]` §10.3.1.
    fn take(&mut self, mut sum: impl FnMut(usize, Point<F>)) {
        let mut product = F::one();
        for pair in &mut self.pairs {
            pair.before = product;
            product = product * (pair.right.x - pair.left.x);
        }
        let mut inverse = product
            .invert()
            .expect("the abscissas of two different multiples below the order differ");
        for pair in self.pairs.iter_mut().rev() {
            let inverse_of_difference = inverse * pair.before;
            inverse = inverse * (pair.right.x - pair.left.x);
            pair.left = add(&pair.left, &pair.right, inverse_of_difference);
        }
        self.pairs
            .drain(..)
            .for_each(|pair| sum(pair.index, pair.left));
    }
}

/// Adds two points of the curve, given the inverse of `right.x − left.x`.
fn add<F: Coordinate>(left: &Point<F>, right: &Point<F>, inverse: F) -> Point<F> {
    let slope = (right.y - left.y) * inverse;
    let x = slope.square() - left.x - right.x;
    Point {
        x,
        y: slope * (left.x - x) - left.y,
    }
}

/// The window that costs least for a number of scalars: `windows·(scalars + 2^window)`
/// additions.
fn window_bits(scalars: usize) -> usize {
    let additions = |bits: usize| {
        let each = scalars.saturating_add(1 << bits);
        SCALAR_BITS.div_ceil(bits).saturating_mul(each)
    };
    (1..=MAX_WINDOW_BITS)
        .min_by_key(|&bits| additions(bits))
        .unwrap_or(1)
}

/// The `len` bits of a little-endian number from bit `from` on; `len` is at most 16.
fn digit(bytes: &[u8; 32], from: usize, len: usize) -> usize {
    let first = from / 8;
    let mut word = 0;
    for (i, &byte) in bytes.iter().skip(first).take(3).enumerate() {
        word |= usize::from(byte) << (8 * i);
    }
    word >> (from % 8) & ((1 << len) - 1)
}

#[cfg(test)]
mod tests;
