// Kernels of the sparse product over Fr.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/spmv/warp.cuh"

namespace cuzk::spmv {
using block::EachThread;
using block::thread_index;

CUZK_DEVICE u64 warp_index() { return thread_index() / GROUP; }
CUZK_DEVICE u64 warp_count() { return u64(gridDim.x) * blockDim.x / GROUP; }
CUZK_DEVICE u32 lane_index() { return threadIdx.x % GROUP; }

// Codes of 16 bits, and of 32 for a dictionary that needs them.
CUZK_KERNEL(cuzk_spmv_multiply_fr)(MultiplyParams p) {
    multiply_warp<u16>(p, warp_index(), warp_count(), lane_index());
}
CUZK_KERNEL(cuzk_spmv_multiply_wide_fr)(MultiplyParams p) {
    multiply_warp<u32>(p, warp_index(), warp_count(), lane_index());
}
CUZK_KERNEL(cuzk_spmv_join_fr)(JoinParams p) { join_warp(p, warp_index(), lane_index()); }

CUZK_KERNEL(cuzk_spmv_count_fr)(CountParams p) { count(p, thread_index()); }
CUZK_KERNEL(cuzk_spmv_scan_fr)(ScanParams p) {
    constexpr u32 THREADS = CUZK_THREADS_cuzk_spmv_scan_fr;
    __shared__ ScanShared<THREADS> shared;
    scan(p, shared, EachThread{});
}
CUZK_KERNEL(cuzk_spmv_rank_fr)(RankParams p) { rank(p, thread_index()); }
CUZK_KERNEL(cuzk_spmv_small_fr)(SmallParams p) { small(p, thread_index()); }
CUZK_KERNEL(cuzk_spmv_expand_fr)(ExpandParams p) { expand_warp(p, thread_index(), lane_index()); }

} // namespace cuzk::spmv
