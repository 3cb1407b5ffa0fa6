// The kernel that makes tables of multiples in G2.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/multiples.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp2;

CUZK_KERNEL(cuzk_msm_multiples_g2)(MultiplesParams p) { multiples<Fp2>(p, thread_index()); }

} // namespace cuzk::msm
