// The sum of the points of every bucket, in XYZZ coordinates.
//
// Called by: one thread for each task or part. Cost: 6M + 2S + D an entry, D = a b - c d.
#pragma once

#include "cuzk/curve/xyzz.cuh"
#include "cuzk/field/fp.cuh"
#include "cuzk/msm/order.cuh"

namespace cuzk::msm {
using curve::Affine;
using curve::Xyzz;

// An entry is the index of a point, with its top bit set where the point's opposite is meant.
// `sums` has one point a bucket, `parts` one a part. With `carried` what is in `sums` is added to.
struct AccumulateParams {
    const void *points;
    const void *entries;
    const void *state;
    const void *tasks;
    void *sums;
    void *parts;
    u64 buckets;
    u64 carried;
};

// One round of adding up the parts of split buckets, in place: part i of a bucket, for i a multiple
// of 4 `stride`, takes those at i + stride, i + 2 stride and i + 3 stride.
struct CombineParams {
    const void *state;
    const void *splits;
    void *parts;
    void *sums;
    u64 stride;
    u64 carried;
};

// Parts that become one in a round.
constexpr u32 COMBINED = 4;
// Of an entry, the index of its point.
constexpr u32 INDEX_BITS = 0x7fffffff;

// Where a running sum stands. Of G1 it is in registers. Of G2 they do not suffice for it beside a
// product: it is in memory of the thread, which the compiler gives to what is found by an index.
template <class F> constexpr u32 SUM_SLOTS = sizeof(F) > sizeof(field::Fp) ? 2 : 1;

// Task by task, one a thread. There are buckets - split buckets + parts.
template <class F> CUZK_HOST_DEVICE void accumulate(const AccumulateParams &p, u64 thread) {
    const OrderState *state = static_cast<const OrderState *>(p.state);
    if (thread >= p.buckets - state->split_buckets() + state->parts()) return;
    const SumTask task = static_cast<const SumTask *>(p.tasks)[thread];
    const u32 *entries = static_cast<const u32 *>(p.entries) + task.first;
    const Affine<F> *points = static_cast<const Affine<F> *>(p.points);
    Xyzz<F> *out = static_cast<Xyzz<F> *>(task.is_part ? p.parts : p.sums) + task.out;
    Xyzz<F> sums[SUM_SLOTS<F>];
    sums[0] = p.carried && !task.is_part ? *out : Xyzz<F>::identity();
    CUZK_ROLLED
    for (u32 i = 0; i < task.len; i++) {
        u32 entry = entries[i];
        Affine<F> point = points[entry & INDEX_BITS];
        if (entry & ~INDEX_BITS) point.y = -point.y;
        add_mixed_to(sums[(i + 1) % SUM_SLOTS<F>], sums[i % SUM_SLOTS<F>], point);
    }
    *out = sums[task.len % SUM_SLOTS<F>];
}

// The sums of four parts, or of what there is, as numbered by `leader`: D = 4 `stride` parts become
// one, so that a bucket with n parts has ceil(n / D) sums in this round. The numbers of split
// bucket s begin at floor(first_part / D) + s, where those of the bucket before have ended:
//
//     floor((first + n) / D) + s + 1 >= floor(first / D) + s + ceil(n / D)
//
// What is left of a bucket in the round that makes it one goes to `sums`, or with `carried` is added
// to what is there.
template <class F> CUZK_HOST_DEVICE void combine(const CombineParams &p, u64 leader) {
    const OrderState *state = static_cast<const OrderState *>(p.state);
    const SplitBucket *splits = static_cast<const SplitBucket *>(p.splits);
    const u64 apart = COMBINED * p.stride;
    u32 owner = 0, end = state->split_buckets();
    CUZK_ROLLED
    while (end - owner > 1) {
        u32 middle = owner + (end - owner) / 2;
        if (splits[middle].first_part / apart + middle <= leader) {
            owner = middle;
        } else {
            end = middle;
        }
    }
    const SplitBucket split = splits[owner];
    const u64 first = (leader - split.first_part / apart - owner) * apart;
    if (split.parts <= p.stride || first >= split.parts) return;
    const u64 left = split.parts - first;
    if (first > 0 && left <= p.stride) return;
    Xyzz<F> *parts = static_cast<Xyzz<F> *>(p.parts) + split.first_part + first;
    Xyzz<F> sum = parts[0];
    CUZK_ROLLED
    for (u64 k = p.stride; k < apart && k < left; k += p.stride) sum = add(sum, parts[k]);
    if (split.parts <= apart) {
        Xyzz<F> &out = static_cast<Xyzz<F> *>(p.sums)[split.bucket];
        out = p.carried ? add(out, sum) : sum;
    } else {
        parts[0] = sum;
    }
}

// The whole round, by so many threads.
template <class F>
CUZK_HOST_DEVICE void combine_all(const CombineParams &p, u64 thread, u64 threads) {
    const OrderState *state = static_cast<const OrderState *>(p.state);
    if (state->parts() == 0) return;
    const u64 leaders = state->parts() / (COMBINED * p.stride) + state->split_buckets();
    CUZK_ROLLED
    for (u64 leader = thread; leader < leaders; leader += threads) combine<F>(p, leader);
}

} // namespace cuzk::msm
