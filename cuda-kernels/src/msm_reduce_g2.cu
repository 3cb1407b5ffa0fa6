// Kernels of the steps from segments to windows in G2.
#include "cuzk/layout.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using field::Fp2;

CUZK_KERNEL(cuzk_msm_halve_g2)(HalveParams p) {
    __shared__ HalveShared<Fp2> shared;
    halve<Fp2>(p, blockIdx.x, shared, HalveBlock{});
}
CUZK_KERNEL(cuzk_msm_finish_g2)(FinishParams p) {
    __shared__ FinishShared<Fp2> shared;
    finish<Fp2>(p, blockIdx.x, shared, FinishBlock<Fp2>{});
}

} // namespace cuzk::msm
