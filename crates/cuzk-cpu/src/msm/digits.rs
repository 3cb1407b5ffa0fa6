//! Signed digits of scalars, each a pure function of the scalar and its window.
//!
//! ```text
//! s = Σ_w d_w·2^(cw)   with −2^(c−1) ≤ d_w < 2^(c−1) below the top window, 0 ≤ d_top
//! ```
//!
//! The usual way carries from window to window. Adding the bias b = Σ 2^(c−1)·2^(cw) over
//! all windows but the top one first does all carries at once: digit w is then the plain
//! window w of s + b, less 2^(c−1), and the top window takes what is left, unsigned. No
//! multiple of the group order is ever added, so points outside the prime-order subgroup get
//! the multiple that the integer s says.

use cuzk_curve::Fr;
use ff::PrimeField;

/// Bits of a scalar.
pub(crate) const SCALAR_BITS: u32 = 255;

/// r − 1, lowest limb first.
const LARGEST: [u64; 4] = [
    0xffff_ffff_0000_0000,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// A scalar with the bias added: below 2^256.
pub(crate) type Biased = [u64; 4];

/// How scalars are cut into windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digits {
    window_bits: u32,
    windows: u32,
    bias: [u64; 4],
    /// The largest digit of the top window.
    top: u32,
}

/// A digit: how many times a point counts, and with which sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) magnitude: u32,
    pub(crate) negative: bool,
}

impl Digits {
    /// Windows of `window_bits`, at most 31.
    pub(crate) fn new(window_bits: u32) -> Self {
        let windows = SCALAR_BITS.div_ceil(window_bits);
        let mut bias = [0u64; 4];
        for window in 0..windows - 1 {
            let bit = window * window_bits + window_bits - 1;
            bias[bit as usize / 64] |= 1 << (bit % 64);
        }
        let mut digits = Self {
            window_bits,
            windows,
            bias,
            top: 0,
        };
        digits.top = digits.digit(&digits.biased(LARGEST), windows - 1).magnitude;
        digits
    }

    /// Windows of a scalar.
    pub(crate) fn windows(&self) -> u32 {
        self.windows
    }

    /// Bits that window `window` stands above the lowest.
    pub(crate) fn shift(&self, window: u32) -> u32 {
        window * self.window_bits
    }

    /// The largest magnitude of a digit of `window`.
    pub(crate) fn largest(&self, window: u32) -> u32 {
        if window + 1 == self.windows {
            self.top
        } else {
            1 << (self.window_bits - 1)
        }
    }

    /// The scalar with the bias added.
    pub(crate) fn prepare(&self, scalar: &Fr) -> Biased {
        let bytes = scalar.to_repr();
        let mut limbs = [0u64; 4];
        for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
            *limb = u64::from_le_bytes(chunk.try_into().expect("chunks of eight bytes"));
        }
        self.biased(limbs)
    }

    fn biased(&self, mut limbs: [u64; 4]) -> Biased {
        let mut carry = false;
        for (limb, bias) in limbs.iter_mut().zip(self.bias) {
            let (sum, first) = limb.overflowing_add(bias);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = first || second;
        }
        debug_assert!(!carry, "a scalar and the bias are below 2^256");
        limbs
    }

    /// Digit `window` of a prepared scalar.
    #[inline]
    pub(crate) fn digit(&self, scalar: &Biased, window: u32) -> Digit {
        let bit = window * self.window_bits;
        let (word, shift) = (bit as usize / 64, bit % 64);
        let mut raw = scalar[word] >> shift;
        if shift > 0 && word < 3 {
            raw |= scalar[word + 1] << (64 - shift);
        }
        if window + 1 == self.windows {
            // What is left above the other windows; fewer than 32 bits.
            return Digit {
                magnitude: raw as u32,
                negative: false,
            };
        }
        let raw = (raw & ((1 << self.window_bits) - 1)) as u32;
        let half = 1u32 << (self.window_bits - 1);
        Digit {
            magnitude: raw.abs_diff(half),
            negative: raw < half,
        }
    }
}

#[cfg(test)]
mod tests {
    use ff::Field;
    use proptest::prelude::*;

    use super::*;

    /// Σ d_w·2^(cw) in the field, which the digits' magnitudes cannot wrap around.
    fn recompose(digits: &Digits, scalar: &Fr) -> Fr {
        let prepared = digits.prepare(scalar);
        let two_c = Fr::from(1u64 << digits.window_bits);
        (0..digits.windows()).rev().fold(Fr::ZERO, |sum, window| {
            let digit = digits.digit(&prepared, window);
            assert!(digit.magnitude <= digits.largest(window));
            let value = Fr::from(u64::from(digit.magnitude));
            sum * two_c + if digit.negative { -value } else { value }
        })
    }

    fn edges() -> Vec<Fr> {
        let half = Fr::from(2).invert().expect("two is not zero");
        let from_bytes = |byte: u8| {
            let mut repr = [byte; 32];
            repr[31] &= 0x3f;
            Fr::from_repr(repr).expect("below 2^254")
        };
        let all_ones = (0..254).fold(Fr::ZERO, |sum, _| sum + sum + Fr::ONE);
        let mut edges = vec![
            Fr::ZERO,
            Fr::ONE,
            -Fr::ONE,
            half,
            half - Fr::ONE,
            all_ones,
            from_bytes(0x80),
            from_bytes(0x7f),
            from_bytes(0xff),
        ];
        edges.extend((0..255).map(|bit| Fr::from(2).pow([bit])));
        edges.extend((0..255).map(|bit| Fr::from(2).pow([bit]) - Fr::ONE));
        edges.extend((0..255).map(|bit| -Fr::from(2).pow([bit])));
        edges
    }

    #[test]
    fn edge_scalars_are_the_sum_of_their_digits_at_every_width() {
        for window_bits in 1..=26 {
            let digits = Digits::new(window_bits);
            for scalar in edges() {
                assert_eq!(recompose(&digits, &scalar), scalar, "c = {window_bits}");
            }
        }
    }

    #[test]
    fn the_top_window_never_exceeds_what_it_is_said_to() {
        for window_bits in 1..=26 {
            let digits = Digits::new(window_bits);
            let top = digits.digit(&digits.prepare(&-Fr::ONE), digits.windows() - 1);
            assert_eq!(top.magnitude, digits.largest(digits.windows() - 1));
            assert!(top.magnitude <= 1 << window_bits);
        }
    }

    proptest! {
        #[test]
        fn scalars_are_the_sum_of_their_digits(
            limbs in prop::array::uniform4(prop_oneof![
                any::<u64>(),
                Just(0u64),
                Just(u64::MAX),
                Just(0x8080_8080_8080_8080),
                Just(0x7f7f_7f7f_7f7f_7f7f),
            ]),
            window_bits in 1u32..=26,
        ) {
            let shift = Fr::from(2).pow([64]);
            let scalar = limbs.iter().fold(Fr::ZERO, |sum, &limb| sum * shift + Fr::from(limb));
            prop_assert_eq!(recompose(&Digits::new(window_bits), &scalar), scalar);
        }
    }
}
