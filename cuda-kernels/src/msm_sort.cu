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

static_assert(sizeof(MoveShared<13>) == 61508, "shared_bytes in kernels.toml");
static_assert(sizeof(MoveShared<14>) == 110660, "shared_bytes in kernels.toml");
static_assert(sizeof(StagedPart<8192>) == 42116, "shared_bytes in kernels.toml");
static_assert(sizeof(StagedPart<19456>) == 87172, "shared_bytes in kernels.toml");
static_assert(sizeof(StagedPart<36864>) == 156804, "shared_bytes in kernels.toml");

// Tiles of up to 2^13 digits and of up to 2^14.
CUZK_KERNEL(cuzk_msm_move_to_parts)(SortParams p) {
    move_to_parts(p, blockIdx.x, dynamic_shared<MoveShared<13>>(), SortBlock{});
}
CUZK_KERNEL(cuzk_msm_move_to_parts_long)(SortParams p) {
    move_to_parts(p, blockIdx.x, dynamic_shared<MoveShared<14>>(), SortBlock{});
}
// With shared memory for the entries of a part that any card has, that cards have since 8.0, and
// that 8.0 and 9.0 have.
CUZK_KERNEL(cuzk_msm_sort_part)(SortParams p) {
    sort_part(p, blockIdx.x, dynamic_shared<StagedPart<8192>>(), PartBlock{});
}
CUZK_KERNEL(cuzk_msm_sort_part_long)(SortParams p) {
    sort_part(p, blockIdx.x, dynamic_shared<StagedPart<19456>>(), PartBlock{});
}
CUZK_KERNEL(cuzk_msm_sort_part_longest)(SortParams p) {
    sort_part(p, blockIdx.x, dynamic_shared<StagedPart<36864>>(), PartBlock{});
}
CUZK_KERNEL(cuzk_msm_count_large)(SortParams p) {
    __shared__ PartShared shared;
    count_large(p, blockIdx.x, gridDim.x, shared, PartBlock{});
}
CUZK_KERNEL(cuzk_msm_scan_large)(SortParams p) {
    __shared__ PartShared shared;
    scan_large(p, blockIdx.x, gridDim.x, shared, PartBlock{});
}
CUZK_KERNEL(cuzk_msm_move_large)(SortParams p) {
    __shared__ PartShared shared;
    move_large(p, blockIdx.x, gridDim.x, shared, PartBlock{});
}

} // namespace cuzk::msm
