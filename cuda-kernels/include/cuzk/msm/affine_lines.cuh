// The buckets of windows as grids, for sums of their rows and columns.
//
// Called by: one thread for each pair of a fold; one for each place of an entry and for each list.
//
// The simple algorithm, for a window with the sums S_w: add up w S_w, two additions a bucket one
// after the other.
//
// The trick: with w = h m + i for an odd m = 2 c + 1 and -c <= i <= c,
//
//     sum of w S_w = m * sum over h of h R_h + sum over i > 0 of i (C_i - C_-i)
//
// where R_h is the sum of row h, and C_i that of column i. Both take the grid folded at its middle
// column: a pair S_(h m + i), S_(h m - i) goes to its row as the sum and to its column as the
// difference, and the two share an inversion (`affine_fold.cuh`). What is left of either is half
// a grid of lists, sums like those of buckets, and then the same problem twice for c sums.
//
// A window is two windows then, of c lists each: column i is list i - 1, and row h is list h - 1,
// so that the weights of both are those of buckets. Row 0 counts nothing and has no list. The
// middle of a row is a pair with nothing. The buckets of a window of b = 2^log_b that is not wide
// are the lower half of its places; the others have no digits, and are in no pair.
#pragma once

#include "cuzk/msm/affine_params.cuh"

namespace cuzk::msm::affine {

// The pairs and entries of one window.
struct Grid {
    u32 window, half, buckets, rows; // c; rows without row 0
    u32 first_pair, first_entry;

    CUZK_HOST_DEVICE Grid(const LineParams &p, u32 window)
        : window(window), half(u32(p.lines)), buckets(buckets_of(p, window)),
          rows(rows_of(buckets, half)) {
        const u32 wide = window < p.wide_windows ? window : u32(p.wide_windows);
        const u32 narrow = window - wide, rows_of_wide = rows_of(1u << p.log_buckets, half),
                  rows_of_narrow = rows_of((1u << p.log_buckets) / 2, half);
        first_pair = wide * pairs_of(rows_of_wide, half) + narrow * pairs_of(rows_of_narrow, half);
        first_entry =
            wide * entries_of(rows_of_wide, half) + narrow * entries_of(rows_of_narrow, half);
    }
    CUZK_HOST_DEVICE u32 pairs() const { return pairs_of(rows, half); }
    CUZK_HOST_DEVICE u32 entries() const { return entries_of(rows, half); }

    static CUZK_HOST_DEVICE u32 buckets_of(const LineParams &p, u32 window) {
        return (1u << p.log_buckets) >> u32(window >= p.wide_windows);
    }
    static CUZK_HOST_DEVICE u32 rows_of(u32 buckets, u32 half) {
        return (buckets + half) / (2 * half + 1);
    }
    // Of every row with row 0: the middle, and a pair for each column beside it.
    static CUZK_HOST_DEVICE u32 pairs_of(u32 rows, u32 half) { return (rows + 1) * (half + 1); }
    // Differences of columns, and sums of rows.
    static CUZK_HOST_DEVICE u32 entries_of(u32 rows, u32 half) {
        return half * (rows + 1) + rows * (half + 1);
    }
};

// Pair `number` of as many for each window as a wide one has; and how many there are.
CUZK_HOST_DEVICE void write_fold_pair(const LineParams &p, u64 number) {
    if (number == 0) {
        u32 *totals = static_cast<u32 *>(p.totals);
        totals[0] = u32(p.pairs_in_all);
        totals[FIRSTS] = 0;
    }
    const u32 each = Grid::pairs_of(Grid::rows_of(1u << p.log_buckets, u32(p.lines)), u32(p.lines));
    if (number / each >= p.windows) return;
    const Grid grid(p, u32(number / each));
    const u32 place = u32(number % each);
    if (place >= grid.pairs()) return;
    const u32 absent = u32(p.windows) << p.log_buckets;
    const u32 beside = place % (grid.half + 1), row = place / (grid.half + 1);
    const u32 middle = row * (2 * grid.half + 1);
    auto ref = [&](u32 weight) { // from 1; more than all below zero
        return weight - 1 < grid.buckets ? (grid.window << p.log_buckets) + weight - 1 : absent;
    };
    const u32 left = ref(middle + beside), right = beside ? ref(middle - beside) : absent;
    static_cast<PairRefs *>(p.pairs)[grid.first_pair + place] = {left, right};
}

// Entry `number` of as many for each window as a wide one has: the columns, then the rows.
CUZK_HOST_DEVICE void write_line_entry(const LineParams &p, u64 number) {
    const u32 each =
        Grid::entries_of(Grid::rows_of(1u << p.log_buckets, u32(p.lines)), u32(p.lines));
    if (number / each >= p.windows) return;
    const Grid grid(p, u32(number / each));
    const u32 place = u32(number % each), of_columns = grid.half * (grid.rows + 1);
    if (place >= grid.entries()) return;
    u32 pair = place - of_columns + grid.half + 1;
    if (place < of_columns) {
        const u32 row = place % (grid.rows + 1), column = place / (grid.rows + 1) + 1;
        pair = u32(p.pairs_in_all) + row * (grid.half + 1) + column;
    }
    static_cast<u32 *>(p.entries)[grid.first_entry + place] = grid.first_pair + pair;
}

// Where list `number` of 2 windows * lines starts, or after the last where it ends.
CUZK_HOST_DEVICE void write_line_offset(const LineParams &p, u64 number) {
    const u64 lists = 2 * p.windows * p.lines;
    if (number > lists) return;
    const Grid grid(p, u32(number / (2 * p.lines)));
    const u32 list = u32(number % (2 * p.lines)), of_column = grid.rows + 1;
    u32 offset = grid.first_entry;
    if (list < grid.half) {
        offset += list * of_column;
    } else {
        const u32 row = list - grid.half;
        offset += grid.half * of_column + (row < grid.rows ? row : grid.rows) * (grid.half + 1);
    }
    static_cast<u32 *>(p.offsets)[number] = offset;
}

CUZK_HOST_DEVICE void write_lines(const LineParams &p, u64 thread) {
    write_fold_pair(p, thread);
    write_line_entry(p, thread);
    write_line_offset(p, thread);
}

} // namespace cuzk::msm::affine
