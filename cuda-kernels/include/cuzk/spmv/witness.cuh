// A packed witness on the device: two bits a variable, and the values that are neither 0 nor 1.
//
// Called by: one thread, but for `scan`.
//
// The simple algorithm: unpack the witness into one scalar a variable, and gather scalars. The
// trick: leave it packed. A variable's class is two bits of one word, and a circuit's whole bitmaps
// stay in the cache; of the values, those of class small or full are kept in order, and the place
// of one is the number of such classes before it: a rank that is stored for every 32 variables,
// plus a count of bits in the word.
#pragma once

#include "cuzk/arith/bits.cuh"
#include "cuzk/block/scan.cuh"
#include "cuzk/field/fr.cuh"
#include "cuzk/spmv/params.cuh"

namespace cuzk::spmv {
using field::Fr;

CUZK_HOST_DEVICE u32 full_bits(const ClassWord &c) { return c.low & c.high; }
CUZK_HOST_DEVICE u32 small_bits(const ClassWord &c) { return ~c.low & c.high; }

struct Witness {
    const ClassWord *classes;
    const RankWord *ranks;
    const Fr *values;

    explicit CUZK_HOST_DEVICE Witness(const WitnessView &view)
        : classes(static_cast<const ClassWord *>(view.classes)),
          ranks(static_cast<const RankWord *>(view.ranks)),
          values(static_cast<const Fr *>(view.values)) {}

    // The value of a variable of class small or full, whose word of classes is given.
    CUZK_HOST_DEVICE const Fr &stored(u32 variable, const ClassWord &c) const {
        const RankWord rank = ranks[variable / 32];
        const u32 bit = 1u << variable % 32;
        const bool full = c.low & bit;
        const u32 before = (full ? full_bits(c) : small_bits(c)) & (bit - 1);
        return values[(full ? rank.full : rank.small) + bits::count(before)];
    }
};

// The value of one variable.
CUZK_HOST_DEVICE Fr variable(const ExpandParams &p, u32 i) {
    const Witness witness(p.witness);
    const ClassWord c = witness.classes[i / 32];
    if (c.high >> i % 32 & 1) return witness.stored(i, c);
    return c.low >> i % 32 & 1 ? Fr::one() : Fr::zero();
}

CUZK_HOST_DEVICE void small(const SmallParams &p, u64 i) {
    if (i >= p.n) return;
    const u64 whole = static_cast<const u64 *>(p.small)[i];
    Fr value = Fr::zero();
    value.limbs[0] = u32(whole);
    value.limbs[1] = u32(whole >> 32);
    static_cast<Fr *>(p.values)[i] = Fr::to_mont(value);
}

// The classes of one word of the two bitmaps.
CUZK_HOST_DEVICE ClassWord class_word(const void *low, const void *high, u64 word) {
    return {static_cast<const u32 *>(low)[word], static_cast<const u32 *>(high)[word]};
}

CUZK_HOST_DEVICE void count(const CountParams &p, u64 chunk) {
    if (chunk >= p.chunks) return;
    RankWord sum{};
    const u64 first = chunk * CHUNK, end = first + CHUNK < p.words ? first + CHUNK : p.words;
    CUZK_ROLLED
    for (u64 word = first; word < end; word++) {
        const ClassWord c = class_word(p.low, p.high, word);
        sum.full += bits::count(full_bits(c));
        sum.small += bits::count(small_bits(c));
    }
    static_cast<RankWord *>(p.before)[chunk] = sum;
}

// A thread counts what stands before its word in the chunk anew: 16 words on average, which its
// neighbours read too.
CUZK_HOST_DEVICE void rank(const RankParams &p, u64 word) {
    if (word >= p.words) return;
    RankWord sum = static_cast<const RankWord *>(p.before)[word / CHUNK];
    CUZK_ROLLED
    for (u64 before = word / CHUNK * CHUNK; before < word; before++) {
        const ClassWord c = class_word(p.low, p.high, before);
        sum.full += bits::count(full_bits(c));
        sum.small += bits::count(small_bits(c));
    }
    static_cast<RankWord *>(p.ranks)[word] = sum;
    static_cast<ClassWord *>(p.classes)[word] = class_word(p.low, p.high, word);
}

template <u32 THREADS> struct ScanShared {
    u32 full[2][THREADS];
    u32 small[2][THREADS];
};

// The scan of the chunks, by one block of THREADS threads. Shared memory: ScanShared. Synchronises:
// after every phase, by `each` as in the transform's passes.
//
// Every thread sums a share of neighbouring chunks, the sums are scanned, and every thread goes
// over its share again.
template <u32 THREADS, class Each>
CUZK_HOST_DEVICE void scan(const ScanParams &p, ScanShared<THREADS> &shared, const Each &each) {
    RankWord *before = static_cast<RankWord *>(p.before);
    const u64 share = (p.chunks + THREADS - 1) / THREADS;
    each([&](u32 thread) {
        RankWord sum{};
        CUZK_ROLLED
        for (u64 c = thread * share; c < (thread + 1) * share && c < p.chunks; c++) {
            sum.full += before[c].full;
            sum.small += before[c].small;
        }
        shared.full[0][thread] = sum.full;
        shared.small[0][thread] = sum.small;
    });
    const u32 *full = block::inclusive_sums<THREADS>(shared.full[0], shared.full[1], each);
    const u32 *small = block::inclusive_sums<THREADS>(shared.small[0], shared.small[1], each);
    each([&](u32 thread) {
        RankWord sum{};
        if (thread) sum = {full[thread - 1], small[thread - 1]};
        sum.small += u32(p.first_small);
        CUZK_ROLLED
        for (u64 c = thread * share; c < (thread + 1) * share && c < p.chunks; c++) {
            const RankWord here = before[c];
            before[c] = sum;
            sum.full += here.full;
            sum.small += here.small;
        }
    });
}

} // namespace cuzk::spmv
