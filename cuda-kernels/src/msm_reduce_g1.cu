// Kernels of the steps from segments to windows in G1.
#include "cuzk/layout.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using field::Fp;

CUZK_KERNEL(cuzk_msm_halve_g1)(HalveParams p) {
    __shared__ HalveShared<Fp> shared;
    halve<Fp>(p, blockIdx.x, shared, HalveBlock{});
}
CUZK_KERNEL(cuzk_msm_finish_g1)(FinishParams p) {
    __shared__ FinishShared<Fp> shared;
    finish<Fp>(p, blockIdx.x, shared, FinishBlock<Fp>{});
}

} // namespace cuzk::msm
