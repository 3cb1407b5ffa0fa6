//! Between scalars in memory, four 64-bit limbs one after the other, and lane vectors.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_castsi512_si256,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_or_si512, _mm512_permutex2var_epi64,
    _mm512_set_epi64, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_storeu_si512,
};

use cuzk_curve::Fr;

use crate::{
    LANES,
    fr_ifma::{Vector, mask},
};

/// Four registers, limb `i` of eight scalars in register `i`.
type Packed = [__m512i; 4];

/// Eight scalars that stand side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn load(row: &[Fr; LANES]) -> Vector {
    let from: *const u8 = row.as_ptr().cast();
    // SAFETY: eight scalars are 256 bytes, four loads of 64.
    let pairs = std::array::from_fn(|i| unsafe { _mm512_loadu_si512(from.add(64 * i).cast()) });
    unpack(&transpose_pairs(&pairs))
}

/// Stores values below 2^256 side by side.
///
/// Takes carried and masked limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn store(row: &mut [Fr; LANES], x: &Vector) {
    let to: *mut u8 = row.as_mut_ptr().cast();
    for (i, pair) in transpose_limbs(&pack(x)).into_iter().enumerate() {
        // SAFETY: eight scalars are 256 bytes, four stores of 64.
        unsafe { _mm512_storeu_si512(to.add(64 * i).cast(), pair) };
    }
}

/// Eight scalars from eight places.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn load_each(elements: [&Fr; LANES]) -> Vector {
    let pairs = std::array::from_fn(|i| {
        // SAFETY: a scalar is 32 bytes.
        let halves: [__m256i; 2] = std::array::from_fn(|j| unsafe {
            _mm256_loadu_si256(std::ptr::from_ref(elements[2 * i + j]).cast())
        });
        join(halves[0], halves[1])
    });
    unpack(&transpose_pairs(&pairs))
}

/// Stores values below 2^256 in eight places.
///
/// Takes carried and masked limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(crate) fn store_each(elements: [&mut Fr; LANES], x: &Vector) {
    let pairs = transpose_limbs(&pack(x));
    for (lane, element) in elements.into_iter().enumerate() {
        let pair = pairs[lane / 2];
        let half = if lane % 2 == 0 {
            _mm512_castsi512_si256(pair)
        } else {
            _mm512_extracti64x4_epi64::<1>(pair)
        };
        // SAFETY: a scalar is 32 bytes.
        unsafe { _mm256_storeu_si256(std::ptr::from_mut(element).cast(), half) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn join(low: __m256i, high: __m256i) -> __m512i {
    use std::arch::x86_64::{_mm512_castsi256_si512, _mm512_inserti64x4};
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// From four registers of two scalars each to limb-major.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn transpose_pairs(pairs: &Packed) -> Packed {
    // Of two scalars of either source: limbs 0 and 1, or 2 and 3, of all four.
    let low = _mm512_set_epi64(13, 9, 5, 1, 12, 8, 4, 0);
    let high = _mm512_set_epi64(15, 11, 7, 3, 14, 10, 6, 2);
    let first = _mm512_permutex2var_epi64(pairs[0], low, pairs[1]);
    let second = _mm512_permutex2var_epi64(pairs[2], low, pairs[3]);
    let third = _mm512_permutex2var_epi64(pairs[0], high, pairs[1]);
    let fourth = _mm512_permutex2var_epi64(pairs[2], high, pairs[3]);
    let front = _mm512_set_epi64(11, 10, 9, 8, 3, 2, 1, 0);
    let back = _mm512_set_epi64(15, 14, 13, 12, 7, 6, 5, 4);
    [
        _mm512_permutex2var_epi64(first, front, second),
        _mm512_permutex2var_epi64(first, back, second),
        _mm512_permutex2var_epi64(third, front, fourth),
        _mm512_permutex2var_epi64(third, back, fourth),
    ]
}

/// The inverse of [`transpose_pairs`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn transpose_limbs(limbs: &Packed) -> Packed {
    let front = _mm512_set_epi64(11, 10, 9, 8, 3, 2, 1, 0);
    let back = _mm512_set_epi64(15, 14, 13, 12, 7, 6, 5, 4);
    let first = _mm512_permutex2var_epi64(limbs[0], front, limbs[1]);
    let second = _mm512_permutex2var_epi64(limbs[0], back, limbs[1]);
    let third = _mm512_permutex2var_epi64(limbs[2], front, limbs[3]);
    let fourth = _mm512_permutex2var_epi64(limbs[2], back, limbs[3]);
    // Of the halves `[l0 of 4 | l1 of 4]` and `[l2 of 4 | l3 of 4]`: scalars 0 and 1, or 2, 3.
    let low = _mm512_set_epi64(13, 9, 5, 1, 12, 8, 4, 0);
    let high = _mm512_set_epi64(15, 11, 7, 3, 14, 10, 6, 2);
    [
        _mm512_permutex2var_epi64(first, low, third),
        _mm512_permutex2var_epi64(first, high, third),
        _mm512_permutex2var_epi64(second, low, fourth),
        _mm512_permutex2var_epi64(second, high, fourth),
    ]
}

/// Four limbs of 64 bits as five of 52.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn unpack(x: &Packed) -> Vector {
    mask(&[
        x[0],
        _mm512_or_si512(_mm512_srli_epi64::<52>(x[0]), _mm512_slli_epi64::<12>(x[1])),
        _mm512_or_si512(_mm512_srli_epi64::<40>(x[1]), _mm512_slli_epi64::<24>(x[2])),
        _mm512_or_si512(_mm512_srli_epi64::<28>(x[2]), _mm512_slli_epi64::<36>(x[3])),
        _mm512_srli_epi64::<16>(x[3]),
    ])
}

/// Five limbs of 52 bits as four of 64.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn pack(x: &Vector) -> Packed {
    [
        _mm512_or_si512(x[0], _mm512_slli_epi64::<52>(x[1])),
        _mm512_or_si512(_mm512_srli_epi64::<12>(x[1]), _mm512_slli_epi64::<40>(x[2])),
        _mm512_or_si512(_mm512_srli_epi64::<24>(x[2]), _mm512_slli_epi64::<28>(x[3])),
        _mm512_or_si512(_mm512_srli_epi64::<36>(x[3]), _mm512_slli_epi64::<16>(x[4])),
    ]
}
