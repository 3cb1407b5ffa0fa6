// Sums of multiples of points by lists.
//
// Called by: one thread for each list, or for some points.
#pragma once

#include "cuzk/curve/normalize.cuh"
#include "cuzk/fold/multiple.cuh"

namespace cuzk::fold {

// out[t] = sum of dictionary[coefficients[k]] points[indices[k]] over the terms k of list t, which
// begin where those of the list before end. Without indices term k is point k; without
// coefficients they are one. The first two entries of the dictionary are 1 and -1.
struct SumParams {
    const void *points;
    const void *indices;
    const void *coefficients;
    const void *dictionary;
    const void *ends;
    void *out;
    u64 lists;
};

constexpr u32 ONE = 0;
constexpr u32 MINUS_ONE = 1;

CUZK_HOST_DEVICE void sum_list(const SumParams &p, u64 list) {
    if (list >= p.lists) return;
    const u64 *ends = static_cast<const u64 *>(p.ends);
    const u32 *indices = static_cast<const u32 *>(p.indices);
    const u32 *coefficients = static_cast<const u32 *>(p.coefficients);
    G1Xyzz sum = G1Xyzz::identity();
    CUZK_ROLLED
    for (u64 k = list == 0 ? 0 : ends[list - 1]; k < ends[list]; k++) {
        G1Xyzz term = static_cast<const G1Xyzz *>(p.points)[indices ? indices[k] : k];
        const u32 coefficient = coefficients ? coefficients[k] : ONE;
        if (coefficient == MINUS_ONE) {
            term.y = -term.y;
        } else if (coefficient != ONE) {
            const G1Xyzz point = term;
            multiple(term, point, static_cast<const Fr *>(p.dictionary)[coefficient]);
        }
        const G1Xyzz before = sum;
        add_called(sum, before, term);
    }
    static_cast<G1Xyzz *>(p.out)[list] = sum;
}

// out[i] = in[i] in XYZZ coordinates for i < n.
struct WidenParams {
    const void *in;
    void *out;
    u64 n;
};

CUZK_HOST_DEVICE void widen(const WidenParams &p, u64 i) {
    if (i >= p.n) return;
    static_cast<G1Xyzz *>(p.out)[i] = G1Xyzz::from(static_cast<const G1Affine *>(p.in)[i]);
}

// out[i] = in[i] in affine coordinates for i < n.
struct NarrowParams {
    const void *in;
    void *out;
    u64 n;
};

// Points that share an inversion [Montgomery87].
constexpr u32 NARROW_BATCH = 8;

// The points `thread`, `thread` + threads, and so on.
CUZK_HOST_DEVICE void narrow(const NarrowParams &p, u64 thread) {
    const u64 threads = (p.n + NARROW_BATCH - 1) / NARROW_BATCH;
    if (thread >= threads) return;
    const G1Xyzz *in = static_cast<const G1Xyzz *>(p.in);
    curve::normalize<Fp, NARROW_BATCH>(
        [&](u32 k) {
            const u64 i = thread + k * threads;
            return i < p.n ? in[i] : G1Xyzz::identity();
        },
        [&](u32 k, const G1Affine &affine) {
            const u64 i = thread + k * threads;
            if (i < p.n) static_cast<G1Affine *>(p.out)[i] = affine;
        });
}

} // namespace cuzk::fold
