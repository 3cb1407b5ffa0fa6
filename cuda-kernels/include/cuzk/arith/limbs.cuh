// Whole numbers of N limbs of 32 bits, lowest first: the loops that fields are made of.
#pragma once

#include "cuzk/arith/carry.cuh"

namespace cuzk::arith {

// r = a + b mod 2^(32N).
template <int N> CUZK_HOST_DEVICE void add(u32 (&r)[N], const u32 (&a)[N], const u32 (&b)[N]) {
    Carry c;
    r[0] = c.add_cc(a[0], b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; i++) r[i] = c.addc_cc(a[i], b[i]);
    r[N - 1] = c.addc(a[N - 1], b[N - 1]);
}

// r = a - b mod 2^(32N); all ones where a < b, otherwise zero.
template <int N> CUZK_HOST_DEVICE u32 sub(u32 (&r)[N], const u32 (&a)[N], const u32 (&b)[N]) {
    Carry c;
    r[0] = c.sub_cc(a[0], b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) r[i] = c.subc_cc(a[i], b[i]);
    return c.subc(0, 0);
}

// r = mask ? a : b, for a mask of all ones or zero.
template <int N>
CUZK_HOST_DEVICE void select(u32 (&r)[N], u32 mask, const u32 (&a)[N], const u32 (&b)[N]) {
    CUZK_UNROLL
    for (int i = 0; i < N; i++) r[i] = mask ? a[i] : b[i];
}

template <int N> CUZK_HOST_DEVICE bool is_zero(const u32 (&a)[N]) {
    u32 any = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) any |= a[i];
    return any == 0;
}

template <int N> CUZK_HOST_DEVICE bool equal(const u32 (&a)[N], const u32 (&b)[N]) {
    u32 any = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) any |= a[i] ^ b[i];
    return any == 0;
}

// acc[0..N) += sum of a[j] * b * 2^(32 j) over even j, and the carry that the caller's last
// operation left in `c`. The products do not overlap, so that one chain carries through all of
// them. The carry out stays in `c`.
template <int N> CUZK_HOST_DEVICE void madc_row(Carry &c, u32 *acc, const u32 *a, u32 b) {
    CUZK_UNROLL
    for (int j = 0; j < N; j += 2) {
        acc[j] = c.madc_lo_cc(a[j], b, acc[j]);
        acc[j + 1] = c.madc_hi_cc(a[j], b, acc[j + 1]);
    }
}

// The same without a carry in.
template <int N> CUZK_HOST_DEVICE void mad_row(Carry &c, u32 *acc, const u32 *a, u32 b) {
    acc[0] = c.mad_lo_cc(a[0], b, acc[0]);
    acc[1] = c.madc_hi_cc(a[0], b, acc[1]);
    madc_row<N - 2>(c, acc + 2, a + 2, b);
}

// acc = (acc >> 64) + the same sum + the carry in `c`.
// Correct only where the result fits in N limbs.
template <int N> CUZK_HOST_DEVICE void madc_row_shifted(Carry &c, u32 *acc, const u32 *a, u32 b) {
    CUZK_UNROLL
    for (int j = 0; j < N - 2; j += 2) {
        acc[j] = c.madc_lo_cc(a[j], b, acc[j + 2]);
        acc[j + 1] = c.madc_hi_cc(a[j], b, acc[j + 3]);
    }
    acc[N - 2] = c.madc_lo_cc(a[N - 2], b, 0);
    acc[N - 1] = c.madc_hi(a[N - 2], b, 0);
}

// acc[0..N) = the same sum; no carries arise.
template <int N> CUZK_HOST_DEVICE void mul_row(u32 *acc, const u32 *a, u32 b) {
    CUZK_UNROLL
    for (int j = 0; j < N; j += 2) {
        u64 product = u64(a[j]) * b;
        acc[j] = u32(product);
        acc[j + 1] = u32(product >> 32);
    }
}

} // namespace cuzk::arith
