// Kernels that make the lists of the tree of affine additions.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/msm/affine_lines.cuh"
#include "cuzk/msm/affine_lists.cuh"
#include "cuzk/msm/affine_select.cuh"

namespace cuzk::msm::affine {

CUZK_KERNEL(cuzk_msm_affine_count)(ListParams p) {
    __shared__ u32 sums[ROUNDS];
    count_pairs(p, ListBlock{}, blockIdx.x, sums);
}
CUZK_KERNEL(cuzk_msm_affine_sum_chunks)(ListParams p) {
    __shared__ SumsOfWarps of_warps;
    sum_chunks(p, ListBlock{}, blockIdx.x, of_warps);
}
CUZK_KERNEL(cuzk_msm_affine_start)(ListParams p) {
    __shared__ StartShared shared;
    start_buckets(p, ListBlock{}, blockIdx.x, shared);
}
CUZK_KERNEL(cuzk_msm_affine_pair)(ListParams p) {
    __shared__ PairTile tile;
    write_pairs(p, ListBlock{}, blockIdx.x, tile);
}

CUZK_KERNEL(cuzk_msm_affine_lines)(LineParams p) { write_lines(p, block::thread_index()); }

CUZK_KERNEL(cuzk_msm_affine_select_count)(SelectParams p) {
    __shared__ u32 sum;
    select_count(p, ListBlock{}, blockIdx.x, sum);
}
CUZK_KERNEL(cuzk_msm_affine_select_sum)(SelectParams p) {
    __shared__ SumsOfWarps of_warps;
    select_sum(p, ListBlock{}, of_warps);
}
CUZK_KERNEL(cuzk_msm_affine_select_write)(SelectParams p) {
    __shared__ SumsOfWarps of_warps;
    select_write(p, ListBlock{}, blockIdx.x, of_warps);
}
CUZK_KERNEL(cuzk_msm_affine_select_whole)(SelectParams p) {
    if (blockIdx.x == 0 && threadIdx.x == 0) select_whole(p);
}

} // namespace cuzk::msm::affine
