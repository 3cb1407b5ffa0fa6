// Prefix sums of one number a thread.
//
// Called by: every thread of a block, through a functor that runs a phase for each thread and
// synchronises. Shared memory: two arrays of a number a thread. Result valid in: all threads.
//
// The simple algorithm [HS86]: for step = 1, 2, 4, ...: to each sum the one `step` places before is
// added. Reading one array and writing the other lets a phase have one synchronisation.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::block {

// For each thread, the sum of `sums` up to its own number, that included; in one of the two arrays.
template <u32 THREADS, class EachThread>
CUZK_HOST_DEVICE const u32 *inclusive_sums(u32 *sums, u32 *other, const EachThread &each) {
    CUZK_ROLLED
    for (u32 step = 1; step < THREADS; step *= 2) {
        each([=](u32 t) { other[t] = sums[t] + (t < step ? 0 : sums[t - step]); });
        u32 *last = sums;
        sums = other;
        other = last;
    }
    return sums;
}

} // namespace cuzk::block
