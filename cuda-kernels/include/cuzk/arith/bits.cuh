// Counting the bits of a word.
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

} // namespace cuzk::bits
