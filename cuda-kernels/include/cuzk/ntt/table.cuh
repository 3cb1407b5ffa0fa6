// The twiddle table, and the permutation between natural and reversed order.
//
// Called by: one thread for each element.
#pragma once

#include "cuzk/field/fr.cuh"
#include "cuzk/ntt/params.cuh"

namespace cuzk::ntt {
using field::Fr;

CUZK_HOST_DEVICE void twiddle_top(const TwiddleTopParams &p, u64 j) {
    if (j >= p.m) return;
    const Fr *high = static_cast<const Fr *>(p.high), *low = static_cast<const Fr *>(p.low);
    u64 below = j & ((u64(1) << p.log_low) - 1);
    static_cast<Fr *>(p.table)[p.m + j] = high[j >> p.log_low] * low[below];
}

CUZK_HOST_DEVICE void twiddle_level(const TwiddleLevelParams &p, u64 j) {
    if (j >= p.m) return;
    Fr *table = static_cast<Fr *>(p.table);
    table[p.m + j] = sqr(table[2 * p.m + j]);
}

CUZK_HOST_DEVICE u64 reverse_bits(u64 i, u64 log_n) {
    u64 r = 0;
    CUZK_ROLLED
    for (u64 bit = 0; bit < log_n; bit++) r |= ((i >> bit) & 1) << (log_n - 1 - bit);
    return r;
}

// Thread i moves element i and its partner, so that it may be done in place.
CUZK_HOST_DEVICE void reverse(const ReverseParams &p, u64 i) {
    if (i >> p.log_n) return;
    u64 partner = reverse_bits(i, p.log_n);
    if (partner < i) return;
    const Fr *in = static_cast<const Fr *>(p.in);
    Fr *out = static_cast<Fr *>(p.out);
    Fr a = in[i], b = in[partner];
    out[partner] = a;
    out[i] = b;
}

} // namespace cuzk::ntt
