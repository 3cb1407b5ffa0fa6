// The permutation between natural and reversed order.
//
// The simple algorithm: out[reverse(i)] = in[i], of which either side would touch memory in pieces
// of one element.
//
// The trick: the index is (high, middle, low) with four bits in `high` and in `low`. The elements
// of one `middle` are 16 runs of 16 neighbours, a tile; they go to the tile of the reversed middle,
// (reverse low, reverse middle, reverse high), which is 16 runs of 16 neighbours too. A block takes
// both tiles and exchanges them, so that it may be done in place.
//
// Called by: a block of THREADS for each tile. Shared memory: two Tile<LOG_REVERSED>. Synchronises:
// after loading.
#pragma once

#include "cuzk/ntt/params.cuh"
#include "cuzk/ntt/tile.cuh"

namespace cuzk::ntt {

// Bits of an index at either end that a tile turns round, and elements of a tile.
constexpr u32 LOG_RUN = 4;
constexpr u32 LOG_REVERSED = 2 * LOG_RUN;

CUZK_HOST_DEVICE u64 reverse_bits(u64 i, u64 bits) {
    u64 r = 0;
    CUZK_ROLLED
    for (u64 bit = 0; bit < bits; bit++) r |= ((i >> bit) & 1) << (bits - 1 - bit);
    return r;
}

// Fewer elements than a tile: thread i moves element i and its partner.
CUZK_HOST_DEVICE void reverse_few(const ReverseParams &p, u64 i) {
    if (i >> p.log_n) return;
    u64 partner = reverse_bits(i, p.log_n);
    if (partner < i) return;
    const Fr *in = static_cast<const Fr *>(p.in);
    Fr *out = static_cast<Fr *>(p.out);
    Fr a = in[i], b = in[partner];
    out[partner] = a;
    out[i] = b;
}

// The two tiles of one block. `each` is as for a pass.
template <class Each>
CUZK_HOST_DEVICE void reverse(const ReverseParams &p, u64 block, const Tile<LOG_REVERSED> &here,
                              const Tile<LOG_REVERSED> &there, const Each &each) {
    const Fr *in = static_cast<const Fr *>(p.in);
    Fr *out = static_cast<Fr *>(p.out);
    if (p.log_n < LOG_REVERSED) {
        each([&](u32 thread) { reverse_few(p, (block << LOG_REVERSED) + thread); });
        return;
    }
    constexpr u32 RUN = 1u << LOG_RUN;
    const u64 partner = reverse_bits(block, p.log_n - LOG_REVERSED);
    if (partner < block) return;
    auto index = [&](u64 middle, u32 thread) {
        return (u64(thread / RUN) << (p.log_n - LOG_RUN)) + (middle << LOG_RUN) + thread % RUN;
    };
    each([&](u32 thread) {
        here.store(thread, in[index(block, thread)]);
        there.store(thread, in[index(partner, thread)]);
    });
    each([&](u32 thread) {
        u32 from = u32(reverse_bits(thread, LOG_REVERSED));
        out[index(partner, thread)] = here.load(from);
        out[index(block, thread)] = there.load(from);
    });
}

} // namespace cuzk::ntt
