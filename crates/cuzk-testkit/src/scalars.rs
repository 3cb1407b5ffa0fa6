use cuzk_curve::Fr;
use ff::Field;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

/// A generator whose whole sequence follows from `seed`, which failing assertions print.
#[must_use]
pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Scalars at which arithmetic breaks: 0, ±1, ±2, 1/2, and ±2^k, ±(2^k − 1) where limbs of
/// 32, 52 and 64 bits begin, and the largest power below r.
#[must_use]
pub fn edge_scalars() -> Vec<Fr> {
    let two = Fr::from(2);
    let half = two.invert().expect("two is not zero");
    let mut edges = vec![Fr::ZERO, half];
    let limbs = [32, 52].map(|bits| (1..=4).map(move |limb| limb * bits));
    let borders = limbs.into_iter().flatten().chain([192, 224, 254]);
    let powers = [0, 1].into_iter().chain(borders);
    for power in powers.map(|bits| two.pow_vartime([bits])) {
        edges.extend([power, -power, power - Fr::ONE, Fr::ONE - power]);
    }
    edges
}

/// `len` scalars: all edges first, shuffled among random ones as far as there is room.
#[must_use]
pub fn mixed_scalars(rng: &mut impl RngCore, len: usize) -> Vec<Fr> {
    let edges = edge_scalars();
    let mut scalars: Vec<Fr> = edges.iter().copied().take(len).collect();
    scalars.resize_with(len, || Fr::random(&mut *rng));
    for i in (1..len).rev() {
        scalars.swap(i, rng.next_u64() as usize % (i + 1));
    }
    scalars
}

/// Any scalar; every third one is an edge.
pub fn any_fr() -> impl Strategy<Value = Fr> {
    let edges = proptest::sample::select(edge_scalars());
    let uniform = any::<[u64; 8]>().prop_map(|words| {
        let radix = Fr::from(u64::MAX) + Fr::ONE;
        let horner = |sum: Fr, &word: &u64| sum * radix + Fr::from(word);
        words.iter().fold(Fr::ZERO, horner)
    });
    prop_oneof![1 => edges, 2 => uniform]
}
