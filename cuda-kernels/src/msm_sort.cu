// Kernels that sort the digits of scalars by bucket.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/parts.cuh"
#include "cuzk/msm/sort.cuh"

namespace cuzk::msm {
using block::thread_index;

template <class Shared> CUZK_DEVICE Shared &dynamic_shared() {
    extern __shared__ uint4 shared[];
    return *reinterpret_cast<Shared *>(shared);
}

CUZK_KERNEL(cuzk_msm_digits)(SortParams p) {
    write_digits(p, blockIdx.x, &dynamic_shared<u32>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_digits_wide)(SortParams p) {
    write_digits(p, blockIdx.x, &dynamic_shared<u32>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_count_segments)(SortParams p) { count_segments(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_scan_segments)(SortParams p) { scan_segments(p, thread_index()); }
CUZK_KERNEL(cuzk_msm_find_starts)(SortParams p) {
    __shared__ StartsShared shared;
    find_starts(p, shared, block::Threads<STARTS_THREADS>{});
}
CUZK_KERNEL(cuzk_msm_find_places)(SortParams p) { find_places(p, thread_index()); }

// For up to 2^10 parts of a window, and 2^10 buckets of a part or twice as many.
static_assert(sizeof(PlaceShared<10>) == 28716, "shared_bytes in kernels.toml");
static_assert(sizeof(SortShared<10>) == 33840, "shared_bytes in kernels.toml");
static_assert(sizeof(SortShared<11>) == 50256, "shared_bytes in kernels.toml");

CUZK_KERNEL(cuzk_msm_move_to_parts)(SortParams p) {
    move_to_parts(p, blockIdx.x, dynamic_shared<PlaceShared<10>>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_sort_part)(SortParams p) {
    sort_part(p, blockIdx.x, dynamic_shared<SortShared<10>>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_sort_part_wide)(SortParams p) {
    sort_part(p, blockIdx.x, dynamic_shared<SortShared<11>>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_count_large)(SortParams p) {
    count_large(p, blockIdx.x, gridDim.x, dynamic_shared<SortShared<11>>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_scan_large)(SortParams p) {
    scan_large(p, blockIdx.x, gridDim.x, dynamic_shared<SortShared<11>>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_move_large)(SortParams p) {
    move_large(p, blockIdx.x, gridDim.x, dynamic_shared<SortShared<11>>(), SortBlock{});
}

} // namespace cuzk::msm
