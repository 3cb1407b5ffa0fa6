// The bits of words.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::bits {

// Bits set.
CUZK_HOST_DEVICE u32 count(u32 word) {
#ifdef __CUDA_ARCH__
    return u32(__popc(int(word)));
#else
    return u32(__builtin_popcount(word));
#endif
}

// The number of the lowest bit set; the word is not zero.
CUZK_HOST_DEVICE u32 lowest(u32 word) {
#ifdef __CUDA_ARCH__
    return u32(__ffs(int(word)) - 1);
#else
    return u32(__builtin_ctz(word));
#endif
}

// The low word of two that are shifted right, by fewer than 32 bits.
CUZK_HOST_DEVICE u32 low_word(u32 low, u32 high, u32 shift) {
#ifdef __CUDA_ARCH__
    return __funnelshift_r(low, high, shift);
#else
    return u32((u64(high) << 32 | low) >> shift);
#endif
}

} // namespace cuzk::bits
