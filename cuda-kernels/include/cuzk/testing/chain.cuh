// Kernels that measure: each thread makes a chain of operations, each on the result of the last.
//
// Called by: a grid of n threads or more, enough to fill the device several times.
#pragma once

#include "cuzk/curve/xyzz.cuh"
#include "cuzk/testing/map.cuh"

namespace cuzk::testing {

// A power of two of `table_len` elements, small enough to stay in the nearest cache.
struct ChainParams {
    const void *table;
    void *out;
    u64 table_len;
    u64 n;
    u64 rounds;
};

// out[i] = the operation, `rounds` times, on table[i] and the element after it.
template <class F, class Step> CUZK_DEVICE void chain(const ChainParams &p, Step step) {
    u64 i = thread_index();
    if (i >= p.n) return;
    const F *table = static_cast<const F *>(p.table);
    F x = table[i & (p.table_len - 1)], y = table[(i + 1) & (p.table_len - 1)];
    CUZK_ROLLED
    for (u64 round = 0; round < p.rounds; round++) x = step(x, y);
    static_cast<F *>(p.out)[i] = x;
}

// out[i] = the sum of `rounds` points from table[i] on.
template <class F> CUZK_DEVICE void add_chain(const ChainParams &p) {
    u64 i = thread_index();
    if (i >= p.n) return;
    const curve::Affine<F> *table = static_cast<const curve::Affine<F> *>(p.table);
    curve::Xyzz<F> sum = curve::Xyzz<F>::identity();
    CUZK_ROLLED
    for (u64 round = 0; round < p.rounds; round++) {
        sum = add_mixed(sum, table[(i + round) & (p.table_len - 1)]);
    }
    static_cast<curve::Xyzz<F> *>(p.out)[i] = sum;
}

} // namespace cuzk::testing
