//! Montgomery products of eight elements, radix 2^52, S = 2^416.
//!
//! ```text
//! t = a·b                                   16 columns of sums of 52-bit halves
//! for i in 0..8: t += (t_i·(−p⁻¹) mod 2^52)·p·2^(52i)          now t_i ≡ 0
//! t / 2^416
//! ```
//!
//! The quotient digit costs a product and, worse, its latency in every step. But with
//! k = −p⁻¹ mod 2^52 the multiple k·p ≡ −1 mod 2^52 has the digit t_i itself, and adding
//! t_i·k·p is the same as dropping t_i and adding t_i·(k·p + 1)/2^52 one column higher, with
//! eight limbs like p. Since k·p has 433 bits the sum grows to 433 bits beyond column 7, so
//! the last step is the ordinary one, and takes it below 2^381 + p again.
//!
//! A column collects at most 48 halves and a carry: below 2^58.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_load_si512, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_permutexvar_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
};

use super::constants::{
    FOLD_LANES, MASK, MINUS_P_INVERSE, MULTIPLES_LANES, P, P_LANES, TOP, TOP_INVERSE, Vectors,
};

/// Eight elements of eight limbs, limb by limb.
pub(super) type Element = [__m512i; 8];
/// The columns of a product before its reduction.
pub(super) type Columns = [__m512i; 16];

/// Limb `j` of a table of vectors.
#[inline(always)]
pub(super) fn vector(table: &'static Vectors, j: usize) -> __m512i {
    // SAFETY: the rows of the table are 64 bytes and aligned; callers hold `Ifma`.
    unsafe { _mm512_load_si512(table.0[j].as_ptr().cast()) }
}

#[inline(always)]
pub(super) fn splat(value: u64) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_set1_epi64(value.cast_signed()) }
}

#[inline(always)]
pub(super) fn zero() -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_setzero_si512() }
}

#[inline(always)]
fn low(acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_madd52lo_epu64(acc, a, b) }
}

#[inline(always)]
fn high(acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_madd52hi_epu64(acc, a, b) }
}

#[inline(always)]
pub(super) fn plus(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_add_epi64(a, b) }
}

#[inline(always)]
pub(super) fn minus(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_sub_epi64(a, b) }
}

#[inline(always)]
pub(super) fn and(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_and_si512(a, b) }
}

/// Bits 52… of each lane as an unsigned number.
#[inline(always)]
fn carry_of(a: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_srli_epi64::<52>(a) }
}

/// Bits 52… of each lane as a signed number.
#[inline(always)]
fn signed_carry_of(a: __m512i) -> __m512i {
    // SAFETY: callers hold `Ifma`.
    unsafe { _mm512_srai_epi64::<52>(a) }
}

/// Adds the columns of a·b.
#[inline(always)]
pub(super) fn add_product(t: &mut Columns, a: &Element, b: &Element) {
    for i in 0..8 {
        for j in 0..8 {
            t[i + j] = low(t[i + j], a[i], b[j]);
            t[i + j + 1] = high(t[i + j + 1], a[i], b[j]);
        }
    }
}

/// The columns of a².
#[inline(always)]
pub(super) fn square_columns(a: &Element) -> Columns {
    let mut t = [zero(); 16];
    for i in 0..8 {
        for j in i + 1..8 {
            t[i + j] = low(t[i + j], a[i], a[j]);
            t[i + j + 1] = high(t[i + j + 1], a[i], a[j]);
        }
    }
    for column in &mut t[1..15] {
        *column = plus(*column, *column);
    }
    for i in 0..8 {
        t[2 * i] = low(t[2 * i], a[i], a[i]);
        t[2 * i + 1] = high(t[2 * i + 1], a[i], a[i]);
    }
    t
}

/// t/2^416 mod p below p/4 + p + t/2^416, its limbs without carries.
#[inline(always)]
pub(super) fn shrink(mut t: Columns) -> Element {
    for i in 0..7 {
        let digit = t[i];
        t[i + 1] = plus(t[i + 1], carry_of(digit));
        for j in 0..8 {
            let fold = vector(&FOLD_LANES, j);
            t[i + 1 + j] = low(t[i + 1 + j], digit, fold);
            t[i + 2 + j] = high(t[i + 2 + j], digit, fold);
        }
    }
    let digit = low(zero(), t[7], splat(MINUS_P_INVERSE));
    for j in 0..8 {
        let p = vector(&P_LANES, j);
        t[7 + j] = low(t[7 + j], digit, p);
        t[8 + j] = high(t[8 + j], digit, p);
    }
    t[8] = plus(t[8], carry_of(t[7]));
    [t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15]]
}

/// Moves what exceeds 52 bits in a limb to the next; limbs may be negative, the value not.
#[inline(always)]
pub(super) fn carry(mut v: Element) -> Element {
    let mask = splat(MASK);
    for i in 0..7 {
        v[i + 1] = plus(v[i + 1], signed_carry_of(v[i]));
        v[i] = and(v[i], mask);
    }
    v
}

/// A value in [−3p, 3.5p), limbs without carries, as a tight one.
///
/// ```text
/// w = bits 364… of v + 4p, too low by at most 4; k = w / (p/2^364 + 1); v + (4 − k)·p
/// ```
///
/// The quotient is never too high, and its error leaves less than 12·2^364 above p, which is
/// p/8000.
#[inline(always)]
pub(super) fn tighten(v: Element) -> Element {
    let top = plus(v[7], signed_carry_of(v[6]));
    let w = plus(top, splat(4 * P[7] - 1));
    let k = high(zero(), w, splat(TOP_INVERSE));
    let mut out = v;
    for (j, limb) in out.iter_mut().enumerate() {
        // SAFETY: callers hold `Ifma`.
        let multiple = unsafe { _mm512_permutexvar_epi64(k, vector(&MULTIPLES_LANES, j)) };
        *limb = plus(*limb, multiple);
    }
    carry(out)
}

const _: () = assert!(8 * TOP < 1 << 20);
