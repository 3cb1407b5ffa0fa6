// What the host gives to the kernels of the transform. The mirrors on its side have the same names.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::ntt {

// One pass: log_rows stages of a transform of 2^log_n elements, in place. Index
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
    // An element by which every result is multiplied, or null.
    const void *scale;
    u64 log_n;
    u64 log_stride;
    u64 log_rows;
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

} // namespace cuzk::ntt
