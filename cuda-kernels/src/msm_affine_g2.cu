// Kernels of the tree of affine additions in G2.
//
// The additions of many pairs have a file of their own: a driver compiles files side by side.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/affine_round.cuh"

namespace cuzk::msm::affine {
using block::thread_index;

// The first round, whose points are bases, and the later ones.
CUZK_KERNEL(cuzk_msm_affine_forward_first_g2)(RoundParams p) {
    forward<Fp2, true>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_forward_g2)(RoundParams p) {
    forward<Fp2, false>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_invert_g2)(RoundParams p) { invert<Fp2>(p, u32(thread_index())); }
CUZK_KERNEL(cuzk_msm_affine_add_few_g2)(RoundParams p) { add_few<Fp2>(p, blockIdx.x, threadIdx.x); }
CUZK_KERNEL(cuzk_msm_affine_collect_g2)(CollectParams p) { collect<Fp2>(p, thread_index()); }

} // namespace cuzk::msm::affine
