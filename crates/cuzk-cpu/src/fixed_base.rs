use cuzk_backend::{FixedBase, ShapeError};
use cuzk_curve::Fr;
use cuzk_lanes::{Arithmetic, LaneGroup, PointSums, SignedIndex, wipe};
use ff::PrimeField;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rayon::prelude::*;

use crate::{Cpu, CpuError};

/// Scalars whose additions share inversions.
const CHUNK: usize = 1 << 10;
const MIN_WINDOW_BITS: usize = 2;
/// A table of 22 rows of 2^11 points of G1 is 4.3 MB.
const MAX_WINDOW_BITS: usize = 12;

/// Multiples of one point, for multiplying it with many scalars.
///
/// ```text
/// a scalar is Σ digits[i]·2^(w·i) with −2^(w−1) < digits[i] ≤ 2^(w−1),
/// so its multiple is Σ ±rows[i][|digits[i]|], a sum of some of the table's points
/// ```
///
/// The sums of many scalars are taken together, affine, with shared inversions.
///
/// # Source
/// `[BGMW92]`.
#[derive(Debug)]
pub struct BaseTable<G: LaneGroup> {
    arithmetic: Arithmetic,
    window_bits: usize,
    /// Row after row; entry `d − 1` of row `i` is `d·2^(w·i)·P`.
    table: Vec<G::Limbs>,
}

impl<G: LaneGroup> FixedBase<G> for Cpu {
    type Base = BaseTable<G>;

    fn prepare_base(&self, base: &G::Affine, products: usize) -> Result<BaseTable<G>, CpuError> {
        Ok(BaseTable::new(self.arithmetic(), base.to_curve(), products))
    }

    fn multiply_base(
        &self,
        base: &BaseTable<G>,
        scalars: &[Fr],
        points: &mut [G::Limbs],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), CpuError> {
        ShapeError::check("points for the products", scalars.len(), points.len())?;
        base.multiply(scalars, points, done);
        Ok(())
    }
}

impl<G: LaneGroup> BaseTable<G> {
    /// The table of a point for about `scalars` multiplications.
    fn new(arithmetic: Arithmetic, base: G::Projective, scalars: usize) -> Self {
        let window_bits = window_bits(scalars);
        let windows = windows(window_bits);
        let doublings = doublings::<G>(base, windows * window_bits);
        let row_points = 1 << (window_bits - 1);
        let mut table = vec![G::Limbs::default(); windows * row_points];
        table
            .par_chunks_mut(row_points)
            .enumerate()
            .for_each(|(window, row)| {
                let first = window * window_bits;
                let powers = &doublings[first..first + window_bits];
                binary_sums::<G>(arithmetic, powers, row);
            });
        Self {
            arithmetic,
            window_bits,
            table,
        }
    }

    /// The point times every scalar.
    fn multiply(&self, scalars: &[Fr], points: &mut [G::Limbs], done: &(dyn Fn(usize) + Sync)) {
        let jobs = points.par_chunks_mut(CHUNK).zip(scalars.par_chunks(CHUNK));
        let scratch = || PointSums::<G>::new(self.arithmetic);
        jobs.for_each_init(scratch, |sums, (points, scalars)| {
            self.multiply_chunk(sums, scalars, points);
            done(points.len());
        });
    }

    fn multiply_chunk(&self, sums: &mut PointSums<G>, scalars: &[Fr], points: &mut [G::Limbs]) {
        let mut entries = Vec::with_capacity(scalars.len() * windows(self.window_bits));
        let mut ends = Vec::with_capacity(scalars.len());
        for scalar in scalars {
            let digits = digits(scalar.to_bytes_le(), self.window_bits);
            entries.extend(digits.enumerate().filter_map(|(window, digit)| {
                let entry = digit.unsigned_abs().checked_sub(1)?;
                let row = (window << (self.window_bits - 1)) as u32;
                Some(SignedIndex::new(row + entry, digit < 0))
            }));
            ends.push(entries.len() as u32);
        }
        sums.sum_segments(&self.table, &entries, &ends, points);
        // As good as the exponents themselves.
        wipe(&mut entries);
    }
}

/// `2^i·P` for `i` below `len`.
fn doublings<G: LaneGroup>(base: G::Projective, len: usize) -> Vec<G::Limbs> {
    let powers = std::iter::successors(Some(base), |power| Some(power.double()));
    let points: Vec<G::Affine> = powers.take(len).map(|power| power.to_affine()).collect();
    G::as_limbs(&points).to_vec()
}

/// `row[d − 1] = Σ powers[k]` over the set bits k of d.
fn binary_sums<G: LaneGroup>(arithmetic: Arithmetic, powers: &[G::Limbs], row: &mut [G::Limbs]) {
    let mut entries = Vec::new();
    let mut ends = Vec::with_capacity(row.len());
    for multiple in 1..=row.len() {
        let set = (0..powers.len() as u32).filter(|bit| multiple >> bit & 1 == 1);
        entries.extend(set.map(|bit| SignedIndex::new(bit, false)));
        ends.push(entries.len() as u32);
    }
    PointSums::<G>::new(arithmetic).sum_segments(powers, &entries, &ends, row);
}

/// Windows that hold every scalar and the carry of its signed digits.
fn windows(window_bits: usize) -> usize {
    (Fr::NUM_BITS as usize + 1).div_ceil(window_bits)
}

/// The window that costs least for a number of scalars, counted in additions.
fn window_bits(scalars: usize) -> usize {
    let additions = |bits: usize| {
        let row = (bits << (bits - 1)) / 2;
        windows(bits).saturating_mul(scalars.saturating_add(row))
    };
    (MIN_WINDOW_BITS..=MAX_WINDOW_BITS)
        .min_by_key(|&bits| additions(bits))
        .unwrap_or(MIN_WINDOW_BITS)
}

/// The signed digits of a little-endian scalar, lowest first.
fn digits(scalar: [u8; 32], window_bits: usize) -> impl Iterator<Item = i32> {
    let half = 1 << (window_bits - 1);
    let mut carry = 0;
    (0..windows(window_bits)).map(move |window| {
        let digit = bits(&scalar, window * window_bits, window_bits) + carry;
        carry = i32::from(digit > half);
        digit - (carry << window_bits)
    })
}

/// The `len` bits of a little-endian number from bit `from` on; `len` is at most 16.
fn bits(bytes: &[u8; 32], from: usize, len: usize) -> i32 {
    let mut word = 0;
    for (i, &byte) in bytes.iter().skip(from / 8).take(3).enumerate() {
        word |= i32::from(byte) << (8 * i);
    }
    word >> (from % 8) & ((1 << len) - 1)
}

#[cfg(test)]
mod tests;
