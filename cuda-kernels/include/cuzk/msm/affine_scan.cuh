// Running sums of numbers in memory.
//
// Called by: a block of LIST_THREADS threads. Shared memory: a number for each warp. Synchronises:
// after every phase.
#pragma once

#include "cuzk/arith/atomic.cuh"
#include "cuzk/block/threads.cuh"
#include "cuzk/msm/affine_params.cuh"

namespace cuzk::msm::affine {

using ListBlock = block::Threads<LIST_THREADS>;
template <class T> using Own = block::Own<T, LIST_THREADS>;
using SumsOfWarps = u32[LIST_THREADS / warp::LANES];

// values[i] becomes the sum of those before it. The sum of all goes to `*total`.
CUZK_HOST_DEVICE void scan_in_place(const ListBlock &block, u32 *values, u64 len, u32 *total,
                                    SumsOfWarps &of_warps) {
    const u64 run = (len + LIST_THREADS - 1) / LIST_THREADS;
    Own<u32> before;
    block.each([&](u32 thread) {
        before[thread] = 0;
        CUZK_ROLLED
        for (u64 i = thread * run; i < len && i < (thread + 1) * run; i++) {
            before[thread] += values[i];
        }
    });
    block::sums_before(block, before, of_warps);
    block.each([&](u32 thread) {
        u32 sum = before[thread];
        CUZK_ROLLED
        for (u64 i = thread * run; i < len && i < (thread + 1) * run; i++) {
            u32 value = values[i];
            values[i] = sum;
            sum += value;
        }
        if (thread == LIST_THREADS - 1) *total = sum;
    });
}

} // namespace cuzk::msm::affine
