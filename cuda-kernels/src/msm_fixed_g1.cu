// The kernels that multiply one point of G1 with many scalars.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/fixed.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp;

CUZK_KERNEL(cuzk_msm_fixed_extend_g1)(FixedExtendParams p) { fixed_extend<Fp>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_fixed_multiply_g1)(FixedMultiplyParams p) {
    fixed_multiply<Fp>(p, thread_index());
}

} // namespace cuzk::msm
