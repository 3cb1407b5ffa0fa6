//! The 52-bit limbs of constants and Shoup's companion, made one at a time on `u64`s.

use cuzk_curve::{Fr, FrLimbs};
use ff::Field;

/// Limbs of a lane vector.
pub(crate) const LIMBS: usize = 5;
/// Bits of a limb.
pub(crate) const LIMB_BITS: u32 = 52;
/// The bits of one limb.
pub(crate) const MASK: u64 = (1 << LIMB_BITS) - 1;

/// The group order r.
pub(crate) const R: [u64; LIMBS] = split([
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
]);
/// 2^260 − r, so that an accumulating product subtracts.
pub(crate) const MINUS_R: [u64; LIMBS] = negate(R);
/// r⁻¹ mod 2^260.
const R_INV: [u64; LIMBS] = invert_r();
/// −r⁻¹ mod 2^52.
pub(crate) const MINUS_R_INV: u64 = R_INV[0].wrapping_neg() & MASK;

/// A constant w below r and its companion ⌊w·2^260 / r⌋.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Factor {
    pub(crate) value: [u64; LIMBS],
    pub(crate) companion: [u64; LIMBS],
}

impl Factor {
    /// w·2^260 = companion·r + rest, so the companion is −rest·r⁻¹ modulo 2^260: an exact
    /// division, done by a product.
    pub(crate) fn new(value: &Fr) -> Self {
        let rest = integer(value * two_to_the_260());
        Self {
            value: integer(*value),
            companion: mul_low(negate(rest), R_INV),
        }
    }

    #[inline]
    pub(crate) fn is_one(&self) -> bool {
        self.value == [1, 0, 0, 0, 0]
    }
}

fn two_to_the_260() -> Fr {
    Fr::from(1 << 52).pow_vartime([5])
}

/// The integer below r that the element stands for.
fn integer(value: Fr) -> [u64; LIMBS] {
    let bytes = value.to_bytes_le();
    let mut limbs = [0u64; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = u64::from_le_bytes(chunk.try_into().expect("chunks of eight bytes"));
    }
    split(limbs)
}

/// The limbs of x·2^256 times 16: the 2^260 form that an eight-lane Montgomery product takes.
pub(crate) fn montgomery_260(value: Fr) -> [u64; LIMBS] {
    split(FrLimbs::from(value * Fr::from(16)).0)
}

/// Four 64-bit limbs as five 52-bit limbs.
pub(crate) const fn split(x: [u64; 4]) -> [u64; LIMBS] {
    [
        x[0] & MASK,
        (x[0] >> 52 | x[1] << 12) & MASK,
        (x[1] >> 40 | x[2] << 24) & MASK,
        (x[2] >> 28 | x[3] << 36) & MASK,
        x[3] >> 16,
    ]
}

/// −x modulo 2^260.
const fn negate(x: [u64; LIMBS]) -> [u64; LIMBS] {
    let mut out = [0; LIMBS];
    let mut borrow = 0;
    let mut i = 0;
    while i < LIMBS {
        let limb = 0u64.wrapping_sub(x[i]).wrapping_sub(borrow);
        out[i] = limb & MASK;
        borrow = limb >> 63;
        i += 1;
    }
    out
}

/// x·y modulo 2^260.
const fn mul_low(x: [u64; LIMBS], y: [u64; LIMBS]) -> [u64; LIMBS] {
    let mut columns = [0u128; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let mut j = 0;
        while i + j < LIMBS {
            columns[i + j] += x[i] as u128 * y[j] as u128;
            j += 1;
        }
        i += 1;
    }
    let mut out = [0; LIMBS];
    let mut carry = 0u128;
    let mut i = 0;
    while i < LIMBS {
        let sum = columns[i] + carry;
        out[i] = sum as u64 & MASK;
        carry = sum >> LIMB_BITS;
        i += 1;
    }
    out
}

/// Newton's iteration y ← y·(2 − r·y) doubles the right bits, from one to beyond 260.
const fn invert_r() -> [u64; LIMBS] {
    let mut y = [1, 0, 0, 0, 0];
    let mut round = 0;
    while round < 9 {
        let mut two_minus = negate(mul_low(R, y));
        let sum = two_minus[0] + 2;
        two_minus[0] = sum & MASK;
        let mut carry = sum >> LIMB_BITS;
        let mut i = 1;
        while i < LIMBS {
            let sum = two_minus[i] + carry;
            two_minus[i] = sum & MASK;
            carry = sum >> LIMB_BITS;
            i += 1;
        }
        y = mul_low(y, two_minus);
        round += 1;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_the_modulus_is_one() {
        assert_eq!(mul_low(R, R_INV), [1, 0, 0, 0, 0]);
        assert_eq!(MINUS_R_INV, (1 << 52) - (1 << 32) - 1);
        assert_eq!(MINUS_R[0], (1 << 32) - 1);
    }

    #[test]
    fn a_companion_is_the_floor_of_the_quotient() {
        let one = Factor::new(&Fr::ONE);
        assert!(one.is_one());
        // ⌊2^260 / r⌋ = 35.
        assert_eq!(one.companion, [35, 0, 0, 0, 0]);
        let zero = Factor::new(&Fr::ZERO);
        assert_eq!((zero.value, zero.companion), ([0; 5], [0; 5]));
        // (r − 1)·2^260 / r = 2^260 − 35.33…, whose floor is 2^260 − 36.
        let largest = Factor::new(&-Fr::ONE);
        assert_eq!(largest.companion, [MASK - 35, MASK, MASK, MASK, MASK]);
    }
}
