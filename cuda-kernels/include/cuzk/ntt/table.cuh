// The twiddle table.
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

} // namespace cuzk::ntt
