// Kernels of the tree of affine additions in G1.
//
// The additions of many pairs have a file of their own: a driver compiles files side by side.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/affine_round.cuh"

namespace cuzk::msm::affine {
using block::thread_index;

// The first round, whose points are bases, and the later ones.
CUZK_KERNEL(cuzk_msm_affine_forward_first_g1)(RoundParams p) {
    forward<Fp, true>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_forward_g1)(RoundParams p) {
    forward<Fp, false>(p, blockIdx.x, threadIdx.x);
}
CUZK_KERNEL(cuzk_msm_affine_invert_g1)(RoundParams p) { invert<Fp>(p, u32(thread_index())); }
CUZK_KERNEL(cuzk_msm_affine_add_few_g1)(RoundParams p) { add_few<Fp>(p, blockIdx.x, threadIdx.x); }
CUZK_KERNEL(cuzk_msm_affine_collect_g1)(CollectParams p) { collect<Fp>(p, thread_index()); }

} // namespace cuzk::msm::affine
