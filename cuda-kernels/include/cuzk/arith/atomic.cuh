// Additions to a place that other threads add to as well.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::arith {

// Adds, and gives what was there before. In shared or global memory.
template <class Word> CUZK_HOST_DEVICE Word atomic_add(Word *place, Word value) {
#ifdef __CUDA_ARCH__
    return atomicAdd(place, value);
#else
    Word before = *place;
    *place = before + value;
    return before;
#endif
}

} // namespace cuzk::arith
