// From the sums of the buckets of a window to the window's point, sum of (j + 1) S_j.
//
// Called by: one thread for each segment; the steps after it by blocks.
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
// the last short; then log_m + log2(segments) doublings at most one after the other. What is short
// is made by several lanes for each addition (`xyzz_lanes.cuh`).
#pragma once

#include "cuzk/block/threads.cuh"
#include "cuzk/curve/xyzz_lanes.cuh"

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

// Lists of the last step, at most.
constexpr u32 FINISH_LISTS = 32;

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

// Threads of a block of the steps after, which are few additions: each is made by a group of lanes.
constexpr u32 HALVE_THREADS = 128;

// The places of a block's groups.
template <class F, u32 GROUPS> struct GroupsShared {
    curve::LaneSum<F> sums[GROUPS];

    // Those of a warp.
    CUZK_HOST_DEVICE curve::LaneSum<F> *of_warp(u32 warp) {
        return sums + warp * curve::GROUPS_OF_WARP<F>;
    }
};
template <class F> using HalveShared = GroupsShared<F, HALVE_THREADS / curve::GROUP<F>>;
template <class F> using FinishShared = GroupsShared<F, FINISH_LISTS>;
template <class F> using FinishBlock = block::Threads<FINISH_LISTS * curve::GROUP<F>>;
using HalveBlock = block::Threads<HALVE_THREADS>;

// A coordinate of a point by the number of its place.
template <class F> CUZK_HOST_DEVICE F coordinate(const Xyzz<F> &point, u32 number) {
    return reinterpret_cast<const F *>(&point)[number];
}
template <class F> CUZK_HOST_DEVICE F &coordinate(Xyzz<F> &point, u32 number) {
    return reinterpret_cast<F *>(&point)[number];
}

// Pair by pair, of all lists.
//
// Called by: a block for each HALVE_THREADS / GROUP pairs.
template <class F>
CUZK_HOST_DEVICE void halve(const HalveParams &p, u64 number, HalveShared<F> &shared,
                            const HalveBlock &block) {
    using curve::GROUP;
    using curve::LaneRole;
    constexpr u32 GROUPS = HALVE_THREADS / GROUP<F>;
    block.warps([&](u32 warp) {
        curve::LaneSum<F> *sums = shared.of_warp(warp);
        const u64 first = number * GROUPS + warp * curve::GROUPS_OF_WARP<F>;
        const u64 pairs = p.in_lists * p.pairs;
        warp::Lanes<u32> is_active;
        warp::each([&](u32 lane) {
            const LaneRole<F> role(lane);
            const u64 pair = first + role.group;
            is_active[lane] = pair < pairs;
            if (!is_active[lane]) return;
            const Xyzz<F> *in = static_cast<const Xyzz<F> *>(p.in) + 2 * pair;
            F left = coordinate(in[0], role.product), right = coordinate(in[1], role.product);
            curve::LaneSum<F> &sum = sums[role.group];
            curve::coefficient(sum.at[role.product], role.part) =
                curve::coefficient(left, role.part);
            curve::coefficient(sum.at[4 + role.product], role.part) =
                curve::coefficient(right, role.part);
        });
        curve::add_by_lanes(sums, is_active);
        warp::each([&](u32 lane) {
            const LaneRole<F> role(lane);
            const u64 pair = first + role.group;
            if (!is_active[lane]) return;
            Xyzz<F> *out = static_cast<Xyzz<F> *>(p.out) + pair;
            F sum = sums[role.group].at[role.product];
            // Of the totals the odd ones become a list, in the place after the others, before the
            // sums.
            if (pair >= (p.in_lists - 1) * p.pairs) {
                F odd = coordinate(static_cast<const Xyzz<F> *>(p.in)[2 * pair + 1], role.product);
                curve::coefficient(coordinate(out[0], role.product), role.part) =
                    curve::coefficient(odd, role.part);
                out += p.pairs;
            }
            curve::coefficient(coordinate(out[0], role.product), role.part) =
                curve::coefficient(sum, role.part);
        });
    });
}

// Called by: a block for each window, in which each list has a group of lanes.
template <class F>
CUZK_HOST_DEVICE void finish(const FinishParams &p, u64 window, FinishShared<F> &shared,
                             const FinishBlock<F> &block) {
    using curve::GROUPS_OF_WARP;
    using curve::LaneRole;
    const Xyzz<F> *lists = static_cast<const Xyzz<F> *>(p.lists);
    block.warps([&](u32 warp) {
        curve::LaneSum<F> *sums = shared.of_warp(warp);
        const u32 first = warp * GROUPS_OF_WARP<F>;
        auto doublings = [&](u32 list) { return list == 0 ? 0 : u32(p.log_m) + list - 1; };
        warp::each([&](u32 lane) {
            const LaneRole<F> role(lane);
            const u32 list = first + role.group;
            F own = F::zero();
            if (list < p.lists_len) {
                own = coordinate(lists[list * p.windows + window], role.product);
            }
            curve::coefficient(sums[role.group].at[role.product], role.part) =
                curve::coefficient(own, role.part);
        });
        const u32 last = first + GROUPS_OF_WARP<F> - 1;
        CUZK_ROLLED
        for (u32 i = 0; first < p.lists_len && i < doublings(last); i++) {
            warp::Lanes<u32> is_active;
            warp::each([&](u32 lane) {
                is_active[lane] = i < doublings(first + LaneRole<F>(lane).group);
            });
            curve::double_by_lanes(sums, is_active);
        }
    });
    CUZK_ROLLED
    for (u32 apart = FINISH_LISTS / 2; apart > 0; apart /= 2) {
        block.each([&](u32 thread) {
            const LaneRole<F> role(thread);
            if (role.group >= apart) return;
            F other = shared.sums[role.group + apart].at[role.product];
            curve::coefficient(shared.sums[role.group].at[4 + role.product], role.part) =
                curve::coefficient(other, role.part);
        });
        block.warps([&](u32 warp) {
            const u32 first = warp * GROUPS_OF_WARP<F>;
            if (first >= apart) return;
            warp::Lanes<u32> is_active;
            warp::each([&](u32 lane) {
                is_active[lane] = first + LaneRole<F>(lane).group < apart;
            });
            curve::add_by_lanes(shared.of_warp(warp), is_active);
        });
    }
    block.each([&](u32 thread) {
        const LaneRole<F> role(thread);
        if (role.group > 0) return;
        Xyzz<F> &out = static_cast<Xyzz<F> *>(p.out)[window];
        F own = shared.sums[0].at[role.product];
        curve::coefficient(coordinate(out, role.product), role.part) =
            curve::coefficient(own, role.part);
    });
}

} // namespace cuzk::msm
