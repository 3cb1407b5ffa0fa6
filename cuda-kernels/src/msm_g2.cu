// Kernels of bucket sums in G2, in XYZZ coordinates.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/accumulate.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp2;

CUZK_KERNEL(cuzk_msm_accumulate_g2)(AccumulateParams p) { accumulate<Fp2>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_combine_g2)(CombineParams p) {
    combine_all<Fp2>(p, thread_index(), u64(gridDim.x) * blockDim.x);
}

} // namespace cuzk::msm
