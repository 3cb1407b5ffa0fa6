// The endomorphism of G1: (x, y) -> (beta x, y) is lambda times a point of the subgroup.
//
// With x the parameter of the curve, lambda = x^2 - 1, for which lambda^2 + lambda + 1 = r; and
// beta is the root of beta^2 + beta + 1 modulo p that belongs to it, in Montgomery form. The tests
// of multiples compare both with multiples by other means.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::fold {
struct Endomorphism {
    // a cube root of one: (beta x, y) is lambda (x, y)
    static CUZK_HOST_DEVICE constexpr u32 beta(int i) {
        constexpr u32 WORDS[12] = {
            0x8671f071, 0xcd03c9e4, 0x1fcda5d2, 0x5dab2246, 0xd3851b95, 0x587042af,
            0x01bacb9e, 0x8eb60ebe, 0x83d050d2, 0x03f97d6e, 0x54638741, 0x18f02065,
        };
        return WORDS[i];
    }
    // a cube root of one modulo r
    static CUZK_HOST_DEVICE constexpr u32 lambda(int i) {
        constexpr u32 WORDS[4] = {
            0xffffffff, 0x00000000, 0x0001a402, 0xac45a401,
        };
        return WORDS[i];
    }
};
} // namespace cuzk::fold
