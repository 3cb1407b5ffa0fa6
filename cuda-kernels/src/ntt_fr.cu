// Kernels of the number-theoretic transform over Fr.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/ntt/pass.cuh"
#include "cuzk/ntt/pointwise.cuh"
#include "cuzk/ntt/reverse.cuh"
#include "cuzk/ntt/table.cuh"

namespace cuzk::ntt {
using block::EachThread;
using block::thread_index;

// The tile of a pass: narrow enough for four blocks on a multiprocessor, and for every card.
constexpr u32 LOG_TILE = 10;
static_assert(Tile<LOG_TILE>::BYTES == 36896, "shared_bytes in kernels.toml");

template <class Decimation> CUZK_DEVICE void block_pass(const PassParams &p) {
    extern __shared__ uint4 shared[];
    Tile<LOG_TILE> tile{reinterpret_cast<Tile<LOG_TILE>::Half *>(shared)};
    pass<Decimation>(p, blockIdx.x, (1u << LOG_TILE) >> MAX_DEPTH, tile, EachThread{});
}

CUZK_DEVICE void block_reverse(const ReverseParams &p) {
    using Reversed = Tile<LOG_REVERSED>;
    static_assert(2 * Reversed::BYTES == 18496, "shared_bytes in kernels.toml");
    extern __shared__ uint4 shared[];
    auto *halves = reinterpret_cast<Reversed::Half *>(shared);
    reverse(p, blockIdx.x, Reversed{halves}, Reversed{halves + 2 * Reversed::PADDED}, EachThread{});
}

CUZK_KERNEL(cuzk_ntt_frequency_fr)(PassParams p) { block_pass<InFrequency>(p); }
CUZK_KERNEL(cuzk_ntt_time_fr)(PassParams p) { block_pass<InTime>(p); }
CUZK_KERNEL(cuzk_ntt_reverse_fr)(ReverseParams p) { block_reverse(p); }
CUZK_KERNEL(cuzk_ntt_multiply_fr)(MultiplyParams p) { multiply(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_twiddle_top_fr)(TwiddleTopParams p) { twiddle_top(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_twiddle_level_fr)(TwiddleLevelParams p) { twiddle_level(p, thread_index()); }

} // namespace cuzk::ntt
