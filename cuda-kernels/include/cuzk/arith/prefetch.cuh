// Asking for memory before it is read.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::arith {

// Brings a value of global memory nearer, and waits for nothing. A value is a multiple of 32 bytes
// long and aligned to that, which is what a cache fetches at least.
template <class T> CUZK_HOST_DEVICE void prefetch(const T *value) {
#ifdef __CUDA_ARCH__
    CUZK_UNROLL
    for (u32 at = 0; at < sizeof(T); at += 32) {
        u64 address = __cvta_generic_to_global(reinterpret_cast<const char *>(value) + at);
        asm volatile("prefetch.global.L1 [%0];" ::"l"(address));
    }
#else
    (void)value;
#endif
}

} // namespace cuzk::arith
