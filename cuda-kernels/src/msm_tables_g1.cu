// The kernel that makes tables of multiples in G1.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/multiples.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp;

CUZK_KERNEL(cuzk_msm_multiples_g1)(MultiplesParams p) { multiples<Fp>(p, thread_index()); }

} // namespace cuzk::msm
