// Kernels of one operation: `out[i] = operation(a[i], b[i])`, one thread an element.
//
// Called by: a grid of at least n threads.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::testing {

struct MapParams {
    const void *a;
    const void *b;
    void *out;
    u64 n;
};

CUZK_DEVICE u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }

template <class A, class F> CUZK_DEVICE void unary(const MapParams &p, F operation) {
    u64 i = thread_index();
    if (i >= p.n) return;
    auto value = operation(static_cast<const A *>(p.a)[i]);
    static_cast<decltype(value) *>(p.out)[i] = value;
}

template <class A, class B, class F> CUZK_DEVICE void binary(const MapParams &p, F operation) {
    u64 i = thread_index();
    if (i >= p.n) return;
    auto value = operation(static_cast<const A *>(p.a)[i], static_cast<const B *>(p.b)[i]);
    static_cast<decltype(value) *>(p.out)[i] = value;
}

} // namespace cuzk::testing
