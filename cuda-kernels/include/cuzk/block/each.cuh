// A phase of a block's work on the device, and a thread's number in the grid.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::block {

CUZK_DEVICE u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }

// Runs a phase in every thread, and synchronises after it.
struct EachThread {
    template <class Phase> CUZK_DEVICE void operator()(const Phase &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
};

} // namespace cuzk::block
