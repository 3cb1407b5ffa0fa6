//! Eight scalars in five registers: limb `i` of all eight in register `i`, 52 bits a limb.
//!
//! A value may exceed r, up to 2^260 (about 35.3·r), and a limb may exceed 52 bits or be
//! negative: sums and differences are left alone until a product needs limbs of 52 bits.
//! All of it holds modulo 2^260, so the bits of the top limb beyond its 52nd never matter.
//! Each function says which values and which limbs it takes and gives.
//!
//! # Source
//! Products with `vpmadd52`: `[GK16]`. Products with a constant: `[Harvey14]` §2.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epi64_mask, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_mask_blend_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_srai_epi64, _mm512_sub_epi64,
};

use crate::fr_shoup::{Factor, LIMB_BITS, LIMBS, MASK, MINUS_R, MINUS_R_INV, R};

/// Eight scalars, limb-major.
pub(crate) type Vector = [__m512i; LIMBS];

/// ⌊2^260 / r⌋, by which the top limb gives the quotient by r.
const QUOTIENT: u64 = 35;

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn broadcast(limbs: &[u64; LIMBS]) -> Vector {
    limbs.map(|limb| _mm512_set1_epi64(limb.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn zero() -> Vector {
    [_mm512_setzero_si512(); LIMBS]
}

/// Limbwise sum.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn add(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| _mm512_add_epi64(a[i], b[i]))
}

/// Limbwise difference.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn sub(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| _mm512_sub_epi64(a[i], b[i]))
}

/// Moves what exceeds 52 bits to the next limb, without clearing it where it was: what
/// `vpmadd52` wants, as it reads the low 52 bits alone.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn carry(x: &Vector) -> Vector {
    let mut out = *x;
    for i in 1..LIMBS {
        out[i] = _mm512_add_epi64(out[i], _mm512_srai_epi64::<LIMB_BITS>(out[i - 1]));
    }
    out
}

/// Clears what exceeds 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn mask(x: &Vector) -> Vector {
    let mask = _mm512_set1_epi64(MASK.cast_signed());
    std::array::from_fn(|i| _mm512_and_si512(x[i], mask))
}

/// The product with a constant, modulo r: q = ⌊x·companion / 2^260⌋ to within a little, then
/// x·w − q·r from the low halves alone.
///
/// Takes carried limbs and any value; gives limbs up to 2^57 and a value below
/// (1 + x/2^260 + 2^-40)·r: the companion is short of w·2^260/r by less than one, which
/// costs x/2^260, the floor costs one, and the columns left out of the quotient cost less than
/// 2^-40.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn mul_constant(x: &Vector, w: &Vector, companion: &Vector) -> Vector {
    let mut high = [_mm512_setzero_si512(); LIMBS + 1];
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            if i + j >= 4 {
                high[i + j - 4] = _mm512_madd52lo_epu64(high[i + j - 4], x[i], companion[j]);
            }
            if i + j >= 3 {
                high[i + j - 3] = _mm512_madd52hi_epu64(high[i + j - 3], x[i], companion[j]);
            }
        }
    }
    for i in 0..LIMBS {
        high[i + 1] = _mm512_add_epi64(high[i + 1], _mm512_srai_epi64::<LIMB_BITS>(high[i]));
    }
    let quotient = [high[1], high[2], high[3], high[4], high[5]];
    let low = add_low_product(&zero(), x, w);
    add_low_product(&low, &quotient, &broadcast(&MINUS_R))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn add_low_product(sum: &Vector, x: &Vector, y: &Vector) -> Vector {
    let mut out = *sum;
    for i in 0..LIMBS {
        for j in 0..LIMBS - i {
            out[i + j] = _mm512_madd52lo_epu64(out[i + j], x[i], y[j]);
            if i + j + 1 < LIMBS {
                out[i + j + 1] = _mm512_madd52hi_epu64(out[i + j + 1], x[i], y[j]);
            }
        }
    }
    out
}

/// x·y / 2^260 modulo r.
///
/// Takes carried limbs and any values; gives limbs up to 2^57 and a value below
/// x·y/2^260 + r.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn mul_montgomery(x: &Vector, y: &Vector) -> Vector {
    let r = broadcast(&R);
    let minus_r_inv = _mm512_set1_epi64(MINUS_R_INV.cast_signed());
    let mut t = [_mm512_setzero_si512(); 2 * LIMBS];
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], x[i], y[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], x[i], y[j]);
        }
    }
    for i in 0..LIMBS {
        let m = _mm512_madd52lo_epu64(_mm512_setzero_si512(), t[i], minus_r_inv);
        for j in 0..LIMBS {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], m, r[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], m, r[j]);
        }
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srai_epi64::<LIMB_BITS>(t[i]));
    }
    [t[5], t[6], t[7], t[8], t[9]]
}

/// The same value modulo r, below 1.375·r.
///
/// Takes carried limbs, gives limbs up to 2^54. The top limb times ⌊2^260/r⌋ gives a quotient
/// that is short of the true one by less than 1.34.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn reduce(x: &Vector) -> Vector {
    let quotient = _mm512_madd52hi_epu64(
        _mm512_setzero_si512(),
        x[LIMBS - 1],
        _mm512_set1_epi64(QUOTIENT.cast_signed()),
    );
    let minus_r = broadcast(&MINUS_R);
    let mut out = mask(x);
    for i in 0..LIMBS {
        out[i] = _mm512_madd52lo_epu64(out[i], quotient, minus_r[i]);
        if i + 1 < LIMBS {
            out[i + 1] = _mm512_madd52hi_epu64(out[i + 1], quotient, minus_r[i]);
        }
    }
    out
}

/// The value below r, with limbs of 52 bits, of a value below 2·r with carried and masked
/// limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn canonical(x: &Vector) -> Vector {
    let less_r = carry(&sub(x, &broadcast(&R)));
    let was_below = _mm512_cmplt_epi64_mask(less_r[LIMBS - 1], _mm512_setzero_si512());
    let less_r = mask(&less_r);
    std::array::from_fn(|i| _mm512_mask_blend_epi64(was_below, less_r[i], x[i]))
}

/// A constant for all eight lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn mul_factor(x: &Vector, factor: &Factor) -> Vector {
    mul_constant(x, &broadcast(&factor.value), &broadcast(&factor.companion))
}

/// `(a + b·w, a − b·w)`; the second is raised by 2·r to stay positive.
///
/// Both values are below `a + 2·r`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn butterfly(a: &mut Vector, b: &mut Vector, factor: &Factor) {
    let product = mul_factor(&carry(b), factor);
    sum_and_difference(a, b, &product);
}

/// The butterfly of the factor one, which needs a reduction and no product.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn butterfly_one(a: &mut Vector, b: &mut Vector) {
    let reduced = reduce(&carry(b));
    sum_and_difference(a, b, &reduced);
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn sum_and_difference(a: &mut Vector, b: &mut Vector, product: &Vector) {
    let two_r = broadcast(&R.map(|limb| 2 * limb));
    *b = sub(&add(a, &two_r), product);
    *a = add(a, product);
}

#[cfg(test)]
mod tests;
