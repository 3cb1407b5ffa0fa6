//! What is transformed.

use cuzk_curve::FrLimbs;
use rayon::prelude::*;

/// Scalars without structure; every one is below 2^254.
pub(crate) fn values(n: usize, seed: u64) -> Vec<FrLimbs> {
    let word = |i: u64| {
        let mixed = (i ^ (i >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    };
    let value = |i: u64| {
        let at = |k: u64| word((4 * i + k + 1 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        FrLimbs([at(0), at(1), at(2), at(3) >> 2])
    };
    (0..n as u64).into_par_iter().map(value).collect()
}
