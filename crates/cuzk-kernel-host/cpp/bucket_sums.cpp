// The kernels of bucket sums, block after block and thread after thread.
#include "cuzk/curve/g1.cuh"
#include "cuzk/curve/g2.cuh"
#include "cuzk/msm/accumulate.cuh"
#include "cuzk/msm/fixed.cuh"
#include "cuzk/msm/multiples.cuh"
#include "cuzk/msm/reduce.cuh"

#include <cstring>

using namespace cuzk;
using namespace cuzk::msm;
using field::Fp;
using field::Fp2;

namespace {

struct EachThread {
    u32 threads;
    template <class F> void operator()(const F &phase) const {
        for (u32 thread = 0; thread < threads; thread++) phase(thread);
    }
};

// The caller's bytes need not be aligned.
template <class P> P read(const void *params) {
    P p;
    std::memcpy(&p, params, sizeof(P));
    return p;
}

} // namespace

#define KERNEL(name)                                                                               \
    extern "C" void cuzk_host_msm_##name(const void *params, u64 blocks, [[maybe_unused]] u64 block)

KERNEL(count_tasks) {
    OrderShared shared;
    OrderParams p = read<OrderParams>(params);
    for (u64 i = 0; i < blocks; i++) count_tasks(p, i, blocks, shared, EachThread{u32(block)});
}
KERNEL(place_tasks) {
    OrderShared shared;
    OrderParams p = read<OrderParams>(params);
    for (u64 i = 0; i < blocks; i++) place_tasks(p, i, blocks, shared, EachThread{u32(block)});
}

// The kernels of a group; `thread` counts through the grid.
#define PER_THREAD(name, P, call)                                                                  \
    KERNEL(name) {                                                                                 \
        P p = read<P>(params);                                                                     \
        const u64 threads = blocks * block;                                                        \
        for (u64 thread = 0; thread < threads; thread++) call;                                     \
    }
#define GROUP(suffix, F)                                                                           \
    PER_THREAD(accumulate_##suffix, AccumulateParams, accumulate<F>(p, thread))                    \
    PER_THREAD(combine_##suffix, CombineParams, combine_all<F>(p, thread, threads))                \
    PER_THREAD(sum_segments_##suffix, SegmentParams, (sum_segment<F, Xyzz<F>>(p, thread)))         \
    PER_THREAD(sum_segments_affine_##suffix, SegmentParams,                                        \
               (sum_segment<F, Affine<F>>(p, thread)))                                             \
    PER_THREAD(multiples_##suffix, MultiplesParams, multiples<F>(p, thread))                       \
    PER_THREAD(fixed_extend_##suffix, FixedExtendParams, fixed_extend<F>(p, thread))               \
    PER_THREAD(fixed_multiply_##suffix, FixedMultiplyParams, fixed_multiply<F>(p, thread))         \
    KERNEL(halve_##suffix) {                                                                       \
        HalveShared<F> shared;                                                                     \
        HalveParams p = read<HalveParams>(params);                                                 \
        for (u64 i = 0; i < blocks; i++) halve<F>(p, i, shared, HalveBlock{});                     \
    }                                                                                              \
    KERNEL(finish_##suffix) {                                                                      \
        FinishShared<F> shared;                                                                    \
        FinishParams p = read<FinishParams>(params);                                               \
        for (u64 i = 0; i < blocks; i++) finish<F>(p, i, shared, FinishBlock<F>{});                \
    }

GROUP(g1, Fp)
GROUP(g2, Fp2)
