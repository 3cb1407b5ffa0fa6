// Kernels of the steps from segments to windows in G2.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using block::EachThread;
using block::thread_index;
using field::Fp2;

CUZK_KERNEL(cuzk_msm_halve_g2)(HalveParams p) { halve<Fp2>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_finish_g2)(FinishParams p) {
    __shared__ FinishShared<Fp2> shared;
    finish<Fp2>(p, blockIdx.x, shared, EachThread{});
}

} // namespace cuzk::msm
