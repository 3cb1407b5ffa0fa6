// What the host gives to the kernels that sort digits by bucket, and the lengths they share.
#pragma once

#include "cuzk/msm/digits.cuh"

namespace cuzk::msm {

using u16 = unsigned short;
static_assert(sizeof(u16) == 2, "half-words");

// Of a block with a tile, and of a block with a part.
constexpr u32 SORT_THREADS = 512;
constexpr u32 PART_THREADS = 1024;
// Items of a thread that are loaded together.
constexpr u32 SORT_BATCH = 8;
// Bits of a bucket that one of the two passes goes by.
constexpr u32 MOST_LOG_BINS = 11;
constexpr u32 MOST_BINS = 1u << MOST_LOG_BINS;
constexpr u32 MOST_SEGMENTS = 128;
constexpr u32 STARTS_THREADS = 1024;
// Counters of the digits' kernel: two in each word of 48 KiB.
constexpr u32 MOST_PARTS = 24576;

// One structure for all kernels of a sort.
//
// A window has 2^(width - 1) buckets, of which 2^log_parts parts are made by their upper bits; the
// part of window w and upper bits h is w << log_parts | h. The digits of a window are those of n
// scalars for every table, one table after the other: digit t * n + i is that of the base with the
// number t * table_stride + i. They are taken in tiles of 2^log_tile that belong to one table each,
// and the tiles of each table in `table_segments` segments.
struct SortParams {
    DigitLayout layout;
    u64 log_parts;
    u64 n;
    // n scalars in Montgomery form.
    const void *scalars;
    // windows * tables * n words: the digits, window by window; in the end the sorted entries.
    void *digits;
    // tiles * parts words: the digits of each tile in each part; then their places.
    void *counts;
    // (segments + 1) * parts words: for each segment the digits before it in each part; last all.
    void *segments;
    // parts + 1 words: where each part starts.
    void *starts;
    // windows * tables * n words: the digits put into their parts. Each has its sign in the highest
    // bit, the lower bits of its bucket in the lowest, and between them its number in the segment.
    void *moved;
    // windows * 2^(window_bits - 1) + 1 words: where each bucket starts.
    void *offsets;
    // Parts of more than `large_limit` entries are cut into tiles of `large_tile`. Pairs of words:
    // first the numbers of such tiles and parts, then for each part itself and its first tile.
    void *large_parts;
    // For each such tile its part and its number there.
    void *large_tiles;
    // For each such tile the digits of each bucket, 2^(window_bits - 1 - log_parts) words.
    void *large_counts;
    u64 large_limit;
    u64 large_tile;
    u64 table_segments;
    // Bases of a table: n, or more where the scalars are some of a sum's.
    u64 table_stride;
    u64 log_tile;

    CUZK_HOST_DEVICE u32 parts() const { return u32(layout.windows) << log_parts; }
    CUZK_HOST_DEVICE u32 tile() const { return 1u << log_tile; }
    CUZK_HOST_DEVICE u32 table_tiles() const { return u32((n + tile() - 1) >> log_tile); }
    CUZK_HOST_DEVICE u32 tiles() const { return u32(layout.tables) * table_tiles(); }
    CUZK_HOST_DEVICE u32 segments_in_all() const {
        return u32(layout.tables) * u32(table_segments);
    }
    // Of a segment, but the last of a table, which may have fewer.
    CUZK_HOST_DEVICE u32 segment_tiles() const {
        return (table_tiles() + u32(table_segments) - 1) / u32(table_segments);
    }
    // Bits of a bucket below those that name its part.
    CUZK_HOST_DEVICE u32 log_lows(u32 window) const {
        return layout.width(window) - 1 - u32(log_parts);
    }
    CUZK_HOST_DEVICE u32 most_lows() const { return 1u << (layout.window_bits - 1 - log_parts); }
};

// The tiles of a segment.
struct Segment {
    u32 first, end;
    // The digit of number 0.
    u32 base;

    CUZK_HOST_DEVICE Segment(const SortParams &p, u32 segment) {
        const u32 table = segment / u32(p.table_segments),
                  in_table = segment % u32(p.table_segments);
        const u32 tiles = p.table_tiles(), each = p.segment_tiles();
        const u32 from = in_table * each < tiles ? in_table * each : tiles;
        const u32 to = from + each < tiles ? from + each : tiles;
        first = table * tiles + from;
        end = table * tiles + to;
        base = u32(table * p.table_stride) + from * p.tile();
    }
};

struct WordPair {
    u32 first, second;
};

} // namespace cuzk::msm
