// Signed digits of scalars.
//
// Called by: one thread for each scalar.
//
// A scalar k is replaced by r - k where that is smaller, and the sign of all its digits is changed
// then; what is left is at most (r - 1) / 2 < 0.4529 * 2^255, and 255 bits or more are cut into
// windows: the lowest `wide_windows` of each table have c = `window_bits` bits, the others c - 1.
// The simple algorithm:
//
//     carry = 0
//     for each window of width b, lowest first:
//         digit = next b bits + carry
//         carry = digit >= 2^(b - 1), but 0 in the last window
//         digit = digit - carry * 2^b
//
// The trick: with `bias`, the sum of 2^(b - 1) at the place of every window but the last, added to
// k once, each window is on its own: digit = b bits of k + bias, less 2^(b - 1). Why it is right:
// the sum of (digit + 2^(b - 1)) 2^place is k + bias, and the bits of a number are unique.
//
// Ranges: a digit is in [-2^(b - 1), 2^(b - 1)). In the last window, where nothing is subtracted,
// it is in [0, 2^(b - 1)]: k / 2^place < 0.4529 * 2^b and bias / 2^place < 1, so that the digit is
// at most the whole part of 0.4529 * 2^b + 1; that is 1 for b = 1, 2 for b = 2, 4 for b = 3, 8 for
// b = 4, and less than 2^(b - 1) from there on. The range of the last window is used to nine
// tenths, so that its buckets are no larger than others.
//
// With several tables the windows of the second, and so on, are those above the windows of the
// first: digits of a window of any table go to the same buckets, as the bases of table t are 2^(t *
// bits of a table) times those of the first. Windows of the last table that lie above bit 255 have
// digits of zero.
#pragma once

#include "cuzk/arith/bits.cuh"
#include "cuzk/field/fr.cuh"

namespace cuzk::msm {
using field::Fr;

// How scalars are cut. `first_window` and `windows` name those of a table that are wanted, of
// `table_windows`; `all_windows` are those of all tables below bit 255.
struct DigitLayout {
    u64 bias[4];
    u64 all_windows;
    u64 tables;
    u64 table_windows;
    u64 first_window;
    u64 windows;
    u64 window_bits;
    u64 wide_windows;

    // Bits of a wanted window.
    CUZK_HOST_DEVICE u32 width(u32 window) const {
        return u32(window_bits) - u32(first_window + window >= wide_windows);
    }
};

// A digit as one word: the absolute value, and the sign in the highest bit; never minus zero.
constexpr u32 DIGIT_SIGN = 0x80000000;

// Calls emit(table, window, width, digit) for every wanted window of every table. The scalar is in
// Montgomery form.
template <class Emit>
CUZK_HOST_DEVICE void scalar_digits(const DigitLayout &layout, const Fr &scalar, const Emit &emit) {
    Fr k = Fr::from_mont(scalar), opposite = Fr::neg_lazy(k), difference, biased;
    u32 flipped = arith::sub(difference.limbs, opposite.limbs, k.limbs) & DIGIT_SIGN;
    arith::select(k.limbs, flipped ? 0xffffffff : 0, opposite.limbs, k.limbs);
    CUZK_UNROLL
    for (int i = 0; i < 4; i++) {
        biased.limbs[2 * i] = u32(layout.bias[i]);
        biased.limbs[2 * i + 1] = u32(layout.bias[i] >> 32);
    }
    arith::add(k.limbs, k.limbs, biased.limbs);
    const u32 first = u32(layout.first_window), wanted = u32(layout.windows);
    const u32 tables = u32(layout.tables), each = u32(layout.table_windows);
    const u32 widest = u32(layout.window_bits), wide_windows = u32(layout.wide_windows);
    const u32 last = u32(layout.all_windows) - 1;
    u32 number = 0;
    // Windows of one width, so that what depends on it is worked out once.
    auto take = [&](u32 table, u32 from, u32 to, u32 width) {
        const u32 mask = (1u << width) - 1, half = 1u << (width - 1);
        CUZK_ROLLED
        for (u32 window = from; window < to; window++, number++) {
            const i32 low = number < last ? half : 0;
            const i32 digit = i32(k.limbs[0] & mask) - low;
            CUZK_UNROLL
            for (int i = 0; i < Fr::N; i++) {
                const u32 next = i + 1 < Fr::N ? k.limbs[i + 1] : 0;
                k.limbs[i] = bits::low_word(k.limbs[i], next, width);
            }
            if (window - first >= wanted) continue;
            const u32 magnitude = digit < 0 ? -digit : digit;
            const u32 sign = (u32(digit) ^ flipped) & DIGIT_SIGN;
            emit(table, window - first, width, magnitude ? magnitude | sign : 0);
        }
    };
    const u32 wide = wide_windows < each ? wide_windows : each;
    CUZK_ROLLED
    for (u32 table = 0; table < tables; table++) {
        take(table, 0, wide, widest);
        take(table, wide, each, widest - 1);
    }
}

} // namespace cuzk::msm
