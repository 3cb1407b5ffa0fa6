// A pass of the transform by a block, with its tile in shared memory.
#pragma once

#include "cuzk/block/each.cuh"
#include "cuzk/ntt/pass.cuh"

namespace cuzk::ntt {

// The tile of a pass: narrow enough for four blocks on a multiprocessor, and for every card.
constexpr u32 LOG_TILE = 10;
static_assert(Tile<LOG_TILE>::BYTES == 36896, "shared_bytes in kernels.toml");

template <class Decimation> CUZK_DEVICE void block_pass(const PassParams &p) {
    extern __shared__ uint4 shared[];
    Tile<LOG_TILE> tile{reinterpret_cast<Tile<LOG_TILE>::Half *>(shared)};
    pass<Decimation>(p, blockIdx.x, (1u << LOG_TILE) >> MAX_DEPTH, tile, block::EachThread{});
}

} // namespace cuzk::ntt
