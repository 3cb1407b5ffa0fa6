// The threads of a block, in a form that runs on a device and on the host.
//
// The work of a block is a row of phases. On a device every thread runs the phase and the block
// synchronises after it; on the host the threads, or the warps, take their turn. What a thread
// keeps from one phase to the next is an `Own<T>`: registers on a device, an array on the host.
#pragma once

#include "cuzk/warp/lanes.cuh"

namespace cuzk::block {

#ifdef __CUDA_ARCH__

template <u32 THREADS> struct Threads {
    // Runs a phase for every thread.
    template <class F> CUZK_DEVICE void each(const F &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
    // Runs a phase for every warp, whose lanes it brings together.
    template <class F> CUZK_DEVICE void warps(const F &phase) const {
        phase(threadIdx.x / warp::LANES);
        __syncthreads();
    }
};

template <class T, u32 THREADS> struct Own {
    T value;
    CUZK_DEVICE T &operator[](u32) { return value; }
    CUZK_DEVICE const T &operator[](u32) const { return value; }
};

#else

template <u32 THREADS> struct Threads {
    template <class F> void each(const F &phase) const {
        for (u32 thread = 0; thread < THREADS; thread++) phase(thread);
    }
    template <class F> void warps(const F &phase) const {
        for (u32 warp = 0; warp < THREADS / warp::LANES; warp++) phase(warp);
    }
};

template <class T, u32 THREADS> struct Own {
    T values[THREADS];
    T &operator[](u32 thread) { return values[thread]; }
    const T &operator[](u32 thread) const { return values[thread]; }
};

#endif

// Replaces each thread's number by the sum of those of the threads before it.
//
// Shared memory: a number for each warp. Synchronises: twice, and after the result.
template <u32 THREADS>
CUZK_HOST_DEVICE void sums_before(const Threads<THREADS> &block, Own<u32, THREADS> &number,
                                  u32 (&of_warps)[THREADS / warp::LANES]) {
    block.warps([&](u32 w) {
        warp::Lanes<u32> own, sums;
        warp::each([&](u32 lane) { own[lane] = number[w * warp::LANES + lane]; });
        sums = warp::inclusive_sums(own);
        warp::each([&](u32 lane) {
            number[w * warp::LANES + lane] = sums[lane] - own[lane];
            if (lane == warp::LANES - 1) of_warps[w] = sums[lane];
        });
    });
    block.each([&](u32 thread) {
        CUZK_ROLLED
        for (u32 w = 0; w < thread / warp::LANES; w++) number[thread] += of_warps[w];
    });
}

} // namespace cuzk::block
