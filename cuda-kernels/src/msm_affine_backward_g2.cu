// Kernels of the tree of affine additions in G2: the additions of many pairs.
#include "cuzk/layout.cuh"
#include "cuzk/msm/affine_fold.cuh"

namespace cuzk::msm::affine {

// The first round, whose points are bases, and the later ones.
CUZK_KERNEL(cuzk_msm_affine_backward_first_g2)(RoundParams p) {
    backward<Fp2, true>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_backward_g2)(RoundParams p) {
    backward<Fp2, false>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_fold_g2)(RoundParams p) {
    fold<Fp2>(p, blockIdx.x, threadIdx.x);
}

} // namespace cuzk::msm::affine
