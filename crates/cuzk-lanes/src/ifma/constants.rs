//! The modulus in limbs of 52 bits, computed from its six 64-bit limbs at compile time.

use std::arch::x86_64::__m512i;

/// The low 52 bits.
pub(super) const MASK: u64 = (1 << 52) - 1;

/// p, lowest limb first.
const P64: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// p.
pub(super) const P: [u64; 8] = limbs(&P64);

/// −p⁻¹ mod 2^52.
pub(super) const MINUS_P_INVERSE: u64 = {
    // Newton's iteration doubles the bits that are right: 1, 2, 4, …, 64.
    let mut x = 1u64;
    let mut step = 0;
    while step < 6 {
        x = x.wrapping_mul(2u64.wrapping_sub(P[0].wrapping_mul(x)));
        step += 1;
    }
    x.wrapping_neg() & MASK
};

/// (k·p + 1)/2^52 for k = −p⁻¹ mod 2^52, so that k·p ≡ −1 mod 2^52.
pub(super) const FOLD: [u64; 8] = {
    let mut out = [0; 8];
    let mut carry = 1u128;
    let mut i = 0;
    while i < 8 {
        carry += P[i] as u128 * MINUS_P_INVERSE as u128;
        if i > 0 {
            out[i - 1] = carry as u64 & MASK;
        }
        carry >>= 52;
        i += 1;
    }
    out[7] = carry as u64;
    out
};

/// 2^416 mod p: the neutral element of the product.
pub(super) const ONE: [u64; 8] = shifted([1, 0, 0, 0, 0, 0, 0, 0], 416);

/// 2^432 mod p as six 64-bit words: 2^48 in the form of stored points.
pub(super) const TWO_432_WORDS: [u64; 6] = words(&shifted(ONE, 16));

/// 2^448 mod p: a product with it multiplies by 2^32.
pub(super) const TWO_448: [u64; 8] = shifted(ONE, 32);

/// 4p.
pub(super) const FOUR_P: [u64; 8] = multiple(4);

/// 2p.
const TWO_P: [u64; 8] = multiple(2);

/// Bits 364… of p, rounded up.
pub(super) const TOP: u64 = P[7] + 1;

/// 2^52/TOP rounded up: w·TOP_INVERSE >> 52 is w/TOP rounded down for w < 2^20.
pub(super) const TOP_INVERSE: u64 = (1 << 52) / TOP + 1;

/// Limb j of (4 − k)·p in lane k, each limb with the sign of the multiple.
pub(super) const MULTIPLES: [[u64; 8]; 8] = {
    let mut out = [[0; 8]; 8];
    let mut k = 0;
    while k < 8 {
        let positive = k < 4;
        let magnitude = multiple(if positive { 4 - k as u64 } else { k as u64 - 4 });
        let mut j = 0;
        while j < 8 {
            out[j][k] = if positive {
                magnitude[j]
            } else {
                magnitude[j].wrapping_neg()
            };
            j += 1;
        }
        k += 1;
    }
    out
};

/// Memory as the vector loads want it.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// One vector a limb.
pub(super) type Vectors = Aligned<[[u64; 8]; 8]>;

pub(super) static P_LANES: Vectors = splat(P);
pub(super) static FOLD_LANES: Vectors = splat(FOLD);
pub(super) static ONE_LANES: Vectors = splat(ONE);
pub(super) static TWO_448_LANES: Vectors = splat(TWO_448);
pub(super) static FOUR_P_LANES: Vectors = splat(FOUR_P);
pub(super) static TWO_P_LANES: Vectors = splat(TWO_P);
pub(super) static MULTIPLES_LANES: Vectors = Aligned(MULTIPLES);

const _: () = assert!(size_of::<__m512i>() == 64 && align_of::<Vectors>() == 64);

const fn splat(limbs: [u64; 8]) -> Vectors {
    let mut out = [[0; 8]; 8];
    let mut i = 0;
    while i < 8 {
        out[i] = [limbs[i]; 8];
        i += 1;
    }
    Aligned(out)
}

/// Six 64-bit limbs as eight of 52 bits.
pub(super) const fn limbs(words: &[u64; 6]) -> [u64; 8] {
    let mut out = [0; 8];
    let mut i = 0;
    while i < 8 {
        let (word, shift) = (52 * i / 64, 52 * i % 64);
        let mut limb = words[word] >> shift;
        if shift > 12 && word + 1 < 6 {
            limb |= words[word + 1] << (64 - shift);
        }
        out[i] = limb & MASK;
        i += 1;
    }
    out
}

/// Eight limbs of 52 bits as six 64-bit words.
pub(super) const fn words(limbs: &[u64; 8]) -> [u64; 6] {
    let mut out = [0; 6];
    let mut i = 0;
    while i < 8 {
        let (word, shift) = (52 * i / 64, 52 * i % 64);
        out[word] |= limbs[i] << shift;
        if shift > 12 && word + 1 < 6 {
            out[word + 1] |= limbs[i] >> (64 - shift);
        }
        i += 1;
    }
    out
}

/// x·2^count mod p.
const fn shifted(mut x: [u64; 8], count: u32) -> [u64; 8] {
    let mut step = 0;
    while step < count {
        x = double(&x);
        step += 1;
    }
    x
}

/// k·p for small k.
const fn multiple(k: u64) -> [u64; 8] {
    let mut out = [0; 8];
    let mut carry = 0u128;
    let mut i = 0;
    while i < 8 {
        carry += P[i] as u128 * k as u128;
        out[i] = carry as u64 & MASK;
        carry >>= 52;
        i += 1;
    }
    out
}

/// 2x mod p.
const fn double(x: &[u64; 8]) -> [u64; 8] {
    let mut twice = [0; 8];
    let mut less_p = [0; 8];
    let (mut carry, mut borrow) = (0u64, 0i64);
    let mut i = 0;
    while i < 8 {
        carry += x[i] << 1;
        twice[i] = carry & MASK;
        carry >>= 52;
        borrow += twice[i] as i64 - P[i] as i64;
        less_p[i] = borrow as u64 & MASK;
        borrow >>= 52;
        i += 1;
    }
    if borrow < 0 { twice } else { less_p }
}
