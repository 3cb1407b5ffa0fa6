// The transform of points: out[k] = sum of (shift root^k)^i in[i].
//
// Called by: one thread for each point, or for each pair of points. Source: [CT65] with decimation
// in time, sums of points for sums of numbers.
//
// Points are loaded in reversed order and stand in natural order after the last stage. The stage
// of half-length m multiplies the second point of pair j by shift^(n / 2m) root^(j n / 2m), which
// stands at m + j among the twiddles.
#pragma once

#include "cuzk/fold/multiple.cuh"

namespace cuzk::fold {

// out[i] = factor in[the bits of i reversed] for i < 2^log_n, the identity where `in` has none.
struct LoadParams {
    const void *in;
    void *out;
    u64 n;
    u64 log_n;
    u32 factor[8];
};

CUZK_HOST_DEVICE void load(const LoadParams &p, u64 i) {
    if (i >> p.log_n) return;
    u64 from = 0;
    CUZK_ROLLED
    for (u32 bit = 0; bit < p.log_n; bit++) from = from << 1 | (i >> bit & 1);
    G1Xyzz &out = static_cast<G1Xyzz *>(p.out)[i];
    if (from >= p.n) {
        out = G1Xyzz::identity();
        return;
    }
    Fr factor;
    CUZK_UNROLL
    for (int k = 0; k < Fr::N; k++) factor.limbs[k] = p.factor[k];
    const G1Xyzz point = G1Xyzz::from(static_cast<const G1Affine *>(p.in)[from]);
    G1Xyzz scaled;
    multiple(scaled, point, factor);
    out = scaled;
}

// One stage in place, of half-length 2^log_m.
struct StageParams {
    void *points;
    const void *twiddles;
    u64 log_n;
    u64 log_m;
};

// Threads side by side take pairs with one twiddle, so that they go the same way.
CUZK_HOST_DEVICE void stage(const StageParams &p, u64 thread) {
    if (thread >= (u64(1) << p.log_n) / 2) return;
    const u64 log_blocks = p.log_n - 1 - p.log_m, m = u64(1) << p.log_m;
    const u64 j = thread >> log_blocks, block = thread & ((u64(1) << log_blocks) - 1);
    G1Xyzz *first = static_cast<G1Xyzz *>(p.points) + 2 * m * block + j, *second = first + m;
    const Fr twiddle = static_cast<const Fr *>(p.twiddles)[m + j];
    G1Xyzz product = *second;
    if (!(twiddle == Fr::one())) {
        const G1Xyzz point = product;
        multiple(product, point, twiddle);
    }
    const G1Xyzz start = *first;
    add_called(*first, start, product);
    add_called(*second, start, -product);
}

} // namespace cuzk::fold
