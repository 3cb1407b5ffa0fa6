// Kernels of the number-theoretic transform over Fr.
#include "cuzk/layout.cuh"
#include "cuzk/ntt/pass.cuh"
#include "cuzk/ntt/table.cuh"

namespace cuzk::ntt {

constexpr u32 LOG_TILE = 11;
constexpr u32 THREADS = (1u << LOG_TILE) >> MAX_DEPTH;
static_assert(Tile<LOG_TILE>::BYTES == 73760, "shared_bytes of the passes in kernels.toml");
static_assert(THREADS == CUZK_THREADS_cuzk_ntt_frequency_fr, "threads of the passes there");

CUZK_DEVICE u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }

struct EachThread {
    template <class F> CUZK_DEVICE void operator()(const F &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
};

template <class Decimation> CUZK_DEVICE void block_pass(const PassParams &p) {
    extern __shared__ Tile<LOG_TILE>::Half shared[];
    pass<Decimation, LOG_TILE>(p, blockIdx.x, THREADS, Tile<LOG_TILE>{shared}, EachThread{});
}

CUZK_KERNEL(cuzk_ntt_frequency_fr)(PassParams p) { block_pass<InFrequency<false>>(p); }
CUZK_KERNEL(cuzk_ntt_time_fr)(PassParams p) { block_pass<InTime<false>>(p); }
CUZK_KERNEL(cuzk_ntt_frequency_called_fr)(PassParams p) { block_pass<InFrequency<true>>(p); }
CUZK_KERNEL(cuzk_ntt_time_called_fr)(PassParams p) { block_pass<InTime<true>>(p); }

CUZK_KERNEL(cuzk_ntt_twiddle_top_fr)(TwiddleTopParams p) { twiddle_top(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_twiddle_level_fr)(TwiddleLevelParams p) { twiddle_level(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_reverse_fr)(ReverseParams p) { reverse(p, thread_index()); }

} // namespace cuzk::ntt
