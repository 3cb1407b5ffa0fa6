// Written by `cargo xtask constants` from the parameter of the curve; not to be edited.
//
// A constant of several limbs is a function of the limb's number, lowest first: with a number
// known at compile time it becomes an immediate operand. Elements are in Montgomery form.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::field {
// The scalar field: 255 bits.
struct FrParams {
    static constexpr int LIMBS = 8;
    static constexpr int SPARE_BITS = 1;
    static constexpr int LIMBS30 = 9;
    static constexpr int DIVSTEP_BATCHES = 20;
    static constexpr u32 NEG_INV32 = 0xffffffff; // -1 / p mod 2^32
    static constexpr u32 NEG_INV30 = 0x3fffffff; // -1 / p mod 2^30
    static constexpr int TWO_ADICITY = 32;

    static CUZK_HOST_DEVICE constexpr u32 modulus(int i) {
        constexpr u32 WORDS[8] = {
            0x00000001, 0xffffffff, 0xfffe5bfe, 0x53bda402, 0x09a1d805, 0x3339d808,
            0x299d7d48, 0x73eda753,
        };
        return WORDS[i];
    }
    // R
    static CUZK_HOST_DEVICE constexpr u32 one(int i) {
        constexpr u32 WORDS[8] = {
            0xfffffffe, 0x00000001, 0x00034802, 0x5884b7fa, 0xecbc4ff5, 0x998c4fef,
            0xacc5056f, 0x1824b159,
        };
        return WORDS[i];
    }
    // R^2
    static CUZK_HOST_DEVICE constexpr u32 r2(int i) {
        constexpr u32 WORDS[8] = {
            0xf3f29c6d, 0xc999e990, 0x87925c23, 0x2b6cedcb, 0x7254398f, 0x05d31496,
            0x9f59ff11, 0x0748d9d9,
        };
        return WORDS[i];
    }
    // R^3
    static CUZK_HOST_DEVICE constexpr u32 r3(int i) {
        constexpr u32 WORDS[8] = {
            0x439b73af, 0xc62c1807, 0x8cf06990, 0x1b3e0d18, 0xc7b5f418, 0x73d13c71,
            0xc8db33e9, 0x6e2a5bb9,
        };
        return WORDS[i];
    }
    // limbs of 30 bits
    static CUZK_HOST_DEVICE constexpr u32 modulus30(int i) {
        constexpr u32 WORDS[9] = {
            0x00000001, 0x3ffffffc, 0x3fe5bfef, 0x2f6900bf, 0x21d80553, 0x27602026,
            0x17d48333, 0x29d4ca67, 0x000073ed,
        };
        return WORDS[i];
    }
    // a generator of the multiplicative group
    static CUZK_HOST_DEVICE constexpr u32 generator(int i) {
        constexpr u32 WORDS[8] = {
            0xfffffff1, 0x0000000e, 0x00189c0f, 0x17e363d3, 0x6f8457b0, 0xff9c5787,
            0x8fc5a8c4, 0x35133220,
        };
        return WORDS[i];
    }
    // of order 2^TWO_ADICITY
    static CUZK_HOST_DEVICE constexpr u32 root_of_unity(int i) {
        constexpr u32 WORDS[8] = {
            0x5f0e466a, 0xb9b58d8c, 0x1819d7ec, 0x5b1b4c80, 0x52a31e64, 0x0af53ae3,
            0x19e9b27b, 0x5bf3adda,
        };
        return WORDS[i];
    }
};
// The base field: 381 bits.
struct FpParams {
    static constexpr int LIMBS = 12;
    static constexpr int SPARE_BITS = 3;
    static constexpr int LIMBS30 = 13;
    static constexpr int DIVSTEP_BATCHES = 30;
    static constexpr u32 NEG_INV32 = 0xfffcfffd; // -1 / p mod 2^32
    static constexpr u32 NEG_INV30 = 0x3ffcfffd; // -1 / p mod 2^30

    static CUZK_HOST_DEVICE constexpr u32 modulus(int i) {
        constexpr u32 WORDS[12] = {
            0xffffaaab, 0xb9feffff, 0xb153ffff, 0x1eabfffe, 0xf6b0f624, 0x6730d2a0,
            0xf38512bf, 0x64774b84, 0x434bacd7, 0x4b1ba7b6, 0x397fe69a, 0x1a0111ea,
        };
        return WORDS[i];
    }
    // R
    static CUZK_HOST_DEVICE constexpr u32 one(int i) {
        constexpr u32 WORDS[12] = {
            0x0002fffd, 0x76090000, 0xc40c0002, 0xebf4000b, 0x53c758ba, 0x5f489857,
            0x70525745, 0x77ce5853, 0xa256ec6d, 0x5c071a97, 0xfa80e493, 0x15f65ec3,
        };
        return WORDS[i];
    }
    // R^2
    static CUZK_HOST_DEVICE constexpr u32 r2(int i) {
        constexpr u32 WORDS[12] = {
            0x1c341746, 0xf4df1f34, 0x09d104f1, 0x0a76e6a6, 0x4c95b6d5, 0x8de5476c,
            0x939d83c0, 0x67eb88a9, 0xb519952d, 0x9a793e85, 0x92cae3aa, 0x11988fe5,
        };
        return WORDS[i];
    }
    // R^3
    static CUZK_HOST_DEVICE constexpr u32 r3(int i) {
        constexpr u32 WORDS[12] = {
            0xd94ca1e0, 0xed48ac6b, 0x03a7adf8, 0x315f831e, 0x615e29dd, 0x9a53352a,
            0x921e1761, 0x34c04e5e, 0x65724728, 0x2512d435, 0x91755d4d, 0x0aa63460,
        };
        return WORDS[i];
    }
    // limbs of 30 bits
    static CUZK_HOST_DEVICE constexpr u32 modulus30(int i) {
        constexpr u32 WORDS[13] = {
            0x3fffaaab, 0x27fbffff, 0x153ffffb, 0x2affffac, 0x30f6241e, 0x034a83da,
            0x112bf673, 0x12e13ce1, 0x2cd76477, 0x1ed90d2e, 0x29a4b1ba, 0x3a8e5ff9,
            0x001a0111,
        };
        return WORDS[i];
    }
};
} // namespace cuzk::field

namespace cuzk::curve {
struct G1Params {

    // y^2 = x^3 + b
    static CUZK_HOST_DEVICE constexpr u32 b(int i) {
        constexpr u32 WORDS[12] = {
            0x000cfff3, 0xaa270000, 0xfc34000a, 0x53cc0032, 0x6b0a807f, 0x478fe97a,
            0xe6ba24d7, 0xb1d37ebe, 0xbf78ab2f, 0x8ec9733b, 0x3d83de7e, 0x09d64551,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 generator_x(int i) {
        constexpr u32 WORDS[12] = {
            0xfd530c16, 0x5cb38790, 0x9976fff5, 0x7817fc67, 0x143ba1c1, 0x154f95c7,
            0xf3d0e747, 0xf0ae6acd, 0x21dbf440, 0xedce6ecc, 0x9e0bfb75, 0x12017741,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 generator_y(int i) {
        constexpr u32 WORDS[12] = {
            0x0ce72271, 0xbaac93d5, 0x7918fd8e, 0x8c22631a, 0x570725ce, 0xdd595f13,
            0x50405194, 0x51ac5829, 0xad0059c0, 0x0e1c8c3f, 0x5008a26a, 0x0bbc3efc,
        };
        return WORDS[i];
    }
};
struct G2Params {

    // y^2 = x^3 + b, and b = b_c0 + b_c1 u
    static CUZK_HOST_DEVICE constexpr u32 b_c0(int i) {
        constexpr u32 WORDS[12] = {
            0x000cfff3, 0xaa270000, 0xfc34000a, 0x53cc0032, 0x6b0a807f, 0x478fe97a,
            0xe6ba24d7, 0xb1d37ebe, 0xbf78ab2f, 0x8ec9733b, 0x3d83de7e, 0x09d64551,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 b_c1(int i) {
        constexpr u32 WORDS[12] = {
            0x000cfff3, 0xaa270000, 0xfc34000a, 0x53cc0032, 0x6b0a807f, 0x478fe97a,
            0xe6ba24d7, 0xb1d37ebe, 0xbf78ab2f, 0x8ec9733b, 0x3d83de7e, 0x09d64551,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 generator_x_c0(int i) {
        constexpr u32 WORDS[12] = {
            0x02940a10, 0xf5f28fa2, 0x87b4961a, 0xb3f5fb26, 0x3e2ae580, 0xa1a893b5,
            0x1a3caee9, 0x9894999d, 0x1863366b, 0x6f67b763, 0x4350bcd7, 0x05819192,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 generator_x_c1(int i) {
        constexpr u32 WORDS[12] = {
            0x9e23f606, 0xa5a9c075, 0xbccd60c3, 0xaaa0c59d, 0xe2867806, 0x3bb17e18,
            0x8541b367, 0x1b1ab6cc, 0xf2158547, 0xc2b6ed0e, 0x7360edf3, 0x11922a09,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 generator_y_c0(int i) {
        constexpr u32 WORDS[12] = {
            0x60494c4a, 0x4c730af8, 0x5e369c5a, 0x597cfa1f, 0xaa0a635a, 0xe7e6856c,
            0x6e0d495f, 0xbbefb5e9, 0xf0ef25a2, 0x07d3a975, 0x7e80dae5, 0x0083fd8e,
        };
        return WORDS[i];
    }
    static CUZK_HOST_DEVICE constexpr u32 generator_y_c1(int i) {
        constexpr u32 WORDS[12] = {
            0xdf64b05d, 0xadc0fc92, 0x2b1461dc, 0x18aa270a, 0x3be4eba0, 0x86adac6a,
            0xc93da33a, 0x79495c4e, 0xa43ccaed, 0xe7175850, 0x63de1bf2, 0x0b2bc2a1,
        };
        return WORDS[i];
    }
};
} // namespace cuzk::curve
