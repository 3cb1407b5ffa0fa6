// Field elements in shared memory.
//
// Called by: one thread; whoever calls synchronises.
#pragma once

#include "cuzk/field/fr.cuh"

namespace cuzk::ntt {
using field::Fr;

// Elements in two planes of 16 bytes with a gap after every eighth: the eight lanes that shared
// memory serves at once then never meet in a bank, whether they read neighbours or every eighth.
template <u32 LOG_TILE> struct Tile {
    static constexpr u32 LEN = 1u << LOG_TILE;
    static constexpr u32 PADDED = LEN + LEN / 8 + 1;
    static constexpr u32 BYTES = 2 * PADDED * 16;
    struct alignas(16) Half {
        u32 limbs[4];
    };
    Half *halves;

    CUZK_HOST_DEVICE Fr load(u32 i) const {
        Half low = halves[padded(i)], high = halves[PADDED + padded(i)];
        Fr value;
        CUZK_UNROLL
        for (int k = 0; k < 4; k++) {
            value.limbs[k] = low.limbs[k];
            value.limbs[4 + k] = high.limbs[k];
        }
        return value;
    }
    CUZK_HOST_DEVICE void store(u32 i, const Fr &value) const {
        Half low, high;
        CUZK_UNROLL
        for (int k = 0; k < 4; k++) {
            low.limbs[k] = value.limbs[k];
            high.limbs[k] = value.limbs[4 + k];
        }
        halves[padded(i)] = low;
        halves[PADDED + padded(i)] = high;
    }

  private:
    static CUZK_HOST_DEVICE u32 padded(u32 i) { return i + i / 8; }
};

} // namespace cuzk::ntt
