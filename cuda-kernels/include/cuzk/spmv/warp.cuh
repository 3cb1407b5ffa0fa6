// What the lanes of a warp do together. Device only: the host's tests take the lanes one by one.
//
// Called by: all 32 lanes of a warp.
#pragma once

#include "cuzk/spmv/product.cuh"

namespace cuzk::spmv {

constexpr u32 ALL_LANES = 0xffffffff;

CUZK_DEVICE Fr shuffle_down(const Fr &value, u32 reach) {
    Fr other;
    CUZK_UNROLL
    for (int i = 0; i < Fr::N; i++) {
        other.limbs[i] = __shfl_down_sync(ALL_LANES, value.limbs[i], reach);
    }
    return other;
}

// The sum over 2^log_lanes lanes, for each so many. Result valid in: the first of them.
CUZK_DEVICE void sum_over_lanes(Partial &partial, u32 log_lanes) {
    if (log_lanes == 0) return;
    const bool sums = __any_sync(ALL_LANES, partial.has_sum);
    CUZK_ROLLED
    for (u32 reach = 1u << log_lanes >> 1; reach; reach /= 2) {
        partial.count += __shfl_down_sync(ALL_LANES, partial.count, reach);
        if (sums) partial.sum = partial.sum + shuffle_down(partial.sum, reach);
    }
    partial.has_sum = sums;
}

// out[row] = value for every lane with a row.
//
// A lane stores 16 bytes at a time, so that a lane alone would write half a sector twice. Two
// neighbours exchange halves instead: first both store the even lane's element, then both the
// odd's. The stores say that nobody reads this soon, which leaves the cache to the operands (H200,
// 2026-11: 6 to 9 us of 70 to 120).
CUZK_DEVICE void store_rows(Fr *out, u32 row, const Fr &value, u32 lane) {
    const bool odd = lane % 2;
    u32 mine[4], theirs[4];
    CUZK_UNROLL
    for (int i = 0; i < 4; i++) {
        mine[i] = odd ? value.limbs[4 + i] : value.limbs[i];
        const u32 given = odd ? value.limbs[i] : value.limbs[4 + i];
        theirs[i] = __shfl_xor_sync(ALL_LANES, given, 1);
    }
    const u32 neighbour = __shfl_xor_sync(ALL_LANES, row, 1);
    const u32 even_row = odd ? neighbour : row, odd_row = odd ? row : neighbour;
    const uint4 own = make_uint4(mine[0], mine[1], mine[2], mine[3]);
    const uint4 other = make_uint4(theirs[0], theirs[1], theirs[2], theirs[3]);
    uint4 *halves = reinterpret_cast<uint4 *>(out);
    if (even_row != NO_ROW) __stcs(halves + (2 * u64(even_row) + odd), odd ? other : own);
    if (odd_row != NO_ROW) __stcs(halves + (2 * u64(odd_row) + odd), odd ? own : other);
}

template <class Code>
CUZK_DEVICE void multiply_item(const MultiplyParams &p, u64 item, const Entry &entry,
                               const Term<Code> &term, u32 lane) {
    Partial partial = lane_sum<Code>(p, entry, term, lane);
    sum_over_lanes(partial, log_lanes_of(entry));
    // What lanes without a row hold is of no use, and must not make the others wait.
    const bool piece = item < p.pieces;
    const u32 row = row_of(entry);
    if (row == NO_ROW && !(piece && lane == 0)) partial.count = 0;
    const Fr value = finish(p, partial);
    if (piece) {
        if (lane == 0) static_cast<Fr *>(p.partials)[item] = value;
    } else {
        store_rows(static_cast<Fr *>(p.out), row, value, lane);
    }
}

// One of `warps` warps, which take the items by turns. An entry is loaded two turns before it is
// worked on, and its first term one turn before: most items have few groups, and a warp that
// waited for entry, term and class one after the other would wait most of its time.
template <class Code>
CUZK_DEVICE void multiply_warp(const MultiplyParams &p, u64 warp, u64 warps, u32 lane) {
    Entry next = entry_at(p, warp, lane), after = entry_at(p, warp + warps, lane);
    Term<Code> next_term = first_term<Code>(p, next, lane);
    CUZK_ROLLED
    for (u64 item = warp; item < p.pieces + p.slices; item += warps) {
        const Entry entry = next;
        const Term<Code> term = next_term;
        next = after;
        next_term = first_term<Code>(p, next, lane);
        after = entry_at(p, item + 2 * warps, lane);
        multiply_item<Code>(p, item, entry, term, lane);
    }
    CUZK_ROLLED
    for (u64 item = warp; item < zero_items(p); item += warps) {
        CUZK_ROLLED
        for (u32 group = 0; group < ZERO_GROUPS; group++) {
            const u32 row = zero_row(p, item, group, lane);
            store_rows(static_cast<Fr *>(p.out), row, Fr::zero(), lane);
        }
    }
}

CUZK_DEVICE void join_warp(const JoinParams &p, u64 i, u32 lane) {
    if (i >= p.n) return;
    const Join join = static_cast<const Join *>(p.joins)[i];
    Fr sum = join_lane(p, join, lane);
    CUZK_ROLLED
    for (u32 reach = GROUP / 2; reach; reach /= 2) sum = sum + shuffle_down(sum, reach);
    if (lane == 0) static_cast<Fr *>(p.out)[join.row] = sum;
}

// Variables of a warp, neighbours in neighbouring lanes.
CUZK_DEVICE void expand_warp(const ExpandParams &p, u64 i, u32 lane) {
    const Fr value = i < p.n ? variable(p, u32(i)) : Fr::zero();
    store_rows(static_cast<Fr *>(p.out), i < p.n ? u32(i) : NO_ROW, value, lane);
}

} // namespace cuzk::spmv
