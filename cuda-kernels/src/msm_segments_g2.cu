// Kernels of the first step from buckets to windows in G2: sums of segments.
//
// In a file of their own, as are the next steps: a driver compiles files side by side.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp2;

CUZK_KERNEL(cuzk_msm_sum_segments_g2)(SegmentParams p) {
    sum_segment<Fp2, Xyzz<Fp2>>(p, thread_index());
}
CUZK_KERNEL(cuzk_msm_sum_segments_affine_g2)(SegmentParams p) {
    sum_segment<Fp2, Affine<Fp2>>(p, thread_index());
}

} // namespace cuzk::msm
