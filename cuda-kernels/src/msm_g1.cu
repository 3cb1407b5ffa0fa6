// Kernels of bucket sums in G1, in XYZZ coordinates.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/accumulate.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp;

CUZK_KERNEL(cuzk_msm_accumulate_g1)(AccumulateParams p) { accumulate<Fp>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_combine_g1)(CombineParams p) {
    combine_all<Fp>(p, thread_index(), u64(gridDim.x) * blockDim.x);
}

} // namespace cuzk::msm
