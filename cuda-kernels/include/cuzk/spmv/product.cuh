// Sparse matrix times packed witness: the part of one lane.
//
// Called by: each lane of a warp; the lanes of a row then add up.
//
// The simple algorithm:
//
//     for each row:
//         out[row] = sum of dictionary[code] * witness[column] over the terms of the row
//
// The trick: rows of a window are ordered by length, and a warp takes as many neighbours as it has
// lanes for: one lane for a row of up to four terms, 2^k lanes for a row of up to 2^k times four,
// so that no lane goes through many terms while others wait. The k-th terms of all lanes lie side
// by side in memory [KHWFB14]. Of a term whose value is 0 or 1, which is nearly every one in a
// circuit of bits, nothing is multiplied: its coefficient, if it is a small integer, as nearly all
// are, is added to a sum of 64 bits, which becomes an element once a row.
//
// Why it is right: such coefficients are at most 2^52 and an item has at most 2^10 terms of a row,
// so that the sum of 64 bits keeps its sign.
#pragma once

#include "cuzk/spmv/witness.cuh"

namespace cuzk::spmv {

constexpr u32 NO_ROW = 0xffffffff;

// An item with the lane's slot, as it is in memory.
struct Entry {
    Item item;
    u32 slot;
};

CUZK_HOST_DEVICE u64 zero_items(const MultiplyParams &p) {
    constexpr u64 ZEROS = GROUP * ZERO_GROUPS;
    return (p.out_len - p.rows + ZEROS - 1) / ZEROS;
}

// Beyond the slices an entry without groups and without a row.
CUZK_HOST_DEVICE Entry entry_at(const MultiplyParams &p, u64 item, u32 lane) {
    Entry entry{{0, 0}, NO_SLOT};
    if (item < p.pieces + p.slices) entry.item = static_cast<const Item *>(p.items)[item];
    if (item >= p.pieces && item < p.pieces + p.slices) {
        entry.slot = static_cast<const u16 *>(p.slots)[(item - p.pieces) * GROUP + lane];
    }
    return entry;
}

CUZK_HOST_DEVICE u32 groups_of(const Entry &entry) { return entry.item.what & 255; }
CUZK_HOST_DEVICE u32 log_lanes_of(const Entry &entry) { return entry.item.what >> 8 & 15; }
// The row of the lane's sum, or NO_ROW.
CUZK_HOST_DEVICE u32 row_of(const Entry &entry) {
    return entry.slot == NO_SLOT ? NO_ROW : (entry.item.what & ~(WINDOW - 1)) + entry.slot;
}

// The row that a lane clears in a group of an item of zeros, or NO_ROW.
CUZK_HOST_DEVICE u32 zero_row(const MultiplyParams &p, u64 item, u32 group, u32 lane) {
    const u64 row = p.rows + (item * ZERO_GROUPS + group) * GROUP + lane;
    return row < p.out_len ? u32(row) : NO_ROW;
}

// A sum in two parts: integers by their two's complement, and elements, where there are any.
struct Partial {
    u64 count;
    Fr sum;
    bool has_sum;

    CUZK_HOST_DEVICE void add(const Fr &value) {
        sum = sum + value;
        has_sum = true;
    }
};

template <class Code> struct Term {
    u32 column;
    Code code;
};

template <class Code> CUZK_HOST_DEVICE Term<Code> term_at(const MultiplyParams &p, u64 at) {
    return {static_cast<const u32 *>(p.columns)[at], static_cast<const Code *>(p.codes)[at]};
}

template <class Code>
CUZK_HOST_DEVICE Term<Code> first_term(const MultiplyParams &p, const Entry &entry, u32 lane) {
    if (groups_of(entry) == 0) return {0, 0};
    return term_at<Code>(p, u64(entry.item.first) * GROUP + lane);
}

// The sum over the lane's terms, of which the first is given. The next term is loaded before this
// one is worked on.
template <class Code>
CUZK_HOST_DEVICE Partial lane_sum(const MultiplyParams &p, const Entry &entry, Term<Code> next,
                                  u32 lane) {
    const Witness witness(p.witness);
    const Fr *dictionary = static_cast<const Fr *>(p.dictionary);
    const u64 *integers = static_cast<const u64 *>(p.integers);
    Partial partial{0, Fr::zero(), false};
    u64 at = u64(entry.item.first) * GROUP + lane;
    const u32 groups = groups_of(entry);
    CUZK_ROLLED
    for (u32 group = 1; group <= groups; group++) {
        const Term<Code> term = next;
        if (group < groups) next = term_at<Code>(p, at += GROUP);
        const ClassWord c = witness.classes[term.column / 32];
        const u64 integer = integers[term.code];
        const bool low = c.low >> term.column % 32 & 1, high = c.high >> term.column % 32 & 1;
        if (!high && !(low && integer == NOT_INTEGER)) {
            partial.count += low ? integer : 0;
            continue;
        }
        Fr value;
        if (high) value = witness.stored(term.column, c);
        if (!high || (integer != 1 && integer != ~u64(0))) {
            const Fr coefficient = dictionary[term.code];
            value = high ? Fr::reduce_once(Fr::mul_lazy(coefficient, value)) : coefficient;
        } else if (integer != 1) {
            // Values of these classes are not zero.
            value = Fr::neg_lazy(value);
        }
        partial.add(value);
    }
    return partial;
}

// The element that a sum stands for.
CUZK_HOST_DEVICE Fr finish(const MultiplyParams &p, const Partial &partial) {
    const Fr *counts = static_cast<const Fr *>(p.counts);
    const u64 place = partial.count + MAX_COUNT;
    Fr value;
    if (place <= 2 * MAX_COUNT) {
        value = counts[place];
    } else {
        const bool negative = partial.count >> 63;
        const u64 whole = negative ? 0 - partial.count : partial.count;
        Fr limbs = Fr::zero();
        limbs.limbs[0] = u32(whole);
        limbs.limbs[1] = u32(whole >> 32);
        value = Fr::to_mont(limbs);
        if (negative) value = Fr::neg_lazy(value);
    }
    return partial.has_sum ? value + partial.sum : value;
}

// The lane's share of the partials of a row.
CUZK_HOST_DEVICE Fr join_lane(const JoinParams &p, const Join &join, u32 lane) {
    const Fr *partials = static_cast<const Fr *>(p.partials) + join.first;
    Fr sum = Fr::zero();
    CUZK_ROLLED
    for (u32 i = lane; i < join.pieces; i += GROUP) sum = sum + partials[i];
    return sum;
}

} // namespace cuzk::spmv
