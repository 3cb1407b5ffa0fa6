// Kernels that fold linear maps into points of G1.
#include "cuzk/block/each.cuh"
#include "cuzk/fold/sums.cuh"
#include "cuzk/fold/transform.cuh"
#include "cuzk/layout.cuh"

namespace cuzk::fold {
using block::thread_index;

CUZK_KERNEL(cuzk_fold_load_g1)(LoadParams p) { load(p, thread_index()); }
CUZK_KERNEL(cuzk_fold_stage_g1)(StageParams p) { stage(p, thread_index()); }
CUZK_KERNEL(cuzk_fold_sum_g1)(SumParams p) { sum_list(p, thread_index()); }
CUZK_KERNEL(cuzk_fold_widen_g1)(WidenParams p) { widen(p, thread_index()); }
CUZK_KERNEL(cuzk_fold_narrow_g1)(NarrowParams p) { narrow(p, thread_index()); }

} // namespace cuzk::fold
