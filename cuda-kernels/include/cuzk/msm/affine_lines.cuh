// The buckets of windows as rows and columns of grids, for lists of their sums.
//
// Called by: one thread for each place of an entry and for each list.
//
// The simple algorithm, for a window with the sums S_j: add up (j + 1) S_j, two additions a bucket
// one after the other.
//
// The trick: with j = h m + l, for m = 2^log_m,
//
//     sum of (j + 1) S_j = sum over l of (l + 1) C_l + m * sum over h of h R_h
//
// where C_l is the sum of column l, and R_h that of row h. Lists of columns and of rows are sums
// like those of buckets: two additions a bucket again, but of affine points in trees. What is left
// is the same problem twice, for m and for b / m sums.
//
// A window is two windows then, of `lines` lists each: column l is list l, and row h is list h - 1,
// so that the weights of both are those of buckets. Row 0 counts nothing and has no list. The
// buckets of a window of b = 2^log_b that is not wide are the lower half of its places; the others
// have no digits, and are in no list.
#pragma once

#include "cuzk/msm/affine_params.cuh"

namespace cuzk::msm::affine {

// The entries and lists of one window.
struct Grid {
    u32 window, log_b, rows, first; // the first place of an entry

    CUZK_HOST_DEVICE Grid(const LineParams &p, u32 window)
        : window(window), log_b(u32(p.log_buckets) - u32(window >= p.wide_windows)),
          rows(1u << (log_b - u32(p.log_m))) {
        const u32 wide = window < p.wide_windows ? window : u32(p.wide_windows);
        first = wide * len(u32(p.log_buckets), u32(p.log_m)) +
                (window - wide) * len(u32(p.log_buckets) - 1, u32(p.log_m));
    }
    // Columns, and all rows but one.
    static CUZK_HOST_DEVICE u32 len(u32 log_b, u32 log_m) { return (2u << log_b) - (1u << log_m); }
};

// Place `number` of 2 windows << log_buckets: of each window the columns, then the rows.
CUZK_HOST_DEVICE void write_line_entry(const LineParams &p, u64 number) {
    const u32 log_places = u32(p.log_buckets) + 1, log_m = u32(p.log_m);
    if (number >> log_places >= p.windows) return;
    const Grid grid(p, u32(number >> log_places));
    const u32 place = u32(number) & ((1u << log_places) - 1), b = 1u << grid.log_b;
    if (place >= Grid::len(grid.log_b, log_m)) return;
    u32 bucket = place - b + (1u << log_m);
    if (place < b) {
        const u32 log_rows = grid.log_b - log_m;
        bucket = (place & (grid.rows - 1)) << log_m | place >> log_rows;
    }
    static_cast<u32 *>(p.entries)[grid.first + place] = (grid.window << p.log_buckets) + bucket;
}

// Where list `number` of 2 windows * lines starts, or after the last where it ends.
CUZK_HOST_DEVICE void write_line_offset(const LineParams &p, u64 number) {
    const u64 lists = 2 * p.windows * p.lines;
    if (number > lists) return;
    const Grid grid(p, u32(number / (2 * p.lines)));
    const u32 list = u32(number % (2 * p.lines)), lines = u32(p.lines), m = 1u << p.log_m;
    u32 offset = grid.first;
    if (list < lines) {
        offset += (list < m ? list : m) * grid.rows;
    } else {
        const u32 row = list - lines, most = grid.rows - 1;
        offset += (1u << grid.log_b) + (row < most ? row : most) * m;
    }
    static_cast<u32 *>(p.offsets)[number] = offset;
}

CUZK_HOST_DEVICE void write_lines(const LineParams &p, u64 thread) {
    write_line_entry(p, thread);
    write_line_offset(p, thread);
}

} // namespace cuzk::msm::affine
