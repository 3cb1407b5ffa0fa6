// Points times a power of two, for the tables with which windows share buckets.
//
// Called by: one thread for MULTIPLES_BATCH points. Cost, for d doublings: d (6M + 2S + D) a
// point, 7M + 1S for the way back to affine coordinates, and an inversion for each thread.
#pragma once

#include "cuzk/curve/normalize.cuh"

namespace cuzk::msm {
using curve::Affine;
using curve::Xyzz;

// out[i] = 2^doublings in[i] for i < n.
struct MultiplesParams {
    const void *in;
    void *out;
    u64 n;
    u64 doublings;
};

// Points that share an inversion [Montgomery87].
constexpr u32 MULTIPLES_BATCH = 4;

// The points `thread`, `thread` + threads, and so on.
template <class F> CUZK_HOST_DEVICE void multiples(const MultiplesParams &p, u64 thread) {
    const u64 threads = (p.n + MULTIPLES_BATCH - 1) / MULTIPLES_BATCH;
    if (thread >= threads) return;
    const Affine<F> *in = static_cast<const Affine<F> *>(p.in);
    Affine<F> *out = static_cast<Affine<F> *>(p.out);

    Xyzz<F> points[MULTIPLES_BATCH];
    CUZK_ROLLED
    for (u32 k = 0; k < MULTIPLES_BATCH; k++) {
        const u64 i = thread + k * threads;
        Xyzz<F> point = i < p.n ? Xyzz<F>::from(in[i]) : Xyzz<F>::identity();
        CUZK_ROLLED
        for (u64 d = 0; d < p.doublings; d++) point = dbl(point);
        points[k] = point;
    }
    curve::normalize<F, MULTIPLES_BATCH>([&](u32 k) { return points[k]; },
                                         [&](u32 k, const Affine<F> &affine) {
                                             const u64 i = thread + k * threads;
                                             if (i < p.n) out[i] = affine;
                                         });
}

} // namespace cuzk::msm
