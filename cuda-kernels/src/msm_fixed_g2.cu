// The kernels that multiply one point of G2 with many scalars.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/fixed.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp2;

CUZK_KERNEL(cuzk_msm_fixed_extend_g2)(FixedExtendParams p) { fixed_extend<Fp2>(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_fixed_multiply_g2)(FixedMultiplyParams p) {
    fixed_multiply<Fp2>(p, thread_index());
}

} // namespace cuzk::msm
