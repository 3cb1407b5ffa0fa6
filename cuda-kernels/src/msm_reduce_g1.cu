// Kernels of the steps from segments to windows in G1.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using block::EachThread;
using block::thread_index;
using field::Fp;

CUZK_KERNEL(cuzk_msm_halve_g1)(HalveParams p) { halve<Fp>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_finish_g1)(FinishParams p) {
    __shared__ FinishShared<Fp> shared;
    finish<Fp>(p, blockIdx.x, shared, EachThread{});
}

} // namespace cuzk::msm
