// The second half of the sort: the entries of each part by bucket, and where each bucket starts.
//
// The simple algorithm, for one part: count the entries of each bucket, sum the counts up, and move
// each entry to the next place of its bucket, as in `bins.cuh`. A block does it for a part whose
// entries are few; in shared memory, from which they are written in one run, if they have place
// there.
//
// Parts are as large as scalars make them: where all scalars are equal, every window has one part
// with all entries. So a part of more than `large_limit` entries is cut into large tiles, which are
// counted by blocks of their own, summed up by a block for each such part, and moved by blocks of
// their own again.
#pragma once

#include "cuzk/msm/bins.cuh"

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

// What a block needs for a part, but for its entries.
struct PartShared {
    // For each bucket the entries, then where its next one goes.
    u32 next[MOST_BINS];
    // For each segment, where its digits start among those moved, and its first digit's number. One
    // more: where the part ends.
    u32 segment_starts[MOST_SEGMENTS + 1];
    u32 segment_bases[MOST_SEGMENTS];
    u32 of_warps[PART_WARPS];
};

// With place for entries.
template <u32 PLACES> struct StagedPart {
    PartShared part;
    u32 entries[PLACES];
};

// Adds the entries of a range to `counts`, by bucket. One phase.
template <Bins BINS>
CUZK_HOST_DEVICE void count_buckets(const SortParams &p, const Part &part, u64 start, u64 end,
                                    u32 *counts, const PartBlock &block) {
    const u32 *moved = static_cast<const u32 *>(p.moved) + start;
    const u32 mask = part.buckets - 1, len = u32(end - start);
    block.warps([&](u32 w) {
        CUZK_ROLLED
        for (u32 first = w * warp::LANES; first < len; first += SORT_BATCH * PART_THREADS) {
            warp::Lanes<u32> bins[SORT_BATCH], places;
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_BATCH; j++) {
                warp::each([&](u32 lane) {
                    const u32 i = first + j * PART_THREADS + lane;
                    bins[j][lane] = i < len ? moved[i] & mask : NO_BIN;
                });
            }
            CUZK_UNROLL
            for (u32 j = 0; j < SORT_BATCH; j++) take_places<BINS>(counts, bins[j], places);
        }
    });
}

// Replaces the counts of buckets by where they start, which is also written for all to see.
CUZK_HOST_DEVICE void start_buckets(const SortParams &p, const Part &part, PartShared &shared,
                                    const PartBlock &block) {
    u32 *offsets = static_cast<u32 *>(p.offsets) + part.first_bucket, *counts = shared.next;
    const u32 run = (part.buckets + PART_THREADS - 1) / PART_THREADS;
    block::Own<u32, PART_THREADS> sum;
    block.each([&](u32 thread) {
        sum[thread] = 0;
        for (u32 i = thread * run; i < (thread + 1) * run && i < part.buckets; i++) {
            sum[thread] += counts[i];
        }
    });
    block::sums_before(block, sum, shared.of_warps);
    block.each([&](u32 thread) {
        u32 next = part.start + sum[thread];
        for (u32 i = thread * run; i < (thread + 1) * run && i < part.buckets; i++) {
            u32 count = counts[i];
            counts[i] = next;
            next += count;
        }
    });
    block.each([&](u32 thread) {
        for (u32 i = thread; i < part.buckets; i += PART_THREADS) offsets[i] = counts[i];
    });
}

// Reads where the segments of a part start. One phase.
CUZK_HOST_DEVICE void read_segments(const SortParams &p, u32 number, const Part &part,
                                    PartShared &shared, const PartBlock &block) {
    const u32 *before = static_cast<const u32 *>(p.segments) + number;
    const u32 segments = p.segments_in_all(), parts = p.parts();
    block.each([&](u32 thread) {
        for (u32 i = thread; i <= segments; i += PART_THREADS) {
            shared.segment_starts[i] = part.start + before[u64(i) * parts];
            if (i < segments) shared.segment_bases[i] = Segment(p, i).base;
        }
    });
}

// The segment of a place in a part, for ascending places.
struct SegmentFinder {
    u32 segment, next, base;

    CUZK_HOST_DEVICE void find(const PartShared &shared, u32 segments, u32 place) {
        segment = 0;
        CUZK_ROLLED
        for (u32 step = MOST_SEGMENTS / 2; step; step /= 2) {
            const u32 other = segment + step;
            if (other < segments && shared.segment_starts[other] <= place) segment = other;
        }
        read(shared);
    }
    CUZK_HOST_DEVICE void advance_to(const PartShared &shared, u32 place) {
        while (place >= next) {
            segment++;
            read(shared);
        }
    }

  private:
    CUZK_HOST_DEVICE void read(const PartShared &shared) {
        next = shared.segment_starts[segment + 1];
        base = shared.segment_bases[segment];
    }
};

// Calls put(place, entry) for each entry of a range, with its place among all. One phase, in which
// every warp takes a run.
template <Bins BINS, class Put>
CUZK_HOST_DEVICE void move_to_buckets(const SortParams &p, const Part &part, u64 start, u64 end,
                                      PartShared &shared, const PartBlock &block, const Put &put) {
    constexpr u32 BATCH = SORT_BATCH / 2;
    const u32 *moved = static_cast<const u32 *>(p.moved) + start;
    const u32 segments = p.segments_in_all(), mask = part.buckets - 1, len = u32(end - start);
    const u32 rows = (len + warp::LANES - 1) / warp::LANES;
    const u32 run = (rows + PART_WARPS - 1) / PART_WARPS * warp::LANES;
    block.warps([&](u32 w) {
        const u32 from = w * run, to = from + run < len ? from + run : len;
        warp::Lanes<SegmentFinder> segment;
        warp::each([&](u32 lane) { segment[lane].find(shared, segments, u32(start) + from + lane); });
        CUZK_ROLLED
        for (u32 first = from; first < to; first += BATCH * warp::LANES) {
            warp::Lanes<u32> words[BATCH];
            CUZK_UNROLL
            for (u32 j = 0; j < BATCH; j++) {
                warp::each([&](u32 lane) {
                    const u32 i = first + j * warp::LANES + lane;
                    words[j][lane] = i < to ? moved[i] : 0;
                });
            }
            CUZK_UNROLL
            for (u32 j = 0; j < BATCH; j++) {
                warp::Lanes<u32> bins, places;
                const u32 row = first + j * warp::LANES;
                warp::each([&](u32 lane) {
                    bins[lane] = row + lane < to ? words[j][lane] & mask : NO_BIN;
                });
                take_places<BINS>(shared.next, bins, places);
                warp::each([&](u32 lane) {
                    if (bins[lane] == NO_BIN) return;
                    segment[lane].advance_to(shared, u32(start) + row + lane);
                    const u32 word = words[j][lane], own = (word & ~DIGIT_SIGN) >> part.log_lows;
                    put(places[lane], (word & DIGIT_SIGN) | (segment[lane].base + own));
                });
            }
        }
    });
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
        for (u32 i = thread; i < part.buckets; i += PART_THREADS) missing[i] = end_of_window;
    }
    if (number + 1 == p.parts() && thread == 0) {
        offsets[p.layout.windows << all_bits] = starts[p.parts()];
    }
}

// Sorts a part that is not large.
//
// Called by: a block for each part. Shared memory: StagedPart.
template <u32 PLACES>
CUZK_HOST_DEVICE void sort_part(const SortParams &p, u32 number, StagedPart<PLACES> &staged,
                                const PartBlock &block) {
    const Part part(p, number);
    const u32 len = part.end - part.start;
    PartShared &shared = staged.part;
    block.each([&](u32 thread) {
        start_missing_buckets(p, part, number, thread);
        for (u32 i = thread; i < part.buckets; i += PART_THREADS) shared.next[i] = 0;
    });
    if (len > p.large_limit) return;
    read_segments(p, number, part, shared, block);
    u32 *entries = static_cast<u32 *>(p.digits);
    if (len > PLACES) {
        count_buckets<Bins::Few>(p, part, part.start, part.end, shared.next, block);
        start_buckets(p, part, shared, block);
        move_to_buckets<Bins::Few>(p, part, part.start, part.end, shared, block,
                                   [&](u32 place, u32 entry) { entries[place] = entry; });
        return;
    }
    count_buckets<Bins::Many>(p, part, part.start, part.end, shared.next, block);
    start_buckets(p, part, shared, block);
    move_to_buckets<Bins::Many>(
        p, part, part.start, part.end, shared, block,
        [&](u32 place, u32 entry) { staged.entries[place - part.start] = entry; });
    block.each([&](u32 thread) {
        for (u32 i = thread; i < len; i += PART_THREADS) {
            entries[part.start + i] = staged.entries[i];
        }
    });
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
// Called by: any number of blocks, which take turns. Shared memory: PartShared.
CUZK_HOST_DEVICE void count_large(const SortParams &p, u32 number, u32 blocks,
                                  PartShared &shared, const PartBlock &block) {
    const u32 tiles = static_cast<const WordPair *>(p.large_parts)[0].first;
    CUZK_ROLLED
    for (u32 i = number; i < tiles; i += blocks) {
        const LargeTile tile(p, static_cast<const WordPair *>(p.large_tiles)[i]);
        u32 *counts = static_cast<u32 *>(p.large_counts) + u64(i) * p.most_lows();
        block.each([&](u32 thread) {
            for (u32 k = thread; k < tile.part.buckets; k += PART_THREADS) shared.next[k] = 0;
        });
        count_buckets<Bins::Few>(p, tile.part, tile.start, tile.end, shared.next, block);
        block.each([&](u32 thread) {
            for (u32 k = thread; k < tile.part.buckets; k += PART_THREADS) {
                counts[k] = shared.next[k];
            }
        });
    }
}

// Replaces the counts of a large part's tiles by where their entries go.
//
// Called by: any number of blocks, which take turns. Shared memory: PartShared.
CUZK_HOST_DEVICE void scan_large(const SortParams &p, u32 number, u32 blocks,
                                 PartShared &shared, const PartBlock &block) {
    const WordPair *large_parts = static_cast<const WordPair *>(p.large_parts);
    CUZK_ROLLED
    for (u32 i = number; i < large_parts[0].second; i += blocks) {
        const Part part(p, large_parts[i + 1].first);
        const u64 stride = p.most_lows();
        u32 *counts = static_cast<u32 *>(p.large_counts) + large_parts[i + 1].second * stride;
        const u64 tiles = (part.end - part.start - 1) / p.large_tile + 1;
        block.each([&](u32 thread) {
            for (u32 k = thread; k < part.buckets; k += PART_THREADS) {
                u32 sum = 0;
                for (u64 tile = 0; tile < tiles; tile++) sum += counts[tile * stride + k];
                shared.next[k] = sum;
            }
        });
        start_buckets(p, part, shared, block);
        block.each([&](u32 thread) {
            for (u32 k = thread; k < part.buckets; k += PART_THREADS) {
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
// Called by: any number of blocks, which take turns. Shared memory: PartShared.
CUZK_HOST_DEVICE void move_large(const SortParams &p, u32 number, u32 blocks,
                                 PartShared &shared, const PartBlock &block) {
    const u32 tiles = static_cast<const WordPair *>(p.large_parts)[0].first;
    u32 *entries = static_cast<u32 *>(p.digits);
    CUZK_ROLLED
    for (u32 i = number; i < tiles; i += blocks) {
        const LargeTile tile(p, static_cast<const WordPair *>(p.large_tiles)[i]);
        const u32 *places = static_cast<const u32 *>(p.large_counts) + u64(i) * p.most_lows();
        block.each([&](u32 thread) {
            for (u32 k = thread; k < tile.part.buckets; k += PART_THREADS) {
                shared.next[k] = places[k];
            }
        });
        read_segments(p, tile.number, tile.part, shared, block);
        move_to_buckets<Bins::Few>(p, tile.part, tile.start, tile.end, shared, block,
                                   [&](u32 place, u32 entry) { entries[place] = entry; });
    }
}

} // namespace cuzk::msm
