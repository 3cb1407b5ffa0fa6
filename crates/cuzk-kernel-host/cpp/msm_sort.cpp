// The kernels that sort digits by bucket, block after block and thread after thread.
#include "cuzk/msm/parts.cuh"
#include "cuzk/msm/sort.cuh"

#include <cstring>
#include <memory>

using namespace cuzk;
using namespace cuzk::msm;

namespace {

// The caller's bytes need not be aligned.
template <class P> P read(const void *params) {
    P p;
    std::memcpy(&p, params, sizeof(P));
    return p;
}

} // namespace

#define KERNEL(name) extern "C" void cuzk_host_msm_##name(const void *params, u64 blocks, u64 block)

// For each thread of the grid.
#define PER_THREAD(name, call)                                                                     \
    KERNEL(name) {                                                                                 \
        SortParams p = read<SortParams>(params);                                                   \
        for (u64 thread = 0; thread < blocks * block; thread++) call(p, thread);                   \
    }
// For each block of the grid, with its shared memory.
#define PER_BLOCK(name, Shared, call)                                                              \
    KERNEL(name) {                                                                                 \
        (void)block;                                                                               \
        SortParams p = read<SortParams>(params);                                                   \
        auto shared = std::make_unique<Shared>();                                                  \
        for (u64 i = 0; i < blocks; i++) call;                                                     \
    }

template <u32 PARTS> struct DigitsShared {
    u32 counts[PARTS / 2];
};

PER_BLOCK(digits, DigitsShared<8192>, write_digits(p, u32(i), shared->counts, SortBlock{}))
PER_BLOCK(digits_wide, DigitsShared<MOST_PARTS>,
          write_digits(p, u32(i), shared->counts, SortBlock{}))
PER_THREAD(count_segments, count_segments)
PER_THREAD(scan_segments, scan_segments)
PER_BLOCK(find_starts, StartsShared, (find_starts(p, *shared, block::Threads<STARTS_THREADS>{})))
PER_THREAD(find_places, find_places)
PER_BLOCK(move_to_parts, MoveShared<13>, move_to_parts(p, u32(i), *shared, SortBlock{}))
PER_BLOCK(move_to_parts_long, MoveShared<14>, move_to_parts(p, u32(i), *shared, SortBlock{}))
PER_BLOCK(sort_part, StagedPart<8192>, sort_part(p, u32(i), *shared, PartBlock{}))
PER_BLOCK(sort_part_long, StagedPart<19456>, sort_part(p, u32(i), *shared, PartBlock{}))
PER_BLOCK(sort_part_longest, StagedPart<36864>, sort_part(p, u32(i), *shared, PartBlock{}))
PER_BLOCK(count_large, PartShared, count_large(p, u32(i), u32(blocks), *shared, PartBlock{}))
PER_BLOCK(scan_large, PartShared, scan_large(p, u32(i), u32(blocks), *shared, PartBlock{}))
PER_BLOCK(move_large, PartShared, move_large(p, u32(i), u32(blocks), *shared, PartBlock{}))

// The wanted digits of one scalar, table by table.
extern "C" void cuzk_host_msm_scalar_digits(const void *layout, const void *scalar, u32 *digits) {
    Fr value;
    std::memcpy(&value, scalar, sizeof(Fr));
    DigitLayout cut = read<DigitLayout>(layout);
    scalar_digits(cut, value, [&](u32 table, u32 window, u32, u32 digit) {
        digits[table * cut.windows + window] = digit;
    });
}
