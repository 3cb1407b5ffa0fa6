// Finds the places of a tile's items when they are put in order of their bins, stably.
//
// Called by: a block of SORT_THREADS threads. Shared memory: PlaceShared. Synchronises: after every
// phase.
//
// The simple algorithm, for the items i of the tile in their order:
//
//     place[i] = items of lower bins + items of the same bin before i
//
// The trick: every warp counts on its own, 32 items at a time. Each lane adds one to the counter of
// its bin, and takes what was there before: its place among the warp's items of that bin. Where
// lanes of one row have the same bin, the order in which they came to add is not known; these lanes
// see that the counter is beyond their own addition, and their places are made anew, by the order
// of lanes. Afterwards the counters of the warps for one bin, and the totals of the bins, are
// summed up in order.
//
// Why it is right: item j of lane l of warp w is item (w SORT_ITEMS + j) 32 + l of the tile, so
// that warps, then rows, then lanes are the order of the items. Of the lanes of a row with the same
// bin all but one see a counter beyond their addition, so that every such bin is found; its lanes
// have the last places that were counted. No half-word of a counter overflows: a place is below
// SORT_TILE + 1, and the counters of a bin sum up to less than that.
#pragma once

#include "cuzk/arith/atomic.cuh"
#include "cuzk/block/threads.cuh"
#include "cuzk/msm/sort_params.cuh"

namespace cuzk::msm {

using SortBlock = block::Threads<SORT_THREADS>;
constexpr u32 SORT_WARPS = SORT_THREADS / warp::LANES;

// What a thread holds of a tile: values, and for each a bin, later the place below it. Items that
// are to be left out have the bin after the last.
struct Items {
    u32 values[SORT_ITEMS];
    u32 slots[SORT_ITEMS];

    static CUZK_HOST_DEVICE u32 number(u32 thread, u32 j) {
        return (thread / warp::LANES * SORT_ITEMS + j) * warp::LANES + thread % warp::LANES;
    }
    static CUZK_HOST_DEVICE u32 slot(u32 bin) { return bin << 16; }
    CUZK_HOST_DEVICE u32 bin(u32 j) const { return slots[j] >> 16; }
    CUZK_HOST_DEVICE u32 place(u32 j) const { return slots[j] & 0xffff; }
};
using OwnItems = block::Own<Items, SORT_THREADS>;

// Items of a tile in order, for writing in runs. Takes the counters' place when they are done.
struct Staged {
    u32 values[SORT_TILE];
    u16 bins[SORT_TILE];
};

template <u32 LOG_BINS> struct PlaceShared {
    static constexpr u32 BINS = 1u << LOG_BINS;
    union {
        // Two counters in a word, for the bins and for what is left out.
        u32 counters[SORT_WARPS][BINS / 2 + 1];
        Staged staged;
    };
    // For each bin what is to be added to a place: the items before the tile's, less those of lower
    // bins in the tile.
    u32 shift[BINS + 2];
    u32 of_warps[SORT_WARPS];
    // Items that are not left out.
    u32 kept;
};

// Words of counters that are in use.
CUZK_HOST_DEVICE u32 counter_words(u32 bins) { return bins / 2 + 1; }

// The counter of a bin in its word.
CUZK_HOST_DEVICE u32 half_of(u32 word, u32 bin) { return word >> bin % 2 * 16 & 0xffff; }

template <class Shared> CUZK_HOST_DEVICE void clear_counters(Shared &shared, u32 bins, u32 thread) {
    const u32 words = counter_words(bins);
    for (u32 i = thread; i < words; i += SORT_THREADS) {
        CUZK_UNROLL
        for (u32 w = 0; w < SORT_WARPS; w++) shared.counters[w][i] = 0;
    }
}

// One row of a warp: the lanes' own places among those before and in the row, and the number of
// such items after it.
struct PlacedRow {
    warp::Lanes<u32> bins, places, counts;

    CUZK_HOST_DEVICE void count(u32 *counters) {
        warp::each([&](u32 lane) {
            const u32 bin = bins[lane];
            places[lane] = half_of(arith::atomic_add(counters + bin / 2, 1u << bin % 2 * 16), bin);
        });
        warp::sync();
        warp::each([&](u32 lane) { counts[lane] = half_of(counters[bins[lane] / 2], bins[lane]); });
        warp::sync();
    }
    // Lanes with the same bin in their order.
    CUZK_HOST_DEVICE void put_in_order() {
        warp::Lanes<u32> flags;
        warp::each([&](u32 lane) { flags[lane] = counts[lane] != places[lane] + 1; });
        u32 left = warp::ballot(flags);
        while (left) {
            const u32 bin = warp::value_of(bins, bits::lowest(left));
            warp::each([&](u32 lane) { flags[lane] = bins[lane] == bin; });
            const u32 same = warp::ballot(flags);
            warp::each([&](u32 lane) {
                if (!flags[lane]) return;
                const u32 before = bits::count(same & warp::lanes_before(lane));
                places[lane] = counts[lane] - bits::count(same) + before;
            });
            left &= ~same;
        }
    }
};

// The items of warp w: their places among the warp's items of the same bin.
template <class Shared>
CUZK_HOST_DEVICE void place_in_warp(Shared &shared, OwnItems &items, u32 w) {
    constexpr u32 TOGETHER = 4;
    CUZK_UNROLL
    for (u32 first = 0; first < SORT_ITEMS; first += TOGETHER) {
        PlacedRow rows[TOGETHER];
        CUZK_UNROLL
        for (u32 j = 0; j < TOGETHER; j++) {
            warp::each([&](u32 lane) {
                rows[j].bins[lane] = items[w * warp::LANES + lane].bin(first + j);
            });
            rows[j].count(shared.counters[w]);
        }
        CUZK_UNROLL
        for (u32 j = 0; j < TOGETHER; j++) {
            rows[j].put_in_order();
            warp::each([&](u32 lane) {
                items[w * warp::LANES + lane].slots[first + j] += rows[j].places[lane];
            });
        }
    }
}

// A bin's items begin at place `first`: notes how far from there to where they go.
template <class Shared, class Start>
CUZK_HOST_DEVICE void settle(Shared &shared, u32 bins, u32 bin, u32 first, u32 count,
                             const Start &start) {
    if (bin < bins) shared.shift[bin] = start(bin, count) - first;
    if (bin == bins) shared.kept = first;
}

// Completes the places in the tile. start(bin, count) is where the tile's items of a bin go.
template <class Shared, class Start>
CUZK_HOST_DEVICE void place_in_tile(Shared &shared, const SortBlock &block, u32 bins,
                                    OwnItems &items, const Start &start) {
    const u32 words = counter_words(bins), run = (words + SORT_THREADS - 1) / SORT_THREADS;
    block::Own<u32, SORT_THREADS> before;
    block.each([&](u32 thread) {
        before[thread] = 0;
        for (u32 i = thread * run; i < (thread + 1) * run && i < words; i++) {
            u32 both = 0;
            CUZK_UNROLL
            for (u32 w = 0; w < SORT_WARPS; w++) {
                u32 more = shared.counters[w][i];
                shared.counters[w][i] = both;
                both += more;
            }
            shared.shift[2 * i] = both & 0xffff;
            shared.shift[2 * i + 1] = both >> 16;
            before[thread] += (both & 0xffff) + (both >> 16);
        }
    });
    block::sums_before(block, before, shared.of_warps);
    block.each([&](u32 thread) {
        u32 first = before[thread];
        for (u32 i = thread * run; i < (thread + 1) * run && i < words; i++) {
            const u32 second = first + shared.shift[2 * i];
            const u32 next = second + shared.shift[2 * i + 1];
            CUZK_UNROLL
            for (u32 w = 0; w < SORT_WARPS; w++) shared.counters[w][i] += second << 16 | first;
            settle(shared, bins, 2 * i, first, second - first, start);
            settle(shared, bins, 2 * i + 1, second, next - second, start);
            first = next;
        }
    });
    block.each([&](u32 thread) {
        const u32 *counters = shared.counters[thread / warp::LANES];
        CUZK_UNROLL
        for (u32 j = 0; j < SORT_ITEMS; j++) {
            const u32 bin = items[thread].bin(j);
            items[thread].slots[j] += half_of(counters[bin / 2], bin);
        }
    });
}

} // namespace cuzk::msm
