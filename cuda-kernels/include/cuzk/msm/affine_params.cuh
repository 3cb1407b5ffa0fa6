// What the host gives to the kernels of the tree. The mirrors on its side have the same names.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::msm::affine {

// The rounds that lists of fewer than 2^31 points can need, and one more.
constexpr u32 ROUNDS = 32;
// In the array of totals the pairs of each round come first, then each round's first output.
constexpr u32 FIRSTS = ROUNDS;

// Threads of a block that makes lists, and the buckets of its chunk.
constexpr u32 LIST_THREADS = 256;
constexpr u32 PER_THREAD = 8;
constexpr u32 CHUNK = LIST_THREADS * PER_THREAD;
// Pairs that a block writes.
constexpr u32 PAIRS_PER_THREAD = 8;
constexpr u32 PAIR_TILE = LIST_THREADS * PAIRS_PER_THREAD;
// Threads of a block that adds.
constexpr u32 THREADS = 128;

// A point: below n the base of that index, then the sum that a bucket brings along, if buckets do,
// and from `first_output` on an output of an earlier round. Bit 31 asks for its opposite, of bases
// only.
struct alignas(8) PairRefs {
    u32 left, right;
};

// The lists of one round, of the buckets of one part.
struct ListParams {
    // The entries of all parts: sign in bit 31, index of a base below.
    const void *entries;
    // buckets + 1 bounds in them.
    const void *offsets;
    u64 buckets;
    // Points that each bucket brings along besides its entries, 0 or 1, and the position of the one
    // of the first bucket.
    u64 carried;
    u64 first_carried;
    // Of the first bucket among those of all parts.
    u64 first_bucket;
    u64 first_output;
    // Pairs before each chunk in each round, round after round.
    void *chunk_bases;
    u64 chunks;
    // Pairs of each round; first outputs.
    void *totals;
    // The first pair of every bucket in the round before and in this one, and the end.
    const void *before;
    void *starts;
    // The bucket of the first pair of every PAIR_TILE.
    void *tiles;
    // The point of each bucket that waits for a partner; at last its sum.
    void *carries;
    void *pairs;
    // From 0.
    u64 round;
    u64 rounds;
};

// Points by their positions: n bases, then sums that buckets bring along, then outputs.
struct PointParams {
    const void *bases;
    const void *carried;
    u64 n;
    u64 first_output;
    // The sums of all rounds so far, in planes of `capacity` words of 16 bytes.
    void *outputs;
    u64 capacity;
};

// One round of additions.
struct RoundParams {
    PointParams points;
    const void *pairs;
    const void *totals;
    // Products of the denominators before each pair in its chain, in planes.
    void *prefixes;
    u64 prefix_capacity;
    // A thread's product of denominators, then its inverse; and room for the chains over them.
    void *products;
    void *chains;
    u64 product_capacity;
    u64 round;
    // The shortest and the longest chain, and the blocks up to which chains are shorter.
    u64 min_chain;
    u64 max_chain;
    u64 wanted_tiles;
    // The same for the threads that invert.
    u64 max_inverter_chain;
    u64 wanted_inverters;
};

// The sum of every bucket to an array of points, which may be that of the sums brought along.
struct CollectParams {
    PointParams points;
    const void *offsets;
    u64 buckets;
    u64 carried;
    const void *carries;
    void *sums;
};

// The buckets of windows by columns and rows. A window has 2^log_buckets places, and the first
// `wide_windows` have a bucket at each.
struct LineParams {
    // What is folded, and how much.
    void *pairs;
    void *totals;
    u64 pairs_in_all;
    // Of the lists: below `pairs_in_all` the sum of a pair, then its difference.
    void *entries;
    void *offsets;
    u64 windows;
    u64 wide_windows;
    u64 log_buckets;
    // Lists for the columns of a window, and as many for its rows.
    u64 lines;
};

// The indices of the bits that are set, ascending.
struct SelectParams {
    const void *bitmap;
    u64 bits;
    void *chunk_bases;
    u64 chunks;
    // 0 and the number of bits that are set.
    void *offsets;
    void *entries;
};

} // namespace cuzk::msm::affine
