// The first half of the sort: every digit goes to its part of the buckets of its window.
//
// The simple algorithm, for one window:
//
//     for each digit: count[part of digit] += 1
//     start[part] = sum of the counts of lower parts
//     for each digit, in order: out[start[part of digit]++] = digit
//
// The trick: tiles of SORT_TILE scalars are counted and moved by blocks on their own. With a count
// for each tile and part, the sum over lower parts and over earlier tiles of the same part is where
// a tile's digits of a part go; a block puts them in order in shared memory first, and writes runs.
//
// Why it is right: within a part the order is that of the tiles, and in a tile that of the items.
#pragma once

#include "cuzk/arith/atomic.cuh"
#include "cuzk/msm/place.cuh"

namespace cuzk::msm {

// The part of a digit that is not zero.
CUZK_HOST_DEVICE u32 part_of(u32 digit, u32 log_lows) {
    return ((digit & ~DIGIT_SIGN) - 1) >> log_lows;
}

// Writes the digits of a tile's scalars, for every table, and counts them by part.
//
// Called by: a block for each tile of a table. Shared memory: a half-word for each part and table.
CUZK_HOST_DEVICE void write_digits(const SortParams &p, u32 tile, u32 *shared,
                                   const SortBlock &block) {
    const u32 parts = p.parts(), tables = u32(p.layout.tables), all = tables * parts;
    const u32 n = u32(p.n), log_parts = u32(p.log_parts);
    const Fr *scalars = static_cast<const Fr *>(p.scalars);
    u32 *digits = static_cast<u32 *>(p.digits), *counts = static_cast<u32 *>(p.counts);
    block.each([&](u32 thread) {
        for (u32 i = thread; i < (all + 1) / 2; i += SORT_THREADS) shared[i] = 0;
    });
    block.each([&](u32 thread) {
        CUZK_ROLLED
        for (u32 j = 0; j < SORT_ITEMS; j++) {
            const u64 i = u64(tile) * SORT_TILE + j * SORT_THREADS + thread;
            if (i >= p.n) break;
            auto count = [&](u32 table, u32 window, u32 width, u32 digit) {
                digits[u64(window * tables + table) * n + i] = digit;
                if (digit == 0) return;
                const u32 part = window << log_parts | part_of(digit, width - 1 - log_parts);
                const u32 counter = table * parts + part;
                arith::atomic_add(shared + counter / 2, 1u << 16 * (counter % 2));
            };
            scalar_digits(p.layout, scalars[i], count);
        }
    });
    block.each([&](u32 thread) {
        for (u32 i = thread; i < all; i += SORT_THREADS) {
            const u64 row = u64(i / parts) * p.table_tiles() + tile;
            counts[row * parts + i % parts] = shared[i / 2] >> 16 * (i % 2) & 0xffff;
        }
    });
}

// The counts become places in four steps. First, those of a part are added up over each segment of
// tiles.
//
// Called by: a thread for each segment and part.
CUZK_HOST_DEVICE void count_segments(const SortParams &p, u64 thread) {
    const u32 parts = p.parts(), number = u32(thread / parts), part = u32(thread % parts);
    if (number >= p.segments_in_all()) return;
    const Segment segment(p, number);
    const u32 *counts = static_cast<const u32 *>(p.counts) + part;
    u32 sum = 0;
    for (u64 tile = segment.first; tile < segment.end; tile++) sum += counts[tile * parts];
    static_cast<u32 *>(p.segments)[u64(number) * parts + part] = sum;
}

// Second, over the segments before, and in the last row over all.
//
// Called by: a thread for each part.
CUZK_HOST_DEVICE void scan_segments(const SortParams &p, u64 part) {
    constexpr u32 BATCH = 16;
    const u32 parts = p.parts(), segments = p.segments_in_all();
    if (part >= parts) return;
    u32 *row = static_cast<u32 *>(p.segments) + part;
    u32 sum = 0;
    CUZK_ROLLED
    for (u32 first = 0; first < segments; first += BATCH) {
        u32 counts[BATCH];
        CUZK_UNROLL
        for (u32 i = 0; i < BATCH; i++) {
            counts[i] = first + i < segments ? row[u64(first + i) * parts] : 0;
        }
        CUZK_UNROLL
        for (u32 i = 0; i < BATCH; i++) {
            if (first + i < segments) row[u64(first + i) * parts] = sum;
            sum += counts[i];
        }
    }
    row[u64(segments) * parts] = sum;
}

struct StartsShared {
    u32 of_warps[STARTS_THREADS / warp::LANES];
};

// Third, over the parts before; and large parts are cut into tiles.
//
// Called by: one block of STARTS_THREADS threads, each with a run of parts.
CUZK_HOST_DEVICE void find_starts(const SortParams &p, StartsShared &shared,
                                  const block::Threads<STARTS_THREADS> &block) {
    const u32 parts = p.parts(), run = (parts + STARTS_THREADS - 1) / STARTS_THREADS;
    const u32 *counts = static_cast<const u32 *>(p.segments) + u64(p.segments_in_all()) * parts;
    u32 *starts = static_cast<u32 *>(p.starts);
    WordPair *large_parts = static_cast<WordPair *>(p.large_parts);
    WordPair *large_tiles = static_cast<WordPair *>(p.large_tiles);
    const u32 limit = u32(p.large_limit), tile = u32(p.large_tile);
    auto tiles_of = [&](u32 count) { return count > limit ? (count - 1) / tile + 1 : 0; };
    block::Own<u32, STARTS_THREADS> entries, tiles, large;
    block.each([&](u32 thread) {
        entries[thread] = tiles[thread] = large[thread] = 0;
        for (u32 part = thread * run; part < (thread + 1) * run && part < parts; part++) {
            u32 count = counts[part];
            entries[thread] += count;
            tiles[thread] += tiles_of(count);
            large[thread] += count > limit;
        }
    });
    block::sums_before(block, entries, shared.of_warps);
    block::sums_before(block, tiles, shared.of_warps);
    block::sums_before(block, large, shared.of_warps);
    block.each([&](u32 thread) {
        u32 start = entries[thread], first = tiles[thread], number = large[thread];
        for (u32 part = thread * run; part < (thread + 1) * run && part < parts; part++) {
            const u32 count = counts[part];
            starts[part] = start;
            start += count;
            if (count <= limit) continue;
            large_parts[++number] = {part, first};
            for (u32 i = 0; i < tiles_of(count); i++) large_tiles[first++] = {part, i};
        }
        if (thread + 1 == STARTS_THREADS) {
            starts[parts] = start;
            large_parts[0] = {first, number};
        }
    });
}

// Fourth, all of it for each tile.
//
// Called by: a thread for each segment and part.
CUZK_HOST_DEVICE void find_places(const SortParams &p, u64 thread) {
    const u32 parts = p.parts(), number = u32(thread / parts), part = u32(thread % parts);
    if (number >= p.segments_in_all()) return;
    const Segment segment(p, number);
    u32 *counts = static_cast<u32 *>(p.counts) + part;
    u32 place = static_cast<const u32 *>(p.starts)[part] +
                static_cast<const u32 *>(p.segments)[u64(number) * parts + part];
    const u64 end = segment.end;
    constexpr u32 BATCH = 8;
    for (u64 tile = segment.first; tile < end; tile += BATCH) {
        u32 batch[BATCH];
        CUZK_UNROLL
        for (u32 i = 0; i < BATCH; i++) {
            batch[i] = tile + i < end ? counts[(tile + i) * parts] : 0;
        }
        CUZK_UNROLL
        for (u32 i = 0; i < BATCH; i++) {
            if (tile + i < end) counts[(tile + i) * parts] = place;
            place += batch[i];
        }
    }
}

// Moves the digits of one tile and one window to their parts.
//
// Called by: a block for each window and tile, window by window.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void move_to_parts(const SortParams &p, u32 number, PlaceShared<LOG_BINS> &shared,
                                    const SortBlock &block) {
    const u32 tiles = p.tiles(), window = number / tiles, tile = number % tiles;
    const u32 table = tile / p.table_tiles(), in_table = tile % p.table_tiles();
    const u32 log_parts = u32(p.log_parts), log_lows = p.log_lows(window), bins = 1u << log_parts;
    const u32 in_segment = in_table % p.segment_tiles() * SORT_TILE;
    const u64 first = u64(in_table) * SORT_TILE;
    const u32 left = p.n - first < SORT_TILE ? u32(p.n - first) : SORT_TILE;
    const u32 *digits =
        static_cast<const u32 *>(p.digits) + (window * p.layout.tables + table) * p.n + first;
    const u32 *places =
        static_cast<const u32 *>(p.counts) + u64(tile) * p.parts() + (window << log_parts);
    u32 *moved = static_cast<u32 *>(p.moved);
    OwnItems items;
    block.each([&](u32 thread) {
        clear_counters(shared, bins, thread);
        CUZK_UNROLL
        for (u32 j = 0; j < SORT_ITEMS; j++) {
            const u32 i = Items::number(thread, j);
            items[thread].values[j] = i < left ? digits[i] : 0;
        }
        CUZK_UNROLL
        for (u32 j = 0; j < SORT_ITEMS; j++) {
            u32 digit = items[thread].values[j];
            items[thread].slots[j] = Items::slot(digit ? part_of(digit, log_lows) : bins);
        }
    });
    block.warps([&](u32 w) { place_in_warp(shared, items, w); });
    place_in_tile(shared, block, bins, items, [&](u32 bin, u32) { return places[bin]; });
    block.each([&](u32 thread) {
        CUZK_UNROLL
        for (u32 j = 0; j < SORT_ITEMS; j++) {
            const u32 digit = items[thread].values[j], place = items[thread].place(j);
            const u32 low = ((digit & ~DIGIT_SIGN) - 1) & ((1u << log_lows) - 1);
            const u32 own = in_segment + Items::number(thread, j);
            shared.staged.values[place] = (digit & DIGIT_SIGN) | own << log_lows | low;
            shared.staged.bins[place] = u16(items[thread].bin(j));
        }
    });
    block.each([&](u32 thread) {
        CUZK_UNROLL
        for (u32 j = 0; j < SORT_ITEMS; j++) {
            const u32 i = j * SORT_THREADS + thread;
            if (i < shared.kept)
                moved[shared.shift[shared.staged.bins[i]] + i] = shared.staged.values[i];
        }
    });
}

} // namespace cuzk::msm
