//! Between elements at rest, one after the other, and vectors of limbs.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_load_si512, _mm512_maskz_loadu_epi64,
    _mm512_permutex2var_epi64, _mm512_permutexvar_epi8, _mm512_set_epi64, _mm512_set1_epi64,
    _mm512_shuffle_i64x2, _mm512_srlv_epi64, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use cuzk_curve::FpLimbs;

use super::{
    constants::{Aligned, MASK},
    product::Element,
};

/// Eight limbs of one element.
///
/// A vector rather than an array, so that it moves as one.
#[derive(Debug, Clone, Copy)]
pub struct Limbs52(__m512i);

impl From<[u64; 8]> for Limbs52 {
    fn from(limbs: [u64; 8]) -> Self {
        // SAFETY: both are 64 bytes of integers.
        Self(unsafe { std::mem::transmute::<[u64; 8], __m512i>(limbs) })
    }
}

impl From<Limbs52> for [u64; 8] {
    fn from(elem: Limbs52) -> Self {
        // SAFETY: both are 64 bytes of integers.
        unsafe { std::mem::transmute::<__m512i, [u64; 8]>(elem.0) }
    }
}

/// Byte 6.5·i of an element, rounded down, and the seven after it, for limb i.
static LIMB_BYTES: Aligned<[u8; 64]> = {
    let mut out = [0; 64];
    let mut i = 0;
    while i < 64 {
        out[i] = (13 * (i / 8) / 2 + i % 8) as u8;
        i += 1;
    }
    Aligned(out)
};

/// The limbs of one stored element, one per 64-bit lane.
#[inline(always)]
fn limbs_of(stored: &FpLimbs) -> __m512i {
    // SAFETY: the mask reads the 48 bytes of the element and nothing beyond, the table is 64
    // aligned bytes; callers hold `Ifma`.
    unsafe {
        let bytes = _mm512_maskz_loadu_epi64(0x3f, stored.0.as_ptr().cast());
        let order = _mm512_load_si512(LIMB_BYTES.0.as_ptr().cast());
        let spread = _mm512_permutexvar_epi8(order, bytes);
        let shifted = _mm512_srlv_epi64(spread, _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0));
        _mm512_and_si512(shifted, _mm512_set1_epi64(MASK.cast_signed()))
    }
}

/// One stored element at rest.
#[inline(always)]
pub(super) fn spread(stored: &FpLimbs) -> Limbs52 {
    Limbs52(limbs_of(stored))
}

/// Exchanges rows and columns of an 8 × 8 matrix of 64-bit words.
#[inline(always)]
fn transpose(rows: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: callers hold `Ifma`.
    unsafe {
        let mut pairs = rows;
        for i in 0..4 {
            pairs[2 * i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);
            pairs[2 * i + 1] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
        }
        // Lane 2q + r of pairs[2i + s] is word 2q + s of row 2i + r.
        let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
        let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
        let mut quads = pairs;
        for i in 0..2 {
            for s in 0..2 {
                let (a, b) = (pairs[4 * i + s], pairs[4 * i + 2 + s]);
                quads[4 * i + s] = _mm512_permutex2var_epi64(a, low, b);
                quads[4 * i + 2 + s] = _mm512_permutex2var_epi64(a, high, b);
            }
        }
        // Quad 4i + s holds words s and s + 4 of rows 4i.., quad 4i + 2 + s words s + 2 and
        // s + 6, each as four rows side by side.
        let mut out = quads;
        for s in 0..4 {
            out[s] = _mm512_shuffle_i64x2::<0x44>(quads[s], quads[4 + s]);
            out[s + 4] = _mm512_shuffle_i64x2::<0xee>(quads[s], quads[4 + s]);
        }
        out
    }
}

/// The vectors of eight stored elements.
#[inline(always)]
pub(super) fn load_packed<'a>(at: impl Fn(usize) -> &'a FpLimbs) -> Element {
    transpose([
        limbs_of(at(0)),
        limbs_of(at(1)),
        limbs_of(at(2)),
        limbs_of(at(3)),
        limbs_of(at(4)),
        limbs_of(at(5)),
        limbs_of(at(6)),
        limbs_of(at(7)),
    ])
}

/// The vectors of eight resting elements.
#[inline(always)]
pub(super) fn load<'a>(at: impl Fn(usize) -> &'a Limbs52) -> Element {
    transpose([
        at(0).0,
        at(1).0,
        at(2).0,
        at(3).0,
        at(4).0,
        at(5).0,
        at(6).0,
        at(7).0,
    ])
}

/// The eight elements of vectors whose limbs are in place.
#[inline(always)]
pub(super) fn store(v: Element, mut put: impl FnMut(usize, Limbs52)) {
    for (lane, row) in transpose(v).into_iter().enumerate() {
        put(lane, Limbs52(row));
    }
}
