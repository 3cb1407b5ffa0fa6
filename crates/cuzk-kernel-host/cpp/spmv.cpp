// The kernels of the sparse product, item after item and lane after lane. What the lanes of a warp
// exchange on a device is a loop here.
#include "cuzk/spmv/product.cuh"

using namespace cuzk;
using namespace cuzk::spmv;

namespace {

constexpr u32 SCAN_THREADS = 512;

struct EachThread {
    template <class F> void operator()(const F &phase) const {
        for (u32 thread = 0; thread < SCAN_THREADS; thread++) phase(thread);
    }
};

template <class Code> void multiply_item(const MultiplyParams &p, u64 item) {
    Partial partials[GROUP];
    u32 rows[GROUP], log_lanes = 0;
    for (u32 lane = 0; lane < GROUP; lane++) {
        const Entry entry = entry_at(p, item, lane);
        partials[lane] = lane_sum<Code>(p, entry, first_term<Code>(p, entry, lane), lane);
        rows[lane] = row_of(entry);
        log_lanes = log_lanes_of(entry);
    }
    for (u32 first = 0; first < GROUP; first += 1u << log_lanes) {
        Partial all = partials[first];
        for (u32 lane = first + 1; lane < first + (1u << log_lanes); lane++) {
            all.count += partials[lane].count;
            if (partials[lane].has_sum) all.add(partials[lane].sum);
        }
        if (item < p.pieces)
            static_cast<Fr *>(p.partials)[item] = finish(p, all);
        else if (rows[first] != NO_ROW)
            static_cast<Fr *>(p.out)[rows[first]] = finish(p, all);
    }
}

// The warps take items by turns.
template <class Code> void multiply(const MultiplyParams &p, u64 threads) {
    const u64 warps = threads / GROUP;
    for (u64 warp = 0; warp < warps; warp++) {
        for (u64 item = warp; item < p.pieces + p.slices; item += warps) {
            multiply_item<Code>(p, item);
        }
        for (u64 item = warp; item < zero_items(p); item += warps) {
            for (u32 i = 0; i < GROUP * ZERO_GROUPS; i++) {
                const u32 row = zero_row(p, item, i / GROUP, i % GROUP);
                if (row != NO_ROW) static_cast<Fr *>(p.out)[row] = Fr::zero();
            }
        }
    }
}

template <class P, class F> void for_threads(const P *p, u64 threads, const F &thread) {
    for (u64 i = 0; i < threads; i++) thread(*p, i);
}

} // namespace

#define THREADS_OF(name, Params) extern "C" void cuzk_host_spmv_##name(const Params *p, u64 threads)

THREADS_OF(multiply_fr, MultiplyParams) { multiply<u16>(*p, threads); }
THREADS_OF(multiply_wide_fr, MultiplyParams) { multiply<u32>(*p, threads); }
THREADS_OF(join_fr, JoinParams) {
    for (u64 i = 0; i < threads / GROUP && i < p->n; i++) {
        const Join join = static_cast<const Join *>(p->joins)[i];
        Fr all = Fr::zero();
        for (u32 lane = 0; lane < GROUP; lane++) all = all + join_lane(*p, join, lane);
        static_cast<Fr *>(p->out)[join.row] = all;
    }
}
THREADS_OF(count_fr, CountParams) { for_threads(p, threads, count); }
THREADS_OF(scan_fr, ScanParams) {
    (void)threads; // one block
    ScanShared<SCAN_THREADS> shared;
    scan(*p, shared, EachThread{});
}
THREADS_OF(rank_fr, RankParams) { for_threads(p, threads, rank); }
THREADS_OF(small_fr, SmallParams) { for_threads(p, threads, small); }
THREADS_OF(expand_fr, ExpandParams) {
    for (u64 i = 0; i < threads && i < p->n; i++) {
        static_cast<Fr *>(p->out)[i] = variable(*p, u32(i));
    }
}
