// Kernels of the number-theoretic transform over Fr.
#include "cuzk/layout.cuh"
#include "cuzk/ntt/pass.cuh"
#include "cuzk/ntt/table.cuh"

namespace cuzk::ntt {

CUZK_DEVICE u64 thread_index() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }

struct EachThread {
    template <class F> CUZK_DEVICE void operator()(const F &phase) const {
        phase(threadIdx.x);
        __syncthreads();
    }
};

template <class Decimation, u32 LOG_TILE> CUZK_DEVICE void block_pass(const PassParams &p) {
    constexpr u32 THREADS = (1u << LOG_TILE) >> MAX_DEPTH;
    extern __shared__ uint4 shared[];
    Tile<LOG_TILE> tile{reinterpret_cast<typename Tile<LOG_TILE>::Half *>(shared)};
    pass<Decimation, LOG_TILE>(p, blockIdx.x, THREADS, tile, EachThread{});
}

// Tiles of 2^11 elements, for passes of up to 11 stages. Too much shared memory for sm_75.
static_assert(Tile<11>::BYTES == 73760, "shared_bytes in kernels.toml");
CUZK_KERNEL(cuzk_ntt_frequency_fr)(PassParams p) { block_pass<InFrequency<false>, 11>(p); }
CUZK_KERNEL(cuzk_ntt_time_fr)(PassParams p) { block_pass<InTime<false>, 11>(p); }

// Tiles of 2^10, for every card; with the butterfly inlined, and called.
static_assert(Tile<10>::BYTES == 36896, "shared_bytes in kernels.toml");
CUZK_KERNEL(cuzk_ntt_frequency_narrow_fr)(PassParams p) { block_pass<InFrequency<false>, 10>(p); }
CUZK_KERNEL(cuzk_ntt_time_narrow_fr)(PassParams p) { block_pass<InTime<false>, 10>(p); }
CUZK_KERNEL(cuzk_ntt_frequency_called_fr)(PassParams p) { block_pass<InFrequency<true>, 10>(p); }
CUZK_KERNEL(cuzk_ntt_time_called_fr)(PassParams p) { block_pass<InTime<true>, 10>(p); }

CUZK_KERNEL(cuzk_ntt_twiddle_top_fr)(TwiddleTopParams p) { twiddle_top(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_twiddle_level_fr)(TwiddleLevelParams p) { twiddle_level(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_reverse_fr)(ReverseParams p) { reverse(p, thread_index()); }

} // namespace cuzk::ntt
