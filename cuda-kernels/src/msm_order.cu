// Kernels that order the sums of buckets by their length.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/order.cuh"

namespace cuzk::msm {
using block::EachThread;

CUZK_KERNEL(cuzk_msm_count_tasks)(OrderParams p) {
    __shared__ OrderShared shared;
    count_tasks(p, blockIdx.x, gridDim.x, shared, EachThread{});
}
CUZK_KERNEL(cuzk_msm_place_tasks)(OrderParams p) {
    __shared__ OrderShared shared;
    place_tasks(p, blockIdx.x, gridDim.x, shared, EachThread{});
}

} // namespace cuzk::msm
