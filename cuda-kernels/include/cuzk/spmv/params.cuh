// What the host gives to the kernels of the sparse product. The mirrors on its side have the same
// names.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::spmv {
using u16 = unsigned short;
static_assert(sizeof(u16) == 2, "short codes of coefficients");

// Lanes of a warp; columns and codes come in groups of as many.
constexpr u32 GROUP = 32;
// Rows among which the short ones are ordered by length.
constexpr u32 WINDOW = 4096;
// The slot of a lane that has no row.
constexpr u32 NO_SLOT = 0xffff;
// Words of 32 variables whose ranks are counted together.
constexpr u32 CHUNK = 32;
// Sums of integers up to this one, of either sign, have a table of elements.
constexpr u32 MAX_COUNT = 32;
// Groups of zeros that a warp writes.
constexpr u32 ZERO_GROUPS = 8;
// The entry of a coefficient that is no small integer.
constexpr u64 NOT_INTEGER = u64(1) << 63;

// The work of one warp: groups `first`, `first + 1`, ... of terms. `what` is a row, a multiple of
// WINDOW, plus the logarithm of the lanes of a row shifted by 8, plus the number of groups.
struct Item {
    u32 first;
    u32 what;
};

// A row in several pieces, whose sums are `partials[first .. first + pieces]`.
struct Join {
    u32 row;
    u32 pieces;
    u64 first;
};

// The classes of 32 variables, lowest bit first: (low, high) is (0, 0) for the value 0, (1, 0) for
// 1, (0, 1) for a small value and (1, 1) for a full one.
struct alignas(8) ClassWord {
    u32 low;
    u32 high;
};

// Where the first full and the first small value of 32 variables stand in `values`.
struct alignas(8) RankWord {
    u32 full;
    u32 small;
};

// A witness on the device.
struct WitnessView {
    const void *classes; // ClassWord for each 32 variables
    const void *ranks;   // RankWord for each 32 variables
    const void *values;  // Fr: the full values, then the small ones
};

// out[row] = sum over the terms of the row, for row < rows; zero from there to out_len.
//
// Items 0 .. pieces are pieces of rows that no item holds alone, and leave their sums in
// `partials`. Items pieces .. pieces + slices are of whole rows: of each 2^k lanes, for the k of
// the item, the first has the slot of a row. Lane l of slice s then has the row
// base + slots[GROUP s + l].
struct MultiplyParams {
    const void *columns;    // u32, GROUP in a group
    const void *codes;      // indices into dictionary and integers
    const void *dictionary; // Fr; 0 last, for places without a term
    const void *integers;   // the same as signed integers of at most 52 bits, or NOT_INTEGER
    const void *counts;     // Fr: -MAX_COUNT .. MAX_COUNT
    const void *items;      // Item
    const void *slots;      // u16
    WitnessView witness;
    void *out;
    void *partials;
    u64 pieces;
    u64 slices;
    u64 rows;
    u64 out_len;
};

// out[join.row] = sum of the partials of a join, for n joins.
struct JoinParams {
    const void *partials;
    const void *joins;
    void *out;
    u64 n;
};

// before[c] = full and small values in chunk c of `words` words of 32 variables.
struct CountParams {
    const void *low;
    const void *high;
    void *before;
    u64 words;
    u64 chunks;
};

// The counts of chunks to ranks, in place: before[c] = sum of before[0 .. c], and `first_small`
// added to the small ones.
struct ScanParams {
    void *before;
    u64 chunks;
    u64 first_small;
};

// The classes and ranks of every word.
struct RankParams {
    const void *low;
    const void *high;
    const void *before;
    void *classes;
    void *ranks;
    u64 words;
};

// values[i] = small[i], in Montgomery form.
struct SmallParams {
    const void *small; // u64
    void *values;
    u64 n;
};

// out[i] = the value of variable i, for i < n.
struct ExpandParams {
    WitnessView witness;
    void *out;
    u64 n;
};

} // namespace cuzk::spmv
