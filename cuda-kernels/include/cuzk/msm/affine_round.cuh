// One round of additions of affine points, whose inversions are made together.
//
// Source: the chord and the tangent, [EFD]; many inverses from one, [Montgomery87]. An addition is
// 5M + 1S and its share of an inversion.
//
// The simple algorithm, for each pair:
//
//     d = x2 - x1, e = y2 - y1         // where the points are equal: d = 2 y1, e = 3 x1^2
//     s = e / d
//     x3 = s^2 - x1 - x2, y3 = s (x1 - x3) - y1
//
// The trick: a thread takes a chain of pairs and multiplies their denominators up, keeping the
// product before each (forward); the products of all threads are inverted, again in chains with
// one division each (invert); then it goes through its chain from the end, and takes from the
// inverse of all denominators so far that of the last one (backward).
//
// Why it is right: a denominator is never zero. Where a sum is no chord and no tangent it is one:
// an identity among the points, or opposite points. These, and equal points, are found by their
// abscissas, which are canonical: that of every base, and of every output after `backward`.
//
// Bounds (`affine_field.cuh`), in multiples of p: denominators, prefixes and inverses are below 2:
// x2 - x1 + 1 is, and every product of two such. e = y2 - y1 + 2 is below 4, so that s = e / d is
// below 2. s^2 - (x1 + x2) + 2 is below 5 and is reduced. (x1 - x3 + 1) s is below 2, and less y1
// and plus 2 it is below 4, of which 2 is taken where it is more.
//
// Blocks of THREADS. A tile is the pairs of one block: its thread t takes every
// THREADS-th pair of it from the t-th on, so that neighbours read neighbours.
#pragma once

#include "cuzk/msm/affine_lists.cuh"
#include "cuzk/msm/affine_points.cuh"

namespace cuzk::msm::affine {

CUZK_HOST_DEVICE u32 ceil_div(u32 a, u32 b) { return (a + b - 1) / b; }
CUZK_HOST_DEVICE u32 clamp(u32 value, u64 least, u64 most) {
    return value < least ? u32(least) : value > most ? u32(most) : value;
}

// How a round's pairs are shared. It has long chains where that leaves blocks enough.
struct RoundShape {
    u32 pairs, chain, tiles, products, inverter_chain, inverters;

    explicit CUZK_HOST_DEVICE RoundShape(const RoundParams &p)
        : pairs(static_cast<const u32 *>(p.totals)[p.round]),
          chain(clamp(ceil_div(pairs, u32(p.wanted_tiles) * THREADS), p.min_chain, p.max_chain)),
          tiles(ceil_div(pairs, chain * THREADS)), products(tiles * THREADS),
          inverter_chain(
              clamp(ceil_div(products, u32(p.wanted_inverters)), 1, p.max_inverter_chain)),
          inverters(ceil_div(products, inverter_chain)) {}
};

// Field elements in planes.
template <class F> struct Planes {
    Word *words;
    u64 capacity;

    CUZK_HOST_DEVICE F load(u32 i) const { return load_words<F>(words + i, capacity); }
    CUZK_HOST_DEVICE void store(u32 i, const F &f) const { store_words(words + i, capacity, f); }
};

// The arrays of a round, in their types.
template <class F, bool FIRST> struct Round {
    Points<F, FIRST> points;
    const PairRefs *pairs;
    Planes<F> prefixes, products, xs, ys;

    explicit CUZK_HOST_DEVICE Round(const RoundParams &p)
        : points(p.points), pairs(static_cast<const PairRefs *>(p.pairs)),
          prefixes{static_cast<Word *>(p.prefixes), p.prefix_capacity},
          products{static_cast<Word *>(p.products), p.product_capacity},
          xs{static_cast<Word *>(p.points.outputs), p.points.capacity},
          ys{xs.words + WORDS<F> * p.points.capacity, p.points.capacity} {}
};

// The pairs of a thread: `len` of them, THREADS apart, the first at `at` in the arrays of pairs.
// The output of the pair at i is at i + to_output.
struct Chain {
    u32 at, len, to_output;
    bool in_round; // whether the block has any

    CUZK_HOST_DEVICE Chain(const RoundParams &p, u32 tile, u32 thread) {
        const RoundShape shape(p);
        const u32 *totals = static_cast<const u32 *>(p.totals);
        const u32 pair = tile * shape.chain * THREADS + thread, origin = first_pair(totals);
        in_round = tile < shape.tiles;
        at = origin + pair;
        len = in_round && pair < shape.pairs ? ceil_div(shape.pairs - pair, THREADS) : 0;
        len = len < shape.chain ? len : shape.chain;
        to_output = totals[FIRSTS + p.round] - origin;
    }
};

// Called by: a block for each tile; blocks too many do nothing. The abscissas of the next pair are
// on their way while a product is made, where registers allow it (H200, 2026-11: 14.1 against 14.7
// ms in G1; in G2 they would not, 8.0 against 7.6 ms).
template <class F, bool FIRST>
CUZK_HOST_DEVICE void forward(const RoundParams &p, u32 tile, u32 thread) {
    constexpr bool AHEAD = sizeof(F) == sizeof(Fp);
    const Round<F, FIRST> round(p);
    Chain chain(p, tile, thread);
    if (!chain.in_round) return;
    F product = F::one();
    Place<F> left{}, right{};
    F x1{}, x2{};
    PairRefs next{};
    auto load = [&]() {
        left = round.points.place(next.left), right = round.points.place(next.right);
        x1 = left.x(), x2 = right.x();
    };
    if (chain.len > 0) next = round.pairs[chain.at];
    if (AHEAD && chain.len > 0) {
        load();
        if (chain.len > 1) next = round.pairs[chain.at + THREADS];
    }
    CUZK_ROLLED
    for (u32 i = 0; i < chain.len; i++, chain.at += THREADS) {
        if (!AHEAD) load();
        const F d = may_be_special(x1, x2) ? special_addition<F>(left, right).d : minus<0>(x2, x1);
        if (AHEAD && i + 1 < chain.len) load();
        if (i + 1 + AHEAD < chain.len) next = round.pairs[chain.at + (1 + AHEAD) * THREADS];
        if (i == 0) {
            product = d;
        } else {
            round.prefixes.store(chain.at, product);
            product = mul_inlined(product, d);
        }
    }
    round.products.store(tile * THREADS + thread, product);
}

// Called by: a thread for each chain of products, strided so that neighbours read neighbours;
// threads too many do nothing.
template <class F> CUZK_HOST_DEVICE void invert(const RoundParams &p, u32 thread) {
    const RoundShape shape(p);
    if (thread >= shape.inverters) return;
    const Planes<F> products{static_cast<Word *>(p.products), p.product_capacity};
    const Planes<F> prefixes{static_cast<Word *>(p.chains), p.product_capacity};
    u32 at = thread;
    F product = products.load(at);
    CUZK_ROLLED
    for (at += shape.inverters; at < shape.products; at += shape.inverters) {
        prefixes.store(at, product);
        product = mul(product, products.load(at));
    }
    F inverted = inverse(canonical<1>(product));
    CUZK_ROLLED
    for (at -= shape.inverters; at != thread; at -= shape.inverters) {
        const F factor = products.load(at);
        products.store(at, mul(inverted, prefixes.load(at)));
        inverted = mul(inverted, factor);
    }
    products.store(thread, inverted);
}

// Called by: as `forward`.
template <class F, bool FIRST>
CUZK_HOST_DEVICE void backward(const RoundParams &p, u32 tile, u32 thread) {
    const Round<F, FIRST> round(p);
    Chain chain(p, tile, thread);
    if (chain.len == 0) return;
    F inverted = round.products.load(tile * THREADS + thread);
    chain.at += (chain.len - 1) * THREADS;
    PairRefs next = round.pairs[chain.at];
    CUZK_ROLLED
    for (; chain.len > 0; chain.len--, chain.at -= THREADS) {
        const PairRefs refs = next;
        if (chain.len > 1) next = round.pairs[chain.at - THREADS];
        const Place<F> left = round.points.place(refs.left);
        const Place<F> right = round.points.place(refs.right);
        F x1 = left.x(), y1 = left.y();
        const F x2 = right.x(), y2 = right.y();
        F d = minus<0>(x2, x1), e = minus<1>(y2, y1);
        const F across = plus(x1, x2);
        bool is_known = false;
        if (may_be_special(x1, x2)) {
            const Addition<F> special = special_addition<F>(left, right);
            x1 = special.x1, y1 = special.y1, d = special.d, e = special.e;
            is_known = special.is_known;
        }
        F over_d = inverted;
        if (chain.len > 1) {
            const Two<F> both = products(inverted, round.prefixes.load(chain.at), d);
            over_d = both.first, inverted = both.second;
        }
        const Two<F> slope = product_square(e, over_d);
        F x3 = reduced_difference(slope.second, across);
        F y3 = below<1>(minus<1>(mul(minus<0>(x1, x3), slope.first), y1));
        if (is_known) x3 = x1, y3 = y1;
        round.xs.store(chain.at + chain.to_output, x3);
        round.ys.store(chain.at + chain.to_output, y3);
    }
}

// A whole round of few pairs, later ones too: a thread inverts the product of its own chain.
//
// Called by: as `forward`.
template <class F> CUZK_HOST_DEVICE void add_few(const RoundParams &p, u32 tile, u32 thread) {
    forward<F, false>(p, tile, thread);
    if (tile >= RoundShape(p).tiles) return;
    const Planes<F> products{static_cast<Word *>(p.products), p.product_capacity};
    const u32 at = tile * THREADS + thread;
    products.store(at, inverse(canonical<1>(products.load(at))));
    backward<F, false>(p, tile, thread);
}

// Called by: a thread for each bucket, after the last round.
template <class F> CUZK_HOST_DEVICE void collect(const CollectParams &p, u64 bucket) {
    if (bucket >= p.buckets) return;
    const u32 *offsets = static_cast<const u32 *>(p.offsets);
    curve::Affine<F> sum = curve::Affine<F>::identity();
    if (p.carried || offsets[bucket + 1] != offsets[bucket]) {
        const Points<F, false> points(p.points);
        const Place<F> place = points.place(static_cast<const u32 *>(p.carries)[bucket]);
        sum = {place.x(), canonical<2>(place.y())};
    }
    static_cast<curve::Affine<F> *>(p.sums)[bucket] = sum;
}

} // namespace cuzk::msm::affine
