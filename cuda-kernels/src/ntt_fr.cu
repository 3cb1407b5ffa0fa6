// Kernels beside the passes of the number-theoretic transform over Fr.
#include "cuzk/block/each.cuh"
#include "cuzk/layout.cuh"
#include "cuzk/ntt/pointwise.cuh"
#include "cuzk/ntt/reverse.cuh"
#include "cuzk/ntt/table.cuh"

namespace cuzk::ntt {
using block::EachThread;
using block::thread_index;

CUZK_DEVICE void block_reverse(const ReverseParams &p) {
    using Reversed = Tile<LOG_REVERSED>;
    static_assert(2 * Reversed::BYTES == 18496, "shared_bytes in kernels.toml");
    extern __shared__ uint4 shared[];
    auto *halves = reinterpret_cast<Reversed::Half *>(shared);
    reverse(p, blockIdx.x, Reversed{halves}, Reversed{halves + 2 * Reversed::PADDED}, EachThread{});
}

CUZK_KERNEL(cuzk_ntt_reverse_fr)(ReverseParams p) { block_reverse(p); }
CUZK_KERNEL(cuzk_ntt_multiply_fr)(MultiplyParams p) { multiply(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_twiddle_top_fr)(TwiddleTopParams p) { twiddle_top(p, thread_index()); }
CUZK_KERNEL(cuzk_ntt_twiddle_level_fr)(TwiddleLevelParams p) { twiddle_level(p, thread_index()); }

} // namespace cuzk::ntt
