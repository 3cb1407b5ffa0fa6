// From the sums of the buckets of a window to the window's point, sum of (j + 1) S_j.
//
// Called by: one thread for each segment or pair; the last step by a block for each window.
//
// The simple algorithm, two additions a bucket:
//
//     run = acc = 0
//     for j from the last to the first:
//         run += S_j
//         acc += run
//
// The trick, for many threads: a thread does so with a segment of m = 2^log_m buckets, and the
// window's point is the sum of all acc, plus m times the sum of t run_t over its segments t. For
// that sum take the totals of neighbours, run_2t + run_2t+1: it is twice the same sum over these,
// plus the sum of the odd ones. So halve the list of totals until one is left, and set the odd ones
// of every halving aside as a list to be added up. As all lists are halved together, log2 of their
// first length halvings leave one point of each:
//
//     window = acc + m (odd_0 + 2 odd_1 + 4 odd_2 + ...)
//
// Cost: 2 additions a bucket; 3 for each segment in the halvings, of which the first are wide and
// the last short; then log_m + log2(segments) doublings at most in one thread.
#pragma once

#include "cuzk/curve/xyzz.cuh"

namespace cuzk::msm {
using curve::Affine;
using curve::Xyzz;

// `sums` has `segments` times 2^log_m points, window after window. `lists` gets two lists of so
// many points as there are segments: the weighted sums acc, and the totals run.
struct SegmentParams {
    const void *sums;
    void *lists;
    u64 segments;
    u64 log_m;
};

// `in` has `in_lists` lists of 2 `pairs` points each, window after window: the acc, then the odd
// ones of every halving, then the totals. `out` gets one list more, of `pairs` points each.
struct HalveParams {
    const void *in;
    void *out;
    u64 pairs;
    u64 in_lists;
};

// `lists` has `lists_len` lists, acc and the odd ones, of one point a window; `out` gets one point
// a window.
struct FinishParams {
    const void *lists;
    void *out;
    u64 windows;
    u64 lists_len;
    u64 log_m;
};

// Threads of the last step, one a list.
constexpr u32 FINISH_THREADS = 32;

// The next value of slots[slot], of run in slot 0 or acc in slot 1: run + sum, acc + run.
template <class F> CUZK_HOST_DEVICE void next(Xyzz<F> (&slots)[2], u32 slot, const Xyzz<F> *sum) {
    add_to(slots[slot], slots[slot], slot ? slots[0] : *sum);
}
template <class F> CUZK_HOST_DEVICE void next(Xyzz<F> (&slots)[2], u32 slot, const Affine<F> *sum) {
    if (slot) {
        add_to(slots[slot], slots[slot], slots[0]);
    } else {
        add_mixed_to(slots[slot], slots[slot], *sum);
    }
}

// `Sum` is the form of the buckets' sums, XYZZ or affine. Which of run and acc is next is chosen
// by an index, so that both stay in memory of the thread and only the two points of one addition
// are in registers.
template <class F, class Sum>
CUZK_HOST_DEVICE void sum_segment(const SegmentParams &p, u64 segment) {
    if (segment >= p.segments) return;
    const Sum *sums = static_cast<const Sum *>(p.sums) + (segment << p.log_m);
    Xyzz<F> slots[2] = {Xyzz<F>::identity(), Xyzz<F>::identity()};
    CUZK_ROLLED
    for (u32 step = 2u << p.log_m; step-- > 0;) {
        const u32 slot = 1 - (step & 1);
        next(slots, slot, sums + (step >> 1));
    }
    Xyzz<F> *lists = static_cast<Xyzz<F> *>(p.lists);
    lists[segment] = slots[1];
    lists[p.segments + segment] = slots[0];
}

// Pair by pair, of all lists.
template <class F> CUZK_HOST_DEVICE void halve(const HalveParams &p, u64 pair) {
    if (pair >= p.in_lists * p.pairs) return;
    const Xyzz<F> *in = static_cast<const Xyzz<F> *>(p.in) + 2 * pair;
    Xyzz<F> *out = static_cast<Xyzz<F> *>(p.out) + pair;
    const Xyzz<F> odd = in[1];
    const Xyzz<F> sum = add(in[0], odd);
    // Of the totals the odd ones become a list, in the place after the others, before the sums.
    if (pair < (p.in_lists - 1) * p.pairs) {
        out[0] = sum;
    } else {
        out[0] = odd;
        out[p.pairs] = sum;
    }
}

template <class F> struct FinishShared {
    Xyzz<F> points[FINISH_THREADS];
};

template <class F, class Each>
CUZK_HOST_DEVICE void finish(const FinishParams &p, u64 window, FinishShared<F> &shared,
                             const Each &each) {
    const Xyzz<F> *lists = static_cast<const Xyzz<F> *>(p.lists);
    each([&](u32 list) {
        Xyzz<F> point = Xyzz<F>::identity();
        if (list < p.lists_len) {
            point = lists[list * p.windows + window];
            u64 doublings = list == 0 ? 0 : p.log_m + list - 1;
            CUZK_ROLLED
            for (u64 i = 0; i < doublings; i++) point = dbl(point);
        }
        shared.points[list] = point;
    });
    CUZK_ROLLED
    for (u32 apart = FINISH_THREADS / 2; apart > 0; apart /= 2) {
        each([&](u32 list) {
            if (list >= apart) return;
            shared.points[list] = add(shared.points[list], shared.points[list + apart]);
        });
    }
    each([&](u32 list) {
        if (list == 0) static_cast<Xyzz<F> *>(p.out)[window] = shared.points[0];
    });
}

} // namespace cuzk::msm
