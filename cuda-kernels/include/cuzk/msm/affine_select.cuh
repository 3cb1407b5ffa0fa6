// The list of the indices whose bit is set, for sums of selected points.
//
// Called by: a block of LIST_THREADS threads for each CHUNK words of the bitmap.
#pragma once

#include "cuzk/arith/bits.cuh"
#include "cuzk/msm/affine_scan.cuh"

namespace cuzk::msm::affine {

// Bits 32 i to 32 i + 31, without those past the end.
CUZK_HOST_DEVICE u32 bitmap_word(const SelectParams &p, u64 i) {
    if (32 * i >= p.bits) return 0;
    u32 word = static_cast<const u32 *>(p.bitmap)[i];
    u64 left = p.bits - 32 * i;
    return left < 32 ? word & ((1u << left) - 1) : word;
}

CUZK_HOST_DEVICE void select_count(const SelectParams &p, const ListBlock &block, u64 chunk,
                                   u32 &sum) {
    block.each([&](u32 thread) {
        if (thread == 0) sum = 0;
    });
    block.each([&](u32 thread) {
        u32 ones = 0;
        CUZK_UNROLL
        for (u32 i = 0; i < PER_THREAD; i++) {
            ones += bits::count(bitmap_word(p, chunk * CHUNK + i * LIST_THREADS + thread));
        }
        arith::atomic_add(&sum, ones);
    });
    block.each([&](u32 thread) {
        if (thread == 0) static_cast<u32 *>(p.chunk_bases)[chunk] = sum;
    });
}

// Called by: one block.
CUZK_HOST_DEVICE void select_sum(const SelectParams &p, const ListBlock &block,
                                 SumsOfWarps &of_warps) {
    u32 *offsets = static_cast<u32 *>(p.offsets);
    scan_in_place(block, static_cast<u32 *>(p.chunk_bases), p.chunks, &offsets[1], of_warps);
    block.each([&](u32 thread) {
        if (thread == 0) offsets[0] = 0;
    });
}

CUZK_HOST_DEVICE void select_write(const SelectParams &p, const ListBlock &block, u64 chunk,
                                   SumsOfWarps &of_warps) {
    const u64 first = chunk * CHUNK;
    Own<u32> before;
    block.each([&](u32 thread) {
        before[thread] = 0;
        CUZK_UNROLL
        for (u32 i = 0; i < PER_THREAD; i++) {
            before[thread] += bits::count(bitmap_word(p, first + thread * PER_THREAD + i));
        }
    });
    block::sums_before(block, before, of_warps);
    block.each([&](u32 thread) {
        u32 *out = static_cast<u32 *>(p.entries) + static_cast<const u32 *>(p.chunk_bases)[chunk] +
                   before[thread];
        CUZK_ROLLED
        for (u32 i = 0; i < PER_THREAD; i++) {
            u64 at = first + thread * PER_THREAD + i;
            CUZK_ROLLED
            for (u32 word = bitmap_word(p, at); word != 0; word &= word - 1) {
                *out++ = u32(32 * at) + bits::lowest(word);
            }
        }
    });
}

// Called by: one thread, for a list of `bits` indices that is there.
CUZK_HOST_DEVICE void select_whole(const SelectParams &p) {
    u32 *offsets = static_cast<u32 *>(p.offsets);
    offsets[0] = 0;
    offsets[1] = u32(p.bits);
}

} // namespace cuzk::msm::affine
