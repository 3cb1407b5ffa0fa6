//! Whether many points of the curve lie in the subgroup of prime order.
//!
//! One point is checked by an endomorphism, at the price of some hundred additions. For many
//! points it is cheaper to check random sums of them, but not any sum will do: the cofactor of
//! G1 is divisible by 3, so *one* linear combination, however large its coefficients, misses a
//! point of order three in a third of all cases. What counts is the number of independent
//! sums. Take a random subset of the points: if some point lies outside, then for any choice
//! among the others at most one of "with it" and "without it" sums to a subgroup element, so
//! the sum betrays it with probability at least 1/2. This holds for every order the point may
//! have, and for points that cancel each other. `SOUNDNESS_BITS` independent subsets leave
//! 2^-128 (the small-subset test of `[BGR98]`).
//!
//! `w` subset sums cost little more than one: give every point a random label of `w` bits, add
//! it to the bucket of its label, and sum those buckets whose label has bit `j`, for each `j`:
//!
//! ```text
//! for each point P:        bucket[label] += P                          n additions
//! for j = w-1 … 0:         S_j = Σ bucket[2^j ..]
//!                          bucket[i] += bucket[2^j + i];  halve        2·2^w additions in all
//! ```
//!
//! The labels come from the system's random source, after the points are fixed; somebody who
//! makes a file cannot know them.

use cuzk_curve::SourceGroup;
use group::{Curve, Group};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use rand_core::OsRng;
use rayon::prelude::*;

/// A set that holds a point outside passes with probability 2^-128 at most.
const SOUNDNESS_BITS: u32 = 128;

/// Points that are checked together: the buckets that suit so many stay in a core's cache.
const BATCH_POINTS: usize = 1 << 17;

/// Below so many points, checking each is cheaper than checking 128 sums.
const BATCH_FROM: usize = 512;

/// The index of the first point outside the subgroup. The points lie on the curve.
pub(crate) fn first_outside<G: SourceGroup>(points: &[G::Affine]) -> Option<usize> {
    let mut seed = [0; 32];
    OsRng.fill_bytes(&mut seed);
    points
        .par_chunks(BATCH_POINTS)
        .enumerate()
        .filter(|(batch, points)| !all_inside::<G>(points, seed, *batch as u64))
        .find_map_first(|(batch, points)| {
            let within = points
                .par_iter()
                .position_first(|point| !G::is_in_subgroup(point))?;
            Some(batch * BATCH_POINTS + within)
        })
}

/// Whether all points lie inside: never false for such, true for others with 2^-128.
fn all_inside<G: SourceGroup>(points: &[G::Affine], seed: [u8; 32], batch: u64) -> bool {
    if points.len() < BATCH_FROM {
        return points.par_iter().all(G::is_in_subgroup);
    }
    let label_bits = label_bits(points.len());
    let passes = u64::from(SOUNDNESS_BITS.div_ceil(label_bits));
    (0..passes).into_par_iter().all(|pass| {
        let mut labels = ChaCha8Rng::from_seed(seed);
        labels.set_stream(batch * u64::from(SOUNDNESS_BITS) + pass);
        subset_sums_inside::<G>(points, label_bits, &mut labels)
    })
}

/// The width of labels with which `n` points need the fewest additions.
fn label_bits(n: usize) -> u32 {
    let additions =
        |bits: &u32| (n + (2 << bits)) as u64 * u64::from(SOUNDNESS_BITS.div_ceil(*bits));
    (2..=16)
        .min_by_key(additions)
        .expect("the range is not empty")
}

/// Whether `label_bits` random subset sums lie inside.
fn subset_sums_inside<G: SourceGroup>(
    points: &[G::Affine],
    label_bits: u32,
    labels: &mut impl RngCore,
) -> bool {
    let mut buckets = vec![G::Projective::identity(); 1 << label_bits];
    let mask = buckets.len() - 1;
    for pair in points.chunks(2) {
        let random = labels.next_u32() as usize;
        for (point, label) in pair.iter().zip([random & mask, random >> 16 & mask]) {
            buckets[label] += point;
        }
    }
    for bit in (0..label_bits).rev() {
        let (low, high) = buckets.split_at_mut(1 << bit);
        let mut sum = G::Projective::identity();
        for (low, high) in low.iter_mut().zip(high.iter()) {
            sum += high;
            *low += high;
        }
        if !G::is_in_subgroup(&sum.to_affine()) {
            return false;
        }
        buckets.truncate(1 << bit);
    }
    true
}

#[cfg(test)]
mod tests;
