// Kernels of the first step from buckets to windows in G1: sums of segments.
//
// In a file of their own, as are the next steps: a driver compiles files side by side.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/reduce.cuh"

namespace cuzk::msm {
using block::thread_index;
using field::Fp;

CUZK_KERNEL(cuzk_msm_sum_segments_g1)(SegmentParams p) {
    sum_segment<Fp, Xyzz<Fp>>(p, thread_index());
}
CUZK_KERNEL(cuzk_msm_sum_segments_affine_g1)(SegmentParams p) {
    sum_segment<Fp, Affine<Fp>>(p, thread_index());
}

} // namespace cuzk::msm
