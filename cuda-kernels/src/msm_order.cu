// Kernels that order the sums of buckets by their length.
#include "cuzk/layout.cuh"
#include "cuzk/msm/order.cuh"

namespace cuzk::msm {

struct EachThread {
    template <class F> CUZK_DEVICE void operator()(const F &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
};

CUZK_KERNEL(cuzk_msm_count_tasks)(OrderParams p) {
    __shared__ OrderShared shared;
    count_tasks(p, blockIdx.x, gridDim.x, shared, EachThread{});
}
CUZK_KERNEL(cuzk_msm_place_tasks)(OrderParams p) {
    __shared__ OrderShared shared;
    place_tasks(p, blockIdx.x, gridDim.x, shared, EachThread{});
}

} // namespace cuzk::msm
