// What the host gives to the kernels of the transform. The mirrors on its side have the same names.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::ntt {

// One pass: log_rows stages, at least one, of a transform of 2^log_n elements, in place. Index
// ((block * rows + row) * stride + column): the stages combine the rows of a column.
//
// `twiddles` has n elements: at m + j, for a power of two m and j < m, the twiddle of butterfly j
// of the stage whose butterflies reach over m elements. That is w^j for w of order 2 m, or its
// inverse; on a coset of shift g, times g^(n / 2 m). The table of a domain begins with the tables
// of the smaller ones (without a coset).
struct PassParams {
    const void *in;
    void *out;
    const void *twiddles;
    u64 log_n;
    u64 log_stride;
    u64 log_rows;
    // Every result is divided by 2^log_divisor, at most 32.
    u64 log_divisor;
    // Not zero where the first twiddle of every stage is one: not on a coset.
    u64 begins_with_one;
};

// table[m + j] = high[j >> log_low] * low[j mod 2^log_low] for j < m.
struct TwiddleTopParams {
    const void *high;
    const void *low;
    void *table;
    u64 m;
    u64 log_low;
};

// table[m + j] = table[2 m + j]^2 for j < m.
struct TwiddleLevelParams {
    void *table;
    u64 m;
};

// out[reverse of the lowest log_n bits of i] = in[i]; the two are the same or do not overlap.
struct ReverseParams {
    const void *in;
    void *out;
    u64 log_n;
};

// a[i] = (a[i] b[i] - c[i]) factor for i < n, without c where that is null.
struct MultiplyParams {
    void *a;
    const void *b;
    const void *c;
    u64 n;
    // As an element lies in memory.
    u32 factor[8];
};

} // namespace cuzk::ntt
