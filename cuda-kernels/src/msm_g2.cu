// Kernels of bucket sums in G2.
#include "cuzk/layout.cuh"
#include "cuzk/msm/accumulate.cuh"
#include "cuzk/msm/multiples.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using field::Fp2;

CUZK_DEVICE u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }

struct EachThread {
    template <class Phase> CUZK_DEVICE void operator()(const Phase &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
};

CUZK_KERNEL(cuzk_msm_accumulate_g2)(AccumulateParams p) { accumulate<Fp2>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_combine_g2)(CombineParams p) {
    combine_all<Fp2>(p, thread_index(), u64(gridDim.x) * blockDim.x);
}

CUZK_KERNEL(cuzk_msm_sum_segments_g2)(SegmentParams p) {
    sum_segment<Fp2, Xyzz<Fp2>>(p, thread_index());
}
CUZK_KERNEL(cuzk_msm_sum_segments_affine_g2)(SegmentParams p) {
    sum_segment<Fp2, Affine<Fp2>>(p, thread_index());
}
CUZK_KERNEL(cuzk_msm_halve_g2)(HalveParams p) { halve<Fp2>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_finish_g2)(FinishParams p) {
    __shared__ FinishShared<Fp2> shared;
    finish<Fp2>(p, blockIdx.x, shared, EachThread{});
}

CUZK_KERNEL(cuzk_msm_multiples_g2)(MultiplesParams p) { multiples<Fp2>(p, thread_index()); }

} // namespace cuzk::msm
