// One pass of the transform: a block takes a tile of whole columns and makes up to LOG_TILE stages
// on them, three at a time; between these steps the elements are in shared memory.
//
// Called by: a block of 2^LOG_TILE / 8 threads for each tile of 2^LOG_TILE elements; one block
// where there are fewer. Shared memory: Tile::BYTES. Synchronises: after every step.
//
// The simple algorithm, decimation in frequency:
//
//     for m = n/2, n/4, ..., 1:
//         for every block of 2 m elements, for j in 0..m:
//             x[j], x[j + m] = x[j] + x[j + m], (x[j] - x[j + m]) * w_2m^j
//
// The trick: log_rows stages of it, from the reach m = rows/2 * stride down to stride, combine only
// elements whose indices agree modulo `stride` and in what stands above rows * stride: a column.
// Three stages at a time are made by a thread on eight rows in registers. If these lie `apart` rows
// from each other and sigma = apart * stride, the reaches are 4 sigma, 2 sigma and sigma, and the
// twiddles of row i's butterflies stand in the table at
//
//     (4 + i) sigma + j for i in 0..4;  (2 + i) sigma + j for i in 0..2;  sigma + j
//
// with one j < sigma: seven loads, neighbouring threads from neighbouring places.
//
// Why it is right: i apart + (row mod apart) is the row inside a block of 8 apart rows, so that
// (i apart + row mod apart) stride + column = i sigma + j is the butterfly's number in its stage.
//
// Where sigma = 1, j is 0, and the first twiddle of each of the three stages is the first of its
// level, which is one unless there is a coset: seven of twelve products are saved.
#pragma once

#include "cuzk/ntt/butterfly.cuh"
#include "cuzk/ntt/params.cuh"
#include "cuzk/ntt/tile.cuh"

namespace cuzk::ntt {

// Stages that a thread makes in registers.
constexpr u32 MAX_DEPTH = 3;

// Where a tile lies. All lengths are powers of two, by their exponents.
//
// Its columns are neighbours. Where a row of columns is shorter than the tile is wide, the tile has
// all columns of several blocks. Position ((part * rows + row) * width + column) in the tile.
template <u32 LOG_TILE> struct Place {
    u32 log_rows, log_width;
    u64 log_stride;
    u64 first; // index of position 0
    u64 first_column;
    u32 len;

    CUZK_HOST_DEVICE Place(const PassParams &p, u64 block) {
        u32 log_len = p.log_n < LOG_TILE ? u32(p.log_n) : LOG_TILE;
        log_rows = u32(p.log_rows);
        log_stride = p.log_stride;
        u64 log_columns = log_len - log_rows;
        log_width = u32(log_columns < log_stride ? log_columns : log_stride);
        len = 1u << log_len;
        u64 column = block << log_columns; // of all blocks, one after the other
        first_column = column & ((u64(1) << log_stride) - 1);
        first = ((column >> log_stride) << (log_rows + log_stride)) + first_column;
    }
    // The index in the whole of a position in the tile.
    CUZK_HOST_DEVICE u64 index(u32 position) const {
        u64 row = position >> log_width; // and the part above it
        u64 column = position & ((1u << log_width) - 1);
        return first + (row << log_stride) + column;
    }
};

// A few stages on rows that are 2^log_apart apart.
struct Step {
    u32 depth;
    u32 log_apart;
    // Whether the rows come from device memory and go there, and not from and to the tile.
    bool is_first, is_last;
};

// How the stages of a pass are cut into steps: those that are no multiple of three come first, or
// last where the order is the other.
template <class Decimation>
CUZK_HOST_DEVICE Step step_after(u32 done, u32 log_rows, u64 log_stride) {
    u32 left = log_rows - done, rest = left % MAX_DEPTH;
    Step step;
    step.depth = rest && (Decimation::FROM_LONGEST || left < MAX_DEPTH) ? rest : MAX_DEPTH;
    step.log_apart = Decimation::FROM_LONGEST ? left - step.depth : done;
    // A thread's own rows are then neighbours in memory and the threads of a warp far from each
    // other: the tile turns that round.
    bool crosses = step.log_apart + log_stride >= 2;
    step.is_first = done == 0 && crosses;
    step.is_last = done + step.depth == log_rows && crosses;
    return step;
}

CUZK_HOST_DEVICE Fr finished(const PassParams &p, const Fr &value) {
    return p.log_divisor ? divide_by_power_of_two(value, u32(p.log_divisor)) : value;
}

// DEPTH stages on 2^DEPTH rows, for every such set of the tile. AT_ONE says that sigma is 1 and
// that the first twiddles are one.
template <class Decimation, u32 DEPTH, bool AT_ONE, u32 LOG_TILE>
CUZK_HOST_DEVICE void stages(const PassParams &p, const Tile<LOG_TILE> &tile,
                             const Place<LOG_TILE> &place, const Step &step, u32 thread,
                             u32 threads) {
    constexpr u32 ROWS = 1u << DEPTH;
    const Fr *in = static_cast<const Fr *>(p.in), *twiddles = static_cast<const Fr *>(p.twiddles);
    Fr *out = static_cast<Fr *>(p.out);
    const u32 log_step = step.log_apart + place.log_width;
    const u64 log_sigma = step.log_apart + place.log_stride;
    CUZK_ROLLED
    for (u32 set = thread; set < place.len >> DEPTH; set += threads) {
        // The position of the set's first row: its lower part is the column and the row below
        // `apart`, above which a place is made for the row's number in the set.
        u32 low = set & ((1u << log_step) - 1);
        u32 start = ((set >> log_step) << (log_step + DEPTH)) + low;
        u64 column = place.first_column + (low & ((1u << place.log_width) - 1));
        u64 j = (u64(low >> place.log_width) << place.log_stride) + column;
        u64 index = place.index(start);

        Fr x[ROWS];
        if (step.is_first) {
            CUZK_UNROLL
            for (u32 i = 0; i < ROWS; i++) x[i] = in[index + (u64(i) << log_sigma)];
        } else {
            CUZK_UNROLL
            for (u32 i = 0; i < ROWS; i++) x[i] = tile.load(start + (i << log_step));
        }
        CUZK_UNROLL
        for (u32 stage = 0; stage < DEPTH; stage++) {
            const u32 reach = Decimation::FROM_LONGEST ? ROWS >> (stage + 1) : 1u << stage;
            CUZK_UNROLL
            for (u32 i = 0; i < reach; i++) {
                if (AT_ONE && i == 0) {
                    CUZK_UNROLL
                    for (u32 k = 0; k < ROWS; k += 2 * reach) butterfly_of_one(x[k], x[k + reach]);
                    continue;
                }
                const Fr t = twiddles[(u64(reach + i) << log_sigma) + j];
                CUZK_UNROLL
                for (u32 k = i; k < ROWS; k += 2 * reach) {
                    Decimation::butterfly(x[k], x[k + reach], t);
                }
            }
        }
        if (step.is_last) {
            CUZK_UNROLL
            for (u32 i = 0; i < ROWS; i++) {
                out[index + (u64(i) << log_sigma)] = finished(p, x[i]);
            }
        } else {
            CUZK_UNROLL
            for (u32 i = 0; i < ROWS; i++) tile.store(start + (i << log_step), x[i]);
        }
    }
}

// The whole pass for one block. `each` runs a phase on every thread of the block: on a device it
// calls it with this thread's number and synchronises.
template <class Decimation, u32 LOG_TILE, class Each>
CUZK_HOST_DEVICE void pass(const PassParams &p, u64 block, u32 threads, const Tile<LOG_TILE> &tile,
                           const Each &each) {
    const Place<LOG_TILE> place(p, block);
    const Fr *in = static_cast<const Fr *>(p.in);
    Fr *out = static_cast<Fr *>(p.out);
    Step step = step_after<Decimation>(0, place.log_rows, place.log_stride);
    if (!step.is_first) {
        each([&](u32 thread) {
            CUZK_ROLLED
            for (u32 i = thread; i < place.len; i += threads) tile.store(i, in[place.index(i)]);
        });
    }
    CUZK_ROLLED
    for (u32 done = 0; done < place.log_rows; done += step.depth) {
        step = step_after<Decimation>(done, place.log_rows, place.log_stride);
        bool at_one = p.begins_with_one && step.log_apart + place.log_stride == 0;
        each([&](u32 thread) {
            if (step.depth == 1) {
                stages<Decimation, 1, false>(p, tile, place, step, thread, threads);
            } else if (step.depth == 2) {
                stages<Decimation, 2, false>(p, tile, place, step, thread, threads);
            } else if (at_one) {
                stages<Decimation, 3, true>(p, tile, place, step, thread, threads);
            } else {
                stages<Decimation, 3, false>(p, tile, place, step, thread, threads);
            }
        });
    }
    if (!step.is_last) {
        each([&](u32 thread) {
            CUZK_ROLLED
            for (u32 i = thread; i < place.len; i += threads) {
                out[place.index(i)] = finished(p, tile.load(i));
            }
        });
    }
}

} // namespace cuzk::ntt
