// Counting items by bin, and a place for each among those of its bin.
//
// The simple algorithm, for the items of a block:
//
//     for each item: count[bin of item] += 1
//     next[bin] = sum of the counts of lower bins
//     for each item: place of item = next[bin of item]++
//
// Threads add to the counters as they come: which item of a bin comes first is not known, only that
// no two have the same place.
#pragma once

#include "cuzk/arith/atomic.cuh"
#include "cuzk/block/threads.cuh"
#include "cuzk/msm/sort_params.cuh"

namespace cuzk::msm {

using SortBlock = block::Threads<SORT_THREADS>;
constexpr u32 SORT_WARPS = SORT_THREADS / warp::LANES;
using PartBlock = block::Threads<PART_THREADS>;
constexpr u32 PART_WARPS = PART_THREADS / warp::LANES;

// Of a lane that has no item.
constexpr u32 NO_BIN = 0xffffffff;

// How likely it is that all lanes of a row have the same bin.
enum class Bins { Many, Few };

// Adds to the counter of each lane's bin, and gives the lanes numbers from what was there on. Where
// few bins are likely, and the lanes have but one, one lane adds for all.
//
// Called by: all lanes of a warp.
template <Bins BINS>
CUZK_HOST_DEVICE void take_places(u32 *counters, const warp::Lanes<u32> &bins,
                                  warp::Lanes<u32> &places) {
    if constexpr (BINS == Bins::Few) {
        warp::Lanes<u32> flags;
        warp::each([&](u32 lane) { flags[lane] = bins[lane] != NO_BIN; });
        const u32 there = warp::ballot(flags);
        if (there == 0) return;
        const u32 leader = bits::lowest(there), bin = warp::value_of(bins, leader);
        warp::each([&](u32 lane) { flags[lane] = bins[lane] == bin; });
        if (warp::ballot(flags) == there) {
            warp::each([&](u32 lane) {
                if (lane == leader) places[lane] = arith::atomic_add(counters + bin, bits::count(there));
            });
            const u32 first = warp::value_of(places, leader);
            warp::each([&](u32 lane) {
                places[lane] = first + bits::count(there & warp::lanes_before(lane));
            });
            return;
        }
    }
    warp::each([&](u32 lane) {
        if (bins[lane] != NO_BIN) places[lane] = arith::atomic_add(counters + bins[lane], 1u);
    });
}

// The counter of a bin, where two share a word.
CUZK_HOST_DEVICE u32 half_of(u32 word, u32 bin) { return word >> bin % 2 * 16 & 0xffff; }

// Adds one to it, and gives what was there before.
CUZK_HOST_DEVICE u32 take_half(u32 *counters, u32 bin) {
    return half_of(arith::atomic_add(counters + bin / 2, 1u << bin % 2 * 16), bin);
}

} // namespace cuzk::msm
