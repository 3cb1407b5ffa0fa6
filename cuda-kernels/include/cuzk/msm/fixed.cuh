// Many scalars times one point, by a table of its multiples [BGMW92].
//
// Called by: one thread for some entries, or some scalars.
//
//     scalar = sum of digit[w] 2^place(w) over the windows
//     scalar P = sum of sign(digit[w]) row w [|digit[w]|]
//
// Entry d - 1 of row w is d 2^place(w) P for d = 1 .. 2^(width - 1); the rows lie one after the
// other. Digits are those of "digits.cuh", whose scalars stand for their residues: P is of the
// subgroup of order r.
#pragma once

#include "cuzk/curve/normalize.cuh"
#include "cuzk/msm/accumulate.cuh"
#include "cuzk/msm/digits.cuh"

namespace cuzk::msm {

// Where the row of a window begins: those of the lowest `wide` windows are twice as long.
CUZK_HOST_DEVICE u64 row_start(u64 window, u64 window_bits, u64 wide) {
    const u64 short_rows = window < wide ? 0 : window - wide;
    return (window << (window_bits - 1)) - (short_rows << (window_bits - 2));
}

// Points that share an inversion [Montgomery87].
constexpr u32 FIXED_BATCH = 8;

// Doubles the part of the first `rows` rows that is there: after the 2^log_m multiples come as many
// more, each the sum of the last and one of the others.
struct FixedExtendParams {
    void *table;
    u64 window_bits;
    u64 wide_windows;
    u64 rows;
    u64 log_m;
};

// Cost: 5M + 2S + D an entry, and its way to affine coordinates.
template <class F> CUZK_HOST_DEVICE void fixed_extend(const FixedExtendParams &p, u64 thread) {
    const u64 n = p.rows << p.log_m, threads = (n + FIXED_BATCH - 1) / FIXED_BATCH;
    if (thread >= threads) return;
    const u64 m = u64(1) << p.log_m;
    auto row_of = [&](u64 i) {
        const u64 start = row_start(i >> p.log_m, p.window_bits, p.wide_windows);
        return static_cast<Affine<F> *>(p.table) + start;
    };
    Xyzz<F> points[FIXED_BATCH];
    CUZK_ROLLED
    for (u32 k = 0; k < FIXED_BATCH; k++) {
        const u64 i = thread + k * threads;
        Xyzz<F> sum = Xyzz<F>::identity();
        if (i < n) {
            const Affine<F> *row = row_of(i);
            add_mixed_to(sum, Xyzz<F>::from(row[m - 1]), row[i & (m - 1)]);
        }
        points[k] = sum;
    }
    curve::normalize<F, FIXED_BATCH>([&](u32 k) { return points[k]; },
                                     [&](u32 k, const Affine<F> &affine) {
                                         const u64 i = thread + k * threads;
                                         if (i < n) row_of(i)[m + (i & (m - 1))] = affine;
                                     });
}

// out[i] = scalars[i] P for i < n. The layout has one table and wants all its windows.
struct FixedMultiplyParams {
    const void *table;
    const void *scalars;
    void *out;
    u64 n;
    DigitLayout layout;
};

// The most windows: with four bits each.
constexpr u32 FIXED_WINDOWS = 64;

// Cost: 6M + 2S + D a window.
template <class F>
CUZK_HOST_DEVICE void fixed_multiple(Xyzz<F> &out, const FixedMultiplyParams &p, const Fr &scalar) {
    u32 digits[FIXED_WINDOWS];
    scalar_digits(p.layout, scalar,
                  [&](u32, u32 window, u32, u32 digit) { digits[window] = digit; });
    const Affine<F> *row = static_cast<const Affine<F> *>(p.table);
    Xyzz<F> sums[SUM_SLOTS<F>];
    sums[0] = Xyzz<F>::identity();
    u32 added = 0;
    CUZK_ROLLED
    for (u32 window = 0; window < u32(p.layout.windows); window++) {
        const u32 digit = digits[window];
        if (digit != 0) {
            Affine<F> point = row[(digit & ~DIGIT_SIGN) - 1];
            if (digit & DIGIT_SIGN) point.y = -point.y;
            add_mixed_to(sums[(added + 1) % SUM_SLOTS<F>], sums[added % SUM_SLOTS<F>], point);
            added++;
        }
        row += u64(1) << (p.layout.width(window) - 1);
    }
    out = sums[added % SUM_SLOTS<F>];
}

template <class F> CUZK_HOST_DEVICE void fixed_multiply(const FixedMultiplyParams &p, u64 thread) {
    const u64 threads = (p.n + FIXED_BATCH - 1) / FIXED_BATCH;
    if (thread >= threads) return;
    const Fr *scalars = static_cast<const Fr *>(p.scalars);
    Xyzz<F> points[FIXED_BATCH];
    CUZK_ROLLED
    for (u32 k = 0; k < FIXED_BATCH; k++) {
        const u64 i = thread + k * threads;
        points[k] = Xyzz<F>::identity();
        if (i < p.n) fixed_multiple(points[k], p, scalars[i]);
    }
    curve::normalize<F, FIXED_BATCH>([&](u32 k) { return points[k]; },
                                     [&](u32 k, const Affine<F> &affine) {
                                         const u64 i = thread + k * threads;
                                         if (i < p.n) static_cast<Affine<F> *>(p.out)[i] = affine;
                                     });
}

} // namespace cuzk::msm
