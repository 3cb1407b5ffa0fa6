// The first half of the sort: every digit goes to its part of the buckets of its window.
//
// The simple algorithm, for one window:
//
//     for each digit: count[part of digit] += 1
//     start[part] = sum of the counts of lower parts
//     for each digit, in order: out[start[part of digit]++] = digit
//
// The trick: tiles of scalars are counted and moved by blocks on their own. With a count for each
// tile and part, the sum over lower parts and over earlier tiles of the same part is where a tile's
// digits of a part go; a block puts them together in shared memory first, and writes runs.
//
// Why it is right: within a part the order is that of the tiles, so that a digit's segment follows
// from its place; in a tile the digits of a part have any order, and carry their numbers.
#pragma once

#include "cuzk/msm/bins.cuh"

namespace cuzk::msm {

// The part of a digit that is not zero.
CUZK_HOST_DEVICE u32 part_of(u32 digit, u32 log_lows) {
    return ((digit & ~DIGIT_SIGN) - 1) >> log_lows;
}

// A scalar in two accesses: the compiler makes eight of a copy.
CUZK_HOST_DEVICE Fr load_scalar(const Fr *at) {
#ifdef __CUDA_ARCH__
    const uint4 *halves = reinterpret_cast<const uint4 *>(at);
    const uint4 low = halves[0], high = halves[1];
    return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
#else
    return *at;
#endif
}

// Writes the digits of a tile's scalars, for every table, and counts them by part. There are fewer
// than 2^32 digits.
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
        for (u32 j = thread; j < p.tile(); j += SORT_THREADS) {
            const u32 i = tile * p.tile() + j;
            if (i >= n) break;
            auto count = [&](u32 table, u32 window, u32 width, u32 digit) {
                digits[(window * tables + table) * n + i] = digit;
                if (digit == 0) return;
                const u32 part = window << log_parts | part_of(digit, width - 1 - log_parts);
                const u32 counter = table * parts + part;
                take_half(shared, counter);
            };
            scalar_digits(p.layout, load_scalar(scalars + i), count);
        }
    });
    block.each([&](u32 thread) {
        for (u32 i = thread; i < all; i += SORT_THREADS) {
            const u64 row = u64(i / parts) * p.table_tiles() + tile;
            counts[row * parts + i % parts] = half_of(shared[i / 2], i);
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

// What a block needs for a tile of up to 2^MOST_LOG_TILE digits.
template <u32 MOST_LOG_TILE> struct MoveShared {
    // The digits of the tile by part, for writing in runs, and the part of each.
    u32 values[1u << MOST_LOG_TILE];
    u16 bins[1u << MOST_LOG_TILE];
    // For each part the digits of the tile, then where its next one goes; two in a word.
    u32 counters[MOST_BINS / 2];
    // For each part what is to be added to a place in the tile.
    u32 shift[MOST_BINS];
    u32 of_warps[SORT_WARPS];
    // Digits that are not zero.
    u32 kept;
};

// Calls take(number, digit, part) for each digit of a tile that is not zero. One phase.
template <class Take>
CUZK_HOST_DEVICE void each_digit(const SortBlock &block, const u32 *digits, u32 count, u32 log_lows,
                                 const Take &take) {
    block.each([&](u32 thread) {
        CUZK_ROLLED
        for (u32 first = thread; first < count; first += SORT_BATCH * SORT_THREADS) {
            u32 batch[SORT_BATCH];
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_BATCH; j++) {
                const u32 i = first + j * SORT_THREADS;
                batch[j] = i < count ? digits[i] : 0;
            }
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_BATCH; j++) {
                if (batch[j] == 0) continue;
                take(first + j * SORT_THREADS, batch[j], part_of(batch[j], log_lows));
            }
        }
    });
}

// From the digits of each part to where in the tile its first one goes; and from there to its place
// among all.
template <u32 MOST_LOG_TILE>
CUZK_HOST_DEVICE void start_parts(const SortBlock &block, const u32 *places, u32 bins,
                                  MoveShared<MOST_LOG_TILE> &shared) {
    const u32 words = (bins + 1) / 2, run = (words + SORT_THREADS - 1) / SORT_THREADS;
    block::Own<u32, SORT_THREADS> before;
    block.each([&](u32 thread) {
        before[thread] = 0;
        for (u32 i = thread * run; i < (thread + 1) * run && i < words; i++) {
            before[thread] += half_of(shared.counters[i], 0) + half_of(shared.counters[i], 1);
        }
    });
    block::sums_before(block, before, shared.of_warps);
    block.each([&](u32 thread) {
        u32 first = before[thread];
        for (u32 i = thread * run; i < (thread + 1) * run && i < words; i++) {
            const u32 both = shared.counters[i], second = first + half_of(both, 0);
            shared.counters[i] = second << 16 | first;
            shared.shift[2 * i] = places[2 * i] - first;
            if (2 * i + 1 < bins) shared.shift[2 * i + 1] = places[2 * i + 1] - second;
            first = second + half_of(both, 1);
            if (i + 1 == words) shared.kept = first;
        }
    });
}

// Moves the digits of one tile and one window to their parts.
//
// Called by: a block for each window and tile, window by window. Shared memory: MoveShared.
template <u32 MOST_LOG_TILE>
CUZK_HOST_DEVICE void move_to_parts(const SortParams &p, u32 number, MoveShared<MOST_LOG_TILE> &shared,
                                    const SortBlock &block) {
    const u32 tiles = p.tiles(), window = number / tiles, tile = number % tiles;
    const u32 table = tile / p.table_tiles(), in_table = tile % p.table_tiles();
    const u32 log_parts = u32(p.log_parts), log_lows = p.log_lows(window), bins = 1u << log_parts;
    const u32 in_segment = (in_table % p.segment_tiles()) << p.log_tile;
    const u64 first = u64(in_table) << p.log_tile;
    const u32 count = p.n - first < p.tile() ? u32(p.n - first) : p.tile();
    const u32 *digits =
        static_cast<const u32 *>(p.digits) + (window * p.layout.tables + table) * p.n + first;
    const u32 *places =
        static_cast<const u32 *>(p.counts) + u64(tile) * p.parts() + (window << log_parts);
    u32 *moved = static_cast<u32 *>(p.moved);
    block.each([&](u32 thread) {
        for (u32 i = thread; i < (bins + 1) / 2; i += SORT_THREADS) shared.counters[i] = 0;
    });
    each_digit(block, digits, count, log_lows,
               [&](u32, u32, u32 part) { take_half(shared.counters, part); });
    start_parts(block, places, bins, shared);
    each_digit(block, digits, count, log_lows, [&](u32 own, u32 digit, u32 part) {
        const u32 place = take_half(shared.counters, part);
        const u32 low = ((digit & ~DIGIT_SIGN) - 1) & ((1u << log_lows) - 1);
        shared.values[place] = (digit & DIGIT_SIGN) | (in_segment + own) << log_lows | low;
        shared.bins[place] = u16(part);
    });
    block.each([&](u32 thread) {
        const u32 kept = shared.kept;
        for (u32 i = thread; i < kept; i += SORT_THREADS) {
            moved[shared.shift[shared.bins[i]] + i] = shared.values[i];
        }
    });
}

} // namespace cuzk::msm
