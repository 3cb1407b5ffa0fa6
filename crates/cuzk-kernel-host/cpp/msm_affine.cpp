// The kernels of the tree of affine additions by their symbols, block after block and thread after
// thread.
#include "cuzk/msm/affine_fold.cuh"
#include "cuzk/msm/affine_lines.cuh"
#include "cuzk/msm/affine_select.cuh"

#include <cstring>

using namespace cuzk;
using namespace cuzk::msm::affine;
using field::Fp;
using field::Fp2;

namespace {

using Kernel = void (*)(const void *params, u64 block);

template <class Params> const Params &of(const void *params) {
    return *static_cast<const Params *>(params);
}

void count(const void *p, u64 block) {
    u32 sums[ROUNDS];
    count_pairs(of<ListParams>(p), ListBlock{}, block, sums);
}
void chunks(const void *p, u64 block) {
    SumsOfWarps of_warps;
    sum_chunks(of<ListParams>(p), ListBlock{}, block, of_warps);
}
void start(const void *p, u64 block) {
    StartShared shared;
    start_buckets(of<ListParams>(p), ListBlock{}, block, shared);
}
void pair(const void *p, u64 block) {
    PairTile tile;
    write_pairs(of<ListParams>(p), ListBlock{}, block, tile);
}
void count_selected(const void *p, u64 block) {
    u32 sum;
    select_count(of<SelectParams>(p), ListBlock{}, block, sum);
}
void sum_selected(const void *p, u64) {
    SumsOfWarps of_warps;
    select_sum(of<SelectParams>(p), ListBlock{}, of_warps);
}
void write_selected(const void *p, u64 block) {
    SumsOfWarps of_warps;
    select_write(of<SelectParams>(p), ListBlock{}, block, of_warps);
}
void lines(const void *p, u64 block) {
    for (u32 t = 0; t < LIST_THREADS; t++) write_lines(of<LineParams>(p), block * LIST_THREADS + t);
}
void bound_whole(const void *p, u64) { select_whole(of<SelectParams>(p)); }

template <class F, bool FIRST> void forward_block(const void *p, u64 block) {
    for (u32 t = 0; t < THREADS; t++) forward<F, FIRST>(of<RoundParams>(p), u32(block), t);
}
template <class F, bool FIRST> void backward_block(const void *p, u64 block) {
    for (u32 t = 0; t < THREADS; t++) backward<F, FIRST>(of<RoundParams>(p), u32(block), t);
}
template <class F> void invert_block(const void *p, u64 block) {
    for (u32 t = 0; t < THREADS; t++) invert<F>(of<RoundParams>(p), u32(block) * THREADS + t);
}
template <class F> void fold_block(const void *p, u64 block) {
    for (u32 t = 0; t < THREADS; t++) fold<F>(of<RoundParams>(p), u32(block), t);
}
template <class F> void few_block(const void *p, u64 block) {
    for (u32 t = 0; t < THREADS; t++) add_few<F>(of<RoundParams>(p), u32(block), t);
}
template <class F> void collect_block(const void *p, u64 block) {
    for (u32 t = 0; t < THREADS; t++) collect<F>(of<CollectParams>(p), block * THREADS + t);
}

struct Named {
    const char *symbol;
    Kernel kernel;
};
const Named KERNELS[] = {
    {"cuzk_msm_affine_count", count},
    {"cuzk_msm_affine_sum_chunks", chunks},
    {"cuzk_msm_affine_start", start},
    {"cuzk_msm_affine_pair", pair},
    {"cuzk_msm_affine_lines", lines},
    {"cuzk_msm_affine_select_count", count_selected},
    {"cuzk_msm_affine_select_sum", sum_selected},
    {"cuzk_msm_affine_select_write", write_selected},
    {"cuzk_msm_affine_select_whole", bound_whole},
    {"cuzk_msm_affine_forward_first_g1", forward_block<Fp, true>},
    {"cuzk_msm_affine_forward_g1", forward_block<Fp, false>},
    {"cuzk_msm_affine_invert_g1", invert_block<Fp>},
    {"cuzk_msm_affine_backward_first_g1", backward_block<Fp, true>},
    {"cuzk_msm_affine_backward_g1", backward_block<Fp, false>},
    {"cuzk_msm_affine_fold_g1", fold_block<Fp>},
    {"cuzk_msm_affine_add_few_g1", few_block<Fp>},
    {"cuzk_msm_affine_collect_g1", collect_block<Fp>},
    {"cuzk_msm_affine_forward_first_g2", forward_block<Fp2, true>},
    {"cuzk_msm_affine_forward_g2", forward_block<Fp2, false>},
    {"cuzk_msm_affine_invert_g2", invert_block<Fp2>},
    {"cuzk_msm_affine_backward_first_g2", backward_block<Fp2, true>},
    {"cuzk_msm_affine_backward_g2", backward_block<Fp2, false>},
    {"cuzk_msm_affine_fold_g2", fold_block<Fp2>},
    {"cuzk_msm_affine_add_few_g2", few_block<Fp2>},
    {"cuzk_msm_affine_collect_g2", collect_block<Fp2>},
};

} // namespace

// Runs a grid; 0 where there is no such kernel.
extern "C" u32 cuzk_host_msm_affine(const char *symbol, u64 len, const void *params, u64 blocks) {
    for (const Named &named : KERNELS) {
        if (std::strlen(named.symbol) != len || std::memcmp(named.symbol, symbol, len)) continue;
        for (u64 block = 0; block < blocks; block++) named.kernel(params, block);
        return 1;
    }
    return 0;
}
