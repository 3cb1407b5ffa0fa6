// Kernels of the tree of affine additions in G1: the additions of many pairs.
#include "cuzk/layout.cuh"
#include "cuzk/msm/affine_fold.cuh"

namespace cuzk::msm::affine {

// The first round, whose points are bases, and the later ones.
CUZK_KERNEL(cuzk_msm_affine_backward_first_g1)(RoundParams p) {
    backward<Fp, true>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_backward_g1)(RoundParams p) {
    backward<Fp, false>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_fold_g1)(RoundParams p) {
    fold<Fp>(p, blockIdx.x, threadIdx.x);
}

} // namespace cuzk::msm::affine
