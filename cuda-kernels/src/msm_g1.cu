// Kernels of bucket sums in G1.
#include "cuzk/layout.cuh"
#include "cuzk/msm/accumulate.cuh"
#include "cuzk/msm/multiples.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using field::Fp;

CUZK_DEVICE u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }

struct EachThread {
    template <class Phase> CUZK_DEVICE void operator()(const Phase &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
};

CUZK_KERNEL(cuzk_msm_accumulate_g1)(AccumulateParams p) { accumulate<Fp>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_combine_g1)(CombineParams p) {
    combine_all<Fp>(p, thread_index(), u64(gridDim.x) * blockDim.x);
}

CUZK_KERNEL(cuzk_msm_sum_segments_g1)(SegmentParams p) {
    sum_segment<Fp, Xyzz<Fp>>(p, thread_index());
}
CUZK_KERNEL(cuzk_msm_sum_segments_affine_g1)(SegmentParams p) {
    sum_segment<Fp, Affine<Fp>>(p, thread_index());
}
CUZK_KERNEL(cuzk_msm_halve_g1)(HalveParams p) { halve<Fp>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_finish_g1)(FinishParams p) {
    __shared__ FinishShared<Fp> shared;
    finish<Fp>(p, blockIdx.x, shared, EachThread{});
}

CUZK_KERNEL(cuzk_msm_multiples_g1)(MultiplesParams p) { multiples<Fp>(p, thread_index()); }

} // namespace cuzk::msm
