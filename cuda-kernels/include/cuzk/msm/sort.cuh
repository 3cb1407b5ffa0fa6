// The second half of the sort: the entries of each part by bucket, and where each bucket starts.
//
// The simple algorithm, for one part: count the entries of each bucket, sum the counts up, and move
// the entries in order, as in `parts.cuh`. A block does it for a part whose entries are few, a tile
// at a time, and keeps where the next entry of each bucket goes.
//
// Parts are as large as scalars make them: where all scalars are equal, every window has one part
// with all entries. So a part of more than `large_limit` entries is cut into large tiles, which are
// counted by blocks of their own, summed up by a block for each such part, and moved by blocks of
// their own again.
#pragma once

#include "cuzk/arith/atomic.cuh"
#include "cuzk/msm/place.cuh"

namespace cuzk::msm {

// The buckets of a part.
struct Part {
    u32 window, log_lows, buckets;
    u32 first_bucket; // over all windows
    u32 start, end;   // of its entries

    CUZK_HOST_DEVICE Part(const SortParams &p, u32 part) {
        const u32 *starts = static_cast<const u32 *>(p.starts);
        window = part >> p.log_parts;
        log_lows = p.log_lows(window);
        buckets = 1u << log_lows;
        first_bucket = (window << (p.layout.window_bits - 1)) +
                       ((part & ((1u << p.log_parts) - 1)) << log_lows);
        start = starts[part];
        end = starts[part + 1];
    }
};

template <u32 LOG_BINS> struct SortShared {
    PlaceShared<LOG_BINS> place;
    // For each bucket, where its next entry goes.
    u32 next[1u << LOG_BINS];
    // For each segment, where its digits start among those moved, and its first digit's number. One
    // more: where the part ends.
    u32 segment_starts[MOST_SEGMENTS + 1];
    u32 segment_bases[MOST_SEGMENTS];
};

// Adds the entries of a range to `counts`, by bucket. One phase.
CUZK_HOST_DEVICE void count_buckets(const SortParams &p, const Part &part, u64 start, u64 end,
                                    u32 *counts, const SortBlock &block) {
    const u32 *moved = static_cast<const u32 *>(p.moved) + start;
    const u32 mask = part.buckets - 1, len = u32(end - start);
    block.each([&](u32 thread) {
        for (u32 first = thread; first < len; first += SORT_TILE) {
            u32 batch[SORT_ITEMS];
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_ITEMS; j++) {
                const u32 i = first + j * SORT_THREADS;
                batch[j] = i < len ? moved[i] & mask : 0;
            }
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_ITEMS; j++) {
                if (first + j * SORT_THREADS < len) arith::atomic_add(counts + batch[j], 1u);
            }
        }
    });
}

// Replaces the counts of buckets by where they start, which is also written for all to see.
CUZK_HOST_DEVICE void start_buckets(const SortParams &p, const Part &part, u32 *counts,
                                    u32 (&of_warps)[SORT_WARPS], const SortBlock &block) {
    u32 *offsets = static_cast<u32 *>(p.offsets) + part.first_bucket;
    const u32 run = (part.buckets + SORT_THREADS - 1) / SORT_THREADS;
    block::Own<u32, SORT_THREADS> sum;
    block.each([&](u32 thread) {
        sum[thread] = 0;
        for (u32 i = thread * run; i < (thread + 1) * run && i < part.buckets; i++) {
            sum[thread] += counts[i];
        }
    });
    block::sums_before(block, sum, of_warps);
    block.each([&](u32 thread) {
        u32 next = part.start + sum[thread];
        for (u32 i = thread * run; i < (thread + 1) * run && i < part.buckets; i++) {
            u32 count = counts[i];
            counts[i] = next;
            next += count;
        }
    });
    block.each([&](u32 thread) {
        for (u32 i = thread; i < part.buckets; i += SORT_THREADS) offsets[i] = counts[i];
    });
}

// Reads where the segments of a part start. One phase.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void read_segments(const SortParams &p, u32 number, const Part &part,
                                    SortShared<LOG_BINS> &shared, const SortBlock &block) {
    const u32 *before = static_cast<const u32 *>(p.segments) + number;
    const u32 segments = p.segments_in_all(), parts = p.parts();
    block.each([&](u32 thread) {
        for (u32 i = thread; i <= segments; i += SORT_THREADS) {
            shared.segment_starts[i] = part.start + before[u64(i) * parts];
            if (i < segments) shared.segment_bases[i] = Segment(p, i).base;
        }
    });
}

// The segment of a place in a part, for ascending places.
template <u32 LOG_BINS> struct SegmentFinder {
    const SortShared<LOG_BINS> &shared;
    u32 segment, next, base;

    CUZK_HOST_DEVICE SegmentFinder(const SortShared<LOG_BINS> &shared, u32 segments, u32 place)
        : shared(shared), segment(0) {
        CUZK_ROLLED
        for (u32 step = MOST_SEGMENTS / 2; step; step /= 2) {
            const u32 other = segment + step;
            if (other < segments && shared.segment_starts[other] <= place) segment = other;
        }
        read();
    }
    CUZK_HOST_DEVICE void advance_to(u32 place) {
        while (place >= next) {
            segment++;
            read();
        }
    }

  private:
    CUZK_HOST_DEVICE void read() {
        next = shared.segment_starts[segment + 1];
        base = shared.segment_bases[segment];
    }
};

// Moves the entries of a range to their buckets, a tile at a time.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void move_to_buckets(const SortParams &p, const Part &part, u64 start, u64 end,
                                      SortShared<LOG_BINS> &shared, const SortBlock &block) {
    const u32 *moved = static_cast<const u32 *>(p.moved);
    u32 *entries = static_cast<u32 *>(p.digits);
    PlaceShared<LOG_BINS> &place = shared.place;
    const u32 segments = p.segments_in_all();
    CUZK_ROLLED
    for (u64 first = start; first < end; first += SORT_TILE) {
        const u32 left = end - first < SORT_TILE ? u32(end - first) : SORT_TILE;
        OwnItems items;
        block.each([&](u32 thread) {
            clear_counters(place, part.buckets, thread);
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_ITEMS; j++) {
                const u32 i = Items::number(thread, j);
                items[thread].values[j] = i < left ? moved[first + i] : 0;
            }
            const u32 own = Items::number(thread, 0);
            SegmentFinder<LOG_BINS> segment(shared, segments, u32(first) + own);
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_ITEMS; j++) {
                const u32 i = Items::number(thread, j), word = items[thread].values[j];
                const bool there = i < left;
                if (there) segment.advance_to(u32(first) + i);
                const u32 low = word & (part.buckets - 1);
                items[thread].slots[j] = Items::slot(there ? low : part.buckets);
                items[thread].values[j] =
                    (word & DIGIT_SIGN) | (segment.base + ((word & ~DIGIT_SIGN) >> part.log_lows));
            }
        });
        block.warps([&](u32 w) { place_in_warp(place, items, w); });
        place_in_tile(place, block, part.buckets, items, [&](u32 bin, u32 count) {
            u32 next = shared.next[bin];
            shared.next[bin] = next + count;
            return next;
        });
        block.each([&](u32 thread) {
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_ITEMS; j++) {
                place.staged.values[items[thread].place(j)] = items[thread].values[j];
                place.staged.bins[items[thread].place(j)] = u16(items[thread].bin(j));
            }
        });
        block.each([&](u32 thread) {
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_ITEMS; j++) {
                const u32 i = j * SORT_THREADS + thread;
                if (i < left)
                    entries[place.shift[place.staged.bins[i]] + i] = place.staged.values[i];
            }
        });
    }
}

// Where the buckets start that a narrow window has not, as many as the part has; and the end of
// all.
CUZK_HOST_DEVICE void start_missing_buckets(const SortParams &p, const Part &part, u32 number,
                                            u32 thread) {
    const u32 *starts = static_cast<const u32 *>(p.starts);
    u32 *offsets = static_cast<u32 *>(p.offsets);
    const u32 width = p.layout.width(part.window), all_bits = u32(p.layout.window_bits) - 1;
    if (width - 1 < all_bits) {
        const u32 end_of_window = starts[(part.window + 1) << p.log_parts];
        u32 *missing = offsets + part.first_bucket + (1u << (width - 1));
        for (u32 i = thread; i < part.buckets; i += SORT_THREADS) missing[i] = end_of_window;
    }
    if (number + 1 == p.parts() && thread == 0) {
        offsets[p.layout.windows << all_bits] = starts[p.parts()];
    }
}

// Sorts a part that is not large.
//
// Called by: a block for each part.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void sort_part(const SortParams &p, u32 number, SortShared<LOG_BINS> &shared,
                                const SortBlock &block) {
    const Part part(p, number);
    const bool large = part.end - part.start > p.large_limit;
    block.each([&](u32 thread) {
        start_missing_buckets(p, part, number, thread);
        for (u32 i = thread; i < part.buckets; i += SORT_THREADS) shared.next[i] = 0;
    });
    if (large) return;
    read_segments(p, number, part, shared, block);
    count_buckets(p, part, part.start, part.end, shared.next, block);
    start_buckets(p, part, shared.next, shared.place.of_warps, block);
    move_to_buckets(p, part, part.start, part.end, shared, block);
}

// The entries of a large tile.
struct LargeTile {
    Part part;
    u32 number; // of the part
    u64 start, end;

    CUZK_HOST_DEVICE LargeTile(const SortParams &p, WordPair tile)
        : part(p, tile.first), number(tile.first) {
        start = part.start + u64(tile.second) * p.large_tile;
        end = start + p.large_tile < part.end ? start + p.large_tile : part.end;
    }
};

// Counts the entries of large tiles by bucket.
//
// Called by: any number of blocks, which take turns. Shared memory: SortShared.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void count_large(const SortParams &p, u32 number, u32 blocks,
                                  SortShared<LOG_BINS> &shared, const SortBlock &block) {
    const u32 tiles = static_cast<const WordPair *>(p.large_parts)[0].first;
    CUZK_ROLLED
    for (u32 i = number; i < tiles; i += blocks) {
        const LargeTile tile(p, static_cast<const WordPair *>(p.large_tiles)[i]);
        u32 *counts = static_cast<u32 *>(p.large_counts) + u64(i) * p.most_lows();
        block.each([&](u32 thread) {
            for (u32 k = thread; k < tile.part.buckets; k += SORT_THREADS) shared.next[k] = 0;
        });
        count_buckets(p, tile.part, tile.start, tile.end, shared.next, block);
        block.each([&](u32 thread) {
            for (u32 k = thread; k < tile.part.buckets; k += SORT_THREADS) {
                counts[k] = shared.next[k];
            }
        });
    }
}

// Replaces the counts of a large part's tiles by where their entries go.
//
// Called by: any number of blocks, which take turns. Shared memory: SortShared.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void scan_large(const SortParams &p, u32 number, u32 blocks,
                                 SortShared<LOG_BINS> &shared, const SortBlock &block) {
    const WordPair *large_parts = static_cast<const WordPair *>(p.large_parts);
    CUZK_ROLLED
    for (u32 i = number; i < large_parts[0].second; i += blocks) {
        const Part part(p, large_parts[i + 1].first);
        const u64 stride = p.most_lows();
        u32 *counts = static_cast<u32 *>(p.large_counts) + large_parts[i + 1].second * stride;
        const u64 tiles = (part.end - part.start - 1) / p.large_tile + 1;
        block.each([&](u32 thread) {
            for (u32 k = thread; k < part.buckets; k += SORT_THREADS) {
                u32 sum = 0;
                for (u64 tile = 0; tile < tiles; tile++) sum += counts[tile * stride + k];
                shared.next[k] = sum;
            }
        });
        start_buckets(p, part, shared.next, shared.place.of_warps, block);
        block.each([&](u32 thread) {
            for (u32 k = thread; k < part.buckets; k += SORT_THREADS) {
                u32 place = shared.next[k];
                for (u64 tile = 0; tile < tiles; tile++) {
                    u32 count = counts[tile * stride + k];
                    counts[tile * stride + k] = place;
                    place += count;
                }
            }
        });
    }
}

// Moves the entries of large tiles to their buckets.
//
// Called by: any number of blocks, which take turns.
template <u32 LOG_BINS>
CUZK_HOST_DEVICE void move_large(const SortParams &p, u32 number, u32 blocks,
                                 SortShared<LOG_BINS> &shared, const SortBlock &block) {
    const u32 tiles = static_cast<const WordPair *>(p.large_parts)[0].first;
    CUZK_ROLLED
    for (u32 i = number; i < tiles; i += blocks) {
        const LargeTile tile(p, static_cast<const WordPair *>(p.large_tiles)[i]);
        const u32 *places = static_cast<const u32 *>(p.large_counts) + u64(i) * p.most_lows();
        block.each([&](u32 thread) {
            for (u32 k = thread; k < tile.part.buckets; k += SORT_THREADS) {
                shared.next[k] = places[k];
            }
        });
        read_segments(p, tile.number, tile.part, shared, block);
        move_to_buckets(p, tile.part, tile.start, tile.end, shared, block);
    }
}

} // namespace cuzk::msm
