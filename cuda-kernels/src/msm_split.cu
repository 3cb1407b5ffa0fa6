// Kernels that split a witness and gather what belongs to its parts.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/split.cuh"

namespace cuzk::msm {

CUZK_KERNEL(cuzk_msm_split_count)(SplitParams p) {
    __shared__ SplitShared shared;
    split_count(p, blockIdx.x, shared, SplitBlock{});
}
CUZK_KERNEL(cuzk_msm_split_scan)(SplitScanParams p) {
    __shared__ SplitShared shared;
    split_scan(p, shared, SplitBlock{});
}
CUZK_KERNEL(cuzk_msm_split_write)(SplitParams p) {
    __shared__ SplitShared shared;
    split_write(p, blockIdx.x, shared, SplitBlock{});
}
CUZK_KERNEL(cuzk_msm_gather)(GatherParams p) {
    gather(p, block::thread_index());
}

} // namespace cuzk::msm
