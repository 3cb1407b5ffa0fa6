// One pass of the transform: a block brings a tile of whole columns into shared memory, makes up to
// LOG_TILE stages on them, and writes them back.
//
// Called by: a block of THREADS threads for each tile of 2^LOG_TILE elements; one block where there
// are fewer. Shared memory: TILE_BYTES. Synchronises: after every phase.
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
#pragma once

#include "cuzk/ntt/butterfly.cuh"
#include "cuzk/ntt/params.cuh"

namespace cuzk::ntt {

// Stages that a thread makes in registers.
constexpr u32 MAX_DEPTH = 3;

// Elements in two planes of 16 bytes with a gap after every eighth: the eight lanes that shared
// memory serves at once then never meet in a bank, whether they read neighbours or every eighth.
template <u32 LOG_TILE> struct Tile {
    static constexpr u32 LEN = 1u << LOG_TILE;
    static constexpr u32 PADDED = LEN + LEN / 8 + 1;
    static constexpr u32 BYTES = 2 * PADDED * 16;
    struct alignas(16) Half {
        u32 limbs[4];
    };
    Half *halves;

    CUZK_HOST_DEVICE Fr load(u32 i) const {
        Half low = halves[padded(i)], high = halves[PADDED + padded(i)];
        Fr value;
        CUZK_UNROLL
        for (int k = 0; k < 4; k++) {
            value.limbs[k] = low.limbs[k];
            value.limbs[4 + k] = high.limbs[k];
        }
        return value;
    }
    CUZK_HOST_DEVICE void store(u32 i, const Fr &value) const {
        Half low, high;
        CUZK_UNROLL
        for (int k = 0; k < 4; k++) {
            low.limbs[k] = value.limbs[k];
            high.limbs[k] = value.limbs[4 + k];
        }
        halves[padded(i)] = low;
        halves[PADDED + padded(i)] = high;
    }

  private:
    static CUZK_HOST_DEVICE u32 padded(u32 i) { return i + i / 8; }
};

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

// DEPTH stages on 2^DEPTH rows that are 2^log_apart apart, for every such set of the tile.
template <class Decimation, u32 DEPTH, u32 LOG_TILE>
CUZK_HOST_DEVICE void stages(const Tile<LOG_TILE> &tile, const Place<LOG_TILE> &place,
                             const Fr *twiddles, u32 log_apart, u32 thread, u32 threads) {
    constexpr u32 ROWS = 1u << DEPTH;
    const u32 log_step = log_apart + place.log_width;
    const u64 log_sigma = log_apart + place.log_stride;
    CUZK_ROLLED
    for (u32 set = thread; set < place.len >> DEPTH; set += threads) {
        // The position of the set's first row: its lower part is the column and the row below
        // `apart`, above which a place is made for the row's number in the set.
        u32 low = set & ((1u << log_step) - 1);
        u32 start = ((set >> log_step) << (log_step + DEPTH)) + low;
        u64 column = place.first_column + (low & ((1u << place.log_width) - 1));
        u64 j = (u64(low >> place.log_width) << place.log_stride) + column;

        Fr x[ROWS];
        CUZK_UNROLL
        for (u32 i = 0; i < ROWS; i++) x[i] = tile.load(start + (i << log_step));
        CUZK_UNROLL
        for (u32 stage = 0; stage < DEPTH; stage++) {
            const u32 reach = Decimation::FROM_LONGEST ? ROWS >> (stage + 1) : 1u << stage;
            CUZK_UNROLL
            for (u32 i = 0; i < reach; i++) {
                const Fr t = twiddles[(u64(reach + i) << log_sigma) + j];
                CUZK_UNROLL
                for (u32 k = i; k < ROWS; k += 2 * reach) {
                    Decimation::butterfly(x[k], x[k + reach], t);
                }
            }
        }
        CUZK_UNROLL
        for (u32 i = 0; i < ROWS; i++) tile.store(start + (i << log_step), x[i]);
    }
}

// The whole pass for one block. `each` runs a phase on every thread of the block: on a device it
// calls it with this thread's number and synchronises.
template <class Decimation, u32 LOG_TILE, class Each>
CUZK_HOST_DEVICE void pass(const PassParams &p, u64 block, u32 threads, const Tile<LOG_TILE> &tile,
                           const Each &each) {
    const Place<LOG_TILE> place(p, block);
    const Fr *in = static_cast<const Fr *>(p.in), *twiddles = static_cast<const Fr *>(p.twiddles);
    Fr *out = static_cast<Fr *>(p.out);
    each([&](u32 thread) {
        CUZK_ROLLED
        for (u32 i = thread; i < place.len; i += threads) tile.store(i, in[place.index(i)]);
    });
    // The stages that are no multiple of three come first, or last where the order is the other.
    CUZK_ROLLED
    for (u32 done = 0; done < place.log_rows;) {
        u32 left = place.log_rows - done;
        u32 depth = left % MAX_DEPTH ? left % MAX_DEPTH : MAX_DEPTH;
        if (!Decimation::FROM_LONGEST && left >= MAX_DEPTH) depth = MAX_DEPTH;
        u32 log_apart = Decimation::FROM_LONGEST ? left - depth : done;
        each([&](u32 thread) {
            if (depth == 1)
                stages<Decimation, 1>(tile, place, twiddles, log_apart, thread, threads);
            if (depth == 2)
                stages<Decimation, 2>(tile, place, twiddles, log_apart, thread, threads);
            if (depth == 3)
                stages<Decimation, 3>(tile, place, twiddles, log_apart, thread, threads);
        });
        done += depth;
    }
    each([&](u32 thread) {
        CUZK_ROLLED
        for (u32 i = thread; i < place.len; i += threads) {
            Fr value = tile.load(i);
            if (p.scale) {
                value = Fr::reduce_once(Fr::mul_lazy(*static_cast<const Fr *>(p.scale), value));
            }
            out[place.index(i)] = value;
        }
    });
}

} // namespace cuzk::ntt
