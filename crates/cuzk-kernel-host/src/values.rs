//! Operands: the edges of a field's limbs, and random ones.

use num_bigint::BigUint;
use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;

/// The seed of every random operand.
pub(crate) const SEED: u64 = 0x6375_7a6b;

/// The numbers below `bound` at which carries, borrows and reductions go wrong: near zero, near
/// the modulus and its multiples, and around each limb of 30 and 32 bits.
pub(crate) fn edges(modulus: &BigUint, bound: &BigUint) -> Vec<BigUint> {
    let one = BigUint::from(1u32);
    let mut values: Vec<BigUint> = (0u32..4).map(BigUint::from).collect();
    for exponent in (0..bound.bits()).filter(|e| e % 32 == 0 || e % 30 == 0 || e % 32 == 31) {
        let power = &one << exponent;
        values.extend([
            &power - 1u32,
            power.clone(),
            &power + 1u32,
            modulus - 1u32 - &power % modulus,
        ]);
    }
    for multiple in 1u32..=16 {
        let near = modulus * multiple;
        values.extend([
            &near - 2u32,
            &near - 1u32,
            near.clone(),
            &near + 1u32,
            near - (modulus >> 1),
        ]);
    }
    // All limbs ones, all but one limb ones, and alternating limbs.
    let limbs = bound.bits().div_ceil(32);
    let ones = (&one << (32 * limbs)) - 1u32;
    let limb = (&one << 32u32) - 1u32;
    let alternating = (0..limbs)
        .step_by(2)
        .map(|i| &limb << (32 * i))
        .sum::<BigUint>();
    values.extend((0..limbs).map(|i| &ones - (&limb << (32 * i))));
    values.extend((0..limbs).map(|i| &ones >> (32 * i)));
    values.extend([&ones - &alternating, alternating]);
    values.push(bound - 1u32);
    values.retain(|value| value < bound);
    values.sort();
    values.dedup();
    values
}

/// A number below `bound`, uniform but for a bias below 2^-64.
pub(crate) fn random_below(rng: &mut ChaCha8Rng, bound: &BigUint) -> BigUint {
    let mut bytes = vec![0; bound.to_bytes_le().len() + 8];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_le(&bytes) % bound
}

/// All pairs of edges, then `cases` random pairs.
pub(crate) fn pairs(
    rng: &mut ChaCha8Rng,
    modulus: &BigUint,
    bounds: [&BigUint; 2],
    cases: usize,
) -> Vec<(BigUint, BigUint)> {
    let [left, right] = bounds.map(|bound| edges(modulus, bound));
    let mut pairs: Vec<_> = left
        .iter()
        .flat_map(|a| right.iter().map(|b| (a.clone(), b.clone())))
        .collect();
    pairs.extend((0..cases).map(|_| (random_below(rng, bounds[0]), random_below(rng, bounds[1]))));
    pairs
}
