// The kernels that fold linear maps into points, thread after thread.
#include "cuzk/fold/sums.cuh"
#include "cuzk/fold/transform.cuh"

#include <cstring>

using namespace cuzk;
using namespace cuzk::fold;

#define KERNEL(name, P, function)                                                                  \
    extern "C" void cuzk_host_fold_##name(const void *params, u64 threads) {                       \
        P p;                                                                                       \
        std::memcpy(&p, params, sizeof(P));                                                        \
        for (u64 thread = 0; thread < threads; thread++) function(p, thread);                      \
    }

KERNEL(load_g1, LoadParams, load)
KERNEL(stage_g1, StageParams, stage)
KERNEL(sum_g1, SumParams, sum_list)
KERNEL(widen_g1, WidenParams, widen)
KERNEL(narrow_g1, NarrowParams, narrow)
