//! Scalars of the benchmarks.

use cuzk_curve::FrLimbs;

/// Scalars without structure; every one is below 2^254.
pub(crate) fn uniform(n: usize) -> Vec<FrLimbs> {
    let word = |i: u64| {
        let mixed = (i ^ (i >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..n as u64)
        .map(|i| {
            let at = |k: u64| word((4 * i + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            FrLimbs([at(0), at(1), at(2), at(3) >> 2])
        })
        .collect()
}
