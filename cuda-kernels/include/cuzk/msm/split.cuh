// Splits the selected variables of a witness by value: the ones listed, the rest listed with their
// variables, zeros dropped.
//
// Called by: blocks of SPLIT_THREADS threads, each with one word of 32 variables; the scan by one
// block. Shared memory: SplitShared. Synchronises: after every phase.
//
// The simple algorithm:
//
//     k = 0
//     for every variable j that is selected:
//         if its class is one: ones.push(k)
//         else if it is not zero: rest.push(k), rest_variables.push(j)
//         k = k + 1
//
// The trick: a thread counts both kinds of its word in one number of two halves, a block adds its
// threads' numbers up, and a scan over the blocks gives everyone the place where it writes.
//
// Why it is right: a block has at most 2^13 variables, so that no half carries into the other; over
// the blocks the two kinds are added apart.
#pragma once

#include "cuzk/arith/bits.cuh"
#include "cuzk/block/threads.cuh"

namespace cuzk::msm {

constexpr u32 SPLIT_THREADS = 256;
static_assert(SPLIT_THREADS * 32 < 1u << 16, "the two counts of a block share a word");

// The class of variable j is (low, high), bit j mod 32 of word j / 32 of two bitmaps: (0, 0) is
// zero, (1, 0) is one, (0, 1) and (1, 1) are the rest. `before[w]` selected variables stand in the
// words before word w. `block_ones` and `block_rest` have one number a block: first its count, then
// the counts of the blocks before. `ones` has place for `max_ones`, and what is one too many is
// dropped; so with the rest.
struct SplitParams {
    const void *low;
    const void *high;
    const void *selected;
    const void *before;
    void *block_ones;
    void *block_rest;
    void *ones;
    void *rest;
    void *rest_variables;
    u64 words;
    u64 max_ones;
    u64 max_rest;
};

// `counts` has one number a block; afterwards the sum of those before it.
struct SplitScanParams {
    void *counts;
    u64 blocks;
};

using SplitBlock = block::Threads<SPLIT_THREADS>;
using SplitNumbers = block::Own<u32, SPLIT_THREADS>;

struct SplitShared {
    u32 of_warps[SPLIT_THREADS / warp::LANES];
};

// The variables of one word that are selected, and which of them are ones and rest.
struct WordClasses {
    u32 selected = 0, ones = 0, rest = 0;

    CUZK_HOST_DEVICE WordClasses(const SplitParams &p, u64 word) {
        if (word >= p.words) return;
        u32 low = static_cast<const u32 *>(p.low)[word];
        u32 high = static_cast<const u32 *>(p.high)[word];
        selected = static_cast<const u32 *>(p.selected)[word];
        ones = selected & low & ~high;
        rest = selected & high;
    }
    // Rest in the upper half, ones in the lower.
    CUZK_HOST_DEVICE u32 counts() const { return bits::count(rest) << 16 | bits::count(ones); }
};

// The last thread knows what a block has.
CUZK_HOST_DEVICE void split_count(const SplitParams &p, u64 tile, SplitShared &shared,
                                  const SplitBlock &threads) {
    SplitNumbers counts, before;
    threads.each([&](u32 t) {
        counts[t] = WordClasses(p, tile * SPLIT_THREADS + t).counts();
        before[t] = counts[t];
    });
    block::sums_before(threads, before, shared.of_warps);
    threads.each([&](u32 t) {
        if (t + 1 < SPLIT_THREADS) return;
        u32 sum = before[t] + counts[t];
        static_cast<u32 *>(p.block_ones)[tile] = sum & 0xffff;
        static_cast<u32 *>(p.block_rest)[tile] = sum >> 16;
    });
}

// Each thread takes a run of the counts.
CUZK_HOST_DEVICE void split_scan(const SplitScanParams &p, SplitShared &shared,
                                 const SplitBlock &threads) {
    u32 *counts = static_cast<u32 *>(p.counts);
    const u64 blocks = p.blocks, run = (blocks + SPLIT_THREADS - 1) / SPLIT_THREADS;
    SplitNumbers before;
    threads.each([&](u32 t) {
        before[t] = 0;
        for (u64 i = t * run; i < (t + 1) * run && i < blocks; i++) before[t] += counts[i];
    });
    block::sums_before(threads, before, shared.of_warps);
    threads.each([&](u32 t) {
        u32 sum = before[t];
        for (u64 i = t * run; i < (t + 1) * run && i < blocks; i++) {
            u32 count = counts[i];
            counts[i] = sum;
            sum += count;
        }
    });
}

CUZK_HOST_DEVICE void split_write(const SplitParams &p, u64 tile, SplitShared &shared,
                                  const SplitBlock &threads) {
    SplitNumbers before;
    threads.each(
        [&](u32 t) { before[t] = WordClasses(p, tile * SPLIT_THREADS + t).counts(); });
    block::sums_before(threads, before, shared.of_warps);
    threads.each([&](u32 t) {
        u64 word = tile * SPLIT_THREADS + t;
        if (word >= p.words) return;
        WordClasses classes(p, word);
        u64 one = static_cast<const u32 *>(p.block_ones)[tile] + (before[t] & 0xffff);
        u64 other = static_cast<const u32 *>(p.block_rest)[tile] + (before[t] >> 16);
        u32 first = static_cast<const u32 *>(p.before)[word];
        for (u32 left = classes.ones | classes.rest; left != 0; left &= left - 1) {
            u32 bit = bits::lowest(left);
            u32 k = first + bits::count(classes.selected & ((1u << bit) - 1));
            if (classes.ones >> bit & 1) {
                if (one < p.max_ones) static_cast<u32 *>(p.ones)[one] = k;
                one++;
            } else {
                if (other < p.max_rest) {
                    static_cast<u32 *>(p.rest)[other] = k;
                    static_cast<u32 *>(p.rest_variables)[other] = u32(word * 32 + bit);
                }
                other++;
            }
        }
    });
}

// out[i] = in[indices[i]], in pieces of 16 bytes, `pieces` an element: one thread a piece.
struct GatherParams {
    const void *in;
    const void *indices;
    void *out;
    u64 n;
    u64 pieces;
};

struct alignas(16) Piece {
    u32 words[4];
};

CUZK_HOST_DEVICE void gather(const GatherParams &p, u64 thread) {
    if (thread >= p.n * p.pieces) return;
    u64 i = thread / p.pieces, piece = thread % p.pieces;
    u64 from = u64(static_cast<const u32 *>(p.indices)[i]) * p.pieces + piece;
    static_cast<Piece *>(p.out)[thread] = static_cast<const Piece *>(p.in)[from];
}

} // namespace cuzk::msm
