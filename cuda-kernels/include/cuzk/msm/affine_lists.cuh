// Which points a round adds.
//
// The simple algorithm, for a bucket with the points `list`:
//
//     while list has more than one point:
//         list = [list[0] + list[1], list[2] + list[3], ...] and the last one where they are odd
//
// The trick: an odd point is not moved. A bucket's points of a round are the run of its sums of
// the round before, and at most one that waits, its carry. The carry joins the last of the run as
// soon as that is left over, and a left-over point of a bucket that has no carry becomes it.
//
// Why it is right, and what it needs: of `count` points, left(r) = ceil(count / 2^r) are left
// before round r, so the round has floor(left(r) / 2) pairs of the bucket. Its run then has as many
// points as the round before had pairs, floor(left(r - 1) / 2), so that there is a carry just when
// left(r - 1) was odd. Nothing is kept about a bucket but its carry: pairs follow from `offsets`
// and from where the pairs of each bucket start, a running sum over the buckets. A bucket of one
// point left over makes that point its carry, so at the end the carries are the sums.
//
// Buckets may bring a sum along, of entries that were added up before: it is one more point, after
// the others. Then every bucket has a point.
//
// Positions are 31 bits: bases, sums brought along and entries together are fewer than 2^31.
#pragma once

#include "cuzk/msm/affine_scan.cuh"

namespace cuzk::msm::affine {

CUZK_HOST_DEVICE u32 left_before(u32 count, u64 round) {
    return u32((u64(count) + (u64(1) << round) - 1) >> round);
}

// Views of the arrays, in their types.
struct Lists {
    const u32 *entries, *offsets, *before;
    u32 *chunk_bases, *totals, *starts, *tiles, *carries;
    PairRefs *pairs;
    u64 buckets;
    u32 carried;

    explicit CUZK_HOST_DEVICE Lists(const ListParams &p)
        : entries(static_cast<const u32 *>(p.entries)),
          offsets(static_cast<const u32 *>(p.offsets)), before(static_cast<const u32 *>(p.before)),
          chunk_bases(static_cast<u32 *>(p.chunk_bases)), totals(static_cast<u32 *>(p.totals)),
          starts(static_cast<u32 *>(p.starts)), tiles(static_cast<u32 *>(p.tiles)),
          carries(static_cast<u32 *>(p.carries)), pairs(static_cast<PairRefs *>(p.pairs)),
          buckets(p.buckets), carried(u32(p.carried)) {}

    CUZK_HOST_DEVICE u32 count(u64 bucket) const {
        return bucket < buckets ? offsets[bucket + 1] - offsets[bucket] + carried : 0;
    }
    // The position of the first output of the round before.
    CUZK_HOST_DEVICE u32 run(const ListParams &p) const {
        return p.round > 0 ? u32(p.first_output) + totals[FIRSTS + p.round - 1] : 0;
    }
    // The last point of a bucket that has any.
    CUZK_HOST_DEVICE u32 last(const ListParams &p, u64 bucket) const {
        return carried ? u32(p.first_carried + bucket) : entries[offsets[bucket + 1] - 1];
    }
};

// The first place of a part in arrays of one element a pair: half of its first point, rounded up,
// so that the parts do not meet.
CUZK_HOST_DEVICE u32 first_pair(const u32 *totals) { return (totals[FIRSTS] + 1) / 2; }

// The pairs of a chunk of buckets in every round.
//
// Called by: a block for each chunk. Shared memory: a sum for each round.
CUZK_HOST_DEVICE void count_pairs(const ListParams &p, const ListBlock &block, u64 chunk,
                                  u32 (&sums)[ROUNDS]) {
    const Lists lists(p);
    block.each([&](u32 thread) {
        if (thread < ROUNDS) sums[thread] = 0;
    });
    block.each([&](u32 thread) {
        u32 counts[PER_THREAD];
        CUZK_UNROLL
        for (u32 i = 0; i < PER_THREAD; i++) {
            counts[i] = lists.count(chunk * CHUNK + i * LIST_THREADS + thread);
        }
        CUZK_ROLLED
        for (u64 round = 0; round < p.rounds; round++) {
            u32 pairs = 0;
            CUZK_UNROLL
            for (u32 i = 0; i < PER_THREAD; i++) pairs += left_before(counts[i], round) / 2;
            if (pairs == 0) break; // and none in later rounds
            arith::atomic_add(&sums[round], pairs);
        }
    });
    block.each([&](u32 thread) {
        if (thread < p.rounds) lists.chunk_bases[thread * p.chunks + chunk] = sums[thread];
    });
}

// From pairs of chunks to pairs before them, and the total of a round.
//
// Called by: a block for each round.
CUZK_HOST_DEVICE void sum_chunks(const ListParams &p, const ListBlock &block, u64 round,
                                 SumsOfWarps &of_warps) {
    const Lists lists(p);
    u32 *bases = lists.chunk_bases + round * p.chunks;
    scan_in_place(block, bases, p.chunks, &lists.totals[round], of_warps);
    block.each([&](u32 thread) {
        if (thread == 0 && round == 0) {
            lists.totals[FIRSTS] = lists.offsets[0] + lists.carried * u32(p.first_bucket);
        }
    });
}

// A bucket's part of a round: notes where its pairs start, and its carry after it.
CUZK_HOST_DEVICE void start_bucket(const ListParams &p, const Lists &lists, u64 bucket, u32 count,
                                   u32 start) {
    const u32 left = left_before(count, p.round), end = start + left / 2;
    lists.starts[bucket] = start;
    if (bucket + 1 == lists.buckets) lists.starts[lists.buckets] = end;
    CUZK_ROLLED
    for (u32 tile = (start + PAIR_TILE - 1) / PAIR_TILE; tile * PAIR_TILE < end; tile++) {
        lists.tiles[tile] = u32(bucket);
    }
    const bool had_carry = p.round > 0 && left_before(count, p.round - 1) % 2 == 1;
    if (left % 2 == 0 || had_carry) return;
    lists.carries[bucket] =
        p.round == 0 ? lists.last(p, bucket) : lists.run(p) + lists.before[bucket + 1] - 1;
}

// A number for each bucket of a chunk, between threads that take neighbours and threads that take
// eight in a row: a gap after every 32 keeps both from meeting in a bank.
struct StartShared {
    u32 numbers[CHUNK + CHUNK / 32];
    SumsOfWarps of_warps;

    CUZK_HOST_DEVICE u32 &operator[](u32 bucket) { return numbers[bucket + bucket / 32]; }
};

// Called by: a block for each chunk.
CUZK_HOST_DEVICE void start_buckets(const ListParams &p, const ListBlock &block, u64 chunk,
                                    StartShared &shared) {
    const Lists lists(p);
    // Where the round before had no pairs, neither has this one, and the carries are made.
    if (p.round > 0 && lists.totals[p.round - 1] == 0) return;
    const u64 first = chunk * CHUNK;
    Own<u32> start;
    block.each([&](u32 thread) {
        CUZK_UNROLL
        for (u32 i = thread; i < CHUNK; i += LIST_THREADS) {
            shared[i] = left_before(lists.count(first + i), p.round) / 2;
        }
    });
    block.each([&](u32 thread) {
        start[thread] = 0;
        CUZK_UNROLL
        for (u32 i = 0; i < PER_THREAD; i++) start[thread] += shared[thread * PER_THREAD + i];
    });
    block::sums_before(block, start, shared.of_warps);
    block.each([&](u32 thread) {
        u32 at = lists.chunk_bases[p.round * p.chunks + chunk] + start[thread];
        CUZK_UNROLL
        for (u32 i = 0; i < PER_THREAD; i++) {
            u32 &number = shared[thread * PER_THREAD + i];
            const u32 pairs = number;
            number = at;
            at += pairs;
        }
    });
    block.each([&](u32 thread) {
        CUZK_UNROLL
        for (u32 i = thread; i < CHUNK && first + i < lists.buckets; i += LIST_THREADS) {
            start_bucket(p, lists, first + i, lists.count(first + i), shared[i]);
        }
        if (chunk == 0 && thread == 0 && p.round > 0) {
            lists.totals[FIRSTS + p.round] =
                lists.totals[FIRSTS + p.round - 1] + lists.totals[p.round - 1];
        }
    });
}

// The last index of [low, high) whose value is at most `value`, where that of `low` is.
CUZK_HOST_DEVICE u32 last_at_most(const u32 *values, u32 low, u32 high, u32 value) {
    CUZK_ROLLED
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        bool found = values[middle] <= value;
        low = found ? middle : low;
        high = found ? high : middle;
    }
    return low;
}

// The pairs of a bucket, up to `end`: the left point of a pair is at 2 pair + shift, of the entries
// in the first round and of the bucket's run later. What is left over there goes with the carry, and
// in the first round with what the bucket brings along.
struct Run {
    u32 bucket, end, shift, last;

    CUZK_HOST_DEVICE Run(const ListParams &p, const Lists &lists, u32 bucket)
        : bucket(bucket), end(lists.starts[bucket + 1]) {
        const u32 start = lists.starts[bucket];
        if (p.round == 0) {
            shift = lists.offsets[bucket] - 2 * start;
            last = lists.offsets[bucket + 1] - 1;
            return;
        }
        const u32 run = lists.run(p);
        shift = run + lists.before[bucket] - 2 * start;
        last = run + lists.before[bucket + 1] - 1;
    }
    CUZK_HOST_DEVICE PairRefs pair(const ListParams &p, const Lists &lists, u32 number) const {
        const u32 left = 2 * number + shift;
        if (p.round == 0) {
            const u32 entry = lists.entries[left];
            return {entry, left < last ? lists.entries[left + 1] : lists.last(p, bucket)};
        }
        return {left, left < last ? left + 1 : lists.carries[bucket]};
    }
};

// The pairs of a tile between the threads that make them and those that write them: rows are
// apart so that neither meet in a bank.
using PairTile = PairRefs[PAIRS_PER_THREAD][LIST_THREADS + 4];

// The pairs of this round.
//
// Called by: a block for each PAIR_TILE of them; blocks too many do nothing. Shared memory: the
// tile, so that neighbouring threads write neighbouring pairs.
CUZK_HOST_DEVICE void write_pairs(const ListParams &p, const ListBlock &block, u64 tile,
                                  PairTile &shared) {
    const Lists lists(p);
    const u32 total = lists.totals[p.round];
    if (tile * PAIR_TILE >= total) return;
    const u32 first = u32(tile) * PAIR_TILE;
    block.each([&](u32 thread) {
        const u32 low = lists.tiles[tile];
        const u32 high = total - first > PAIR_TILE ? lists.tiles[tile + 1] + 1 : u32(lists.buckets);
        u32 pair = first + thread * PAIRS_PER_THREAD;
        if (pair >= total) return;
        Run run(p, lists, last_at_most(lists.starts, low, high, pair));
        CUZK_UNROLL
        for (u32 i = 0; i < PAIRS_PER_THREAD; i++, pair++) {
            if (pair >= total) return;
            if (pair >= run.end) {
                u32 bucket = run.bucket + 1;
                if (pair >= lists.starts[bucket + 1]) {
                    bucket = last_at_most(lists.starts, bucket, high, pair);
                }
                run = Run(p, lists, bucket);
            }
            shared[i][thread] = run.pair(p, lists, pair);
        }
    });
    block.each([&](u32 thread) {
        PairRefs *out = lists.pairs + first_pair(lists.totals);
        CUZK_UNROLL
        for (u32 i = 0; i < PAIRS_PER_THREAD; i++) {
            u32 at = i * LIST_THREADS + thread;
            if (first + at < total) {
                out[first + at] = shared[at % PAIRS_PER_THREAD][at / PAIRS_PER_THREAD];
            }
        }
    });
}

} // namespace cuzk::msm::affine
