// Sums and differences of pairs of affine points, whose inversions are made together.
//
// Source: as `affine_round.cuh`. The chord through P1 and P2 and that through P1 and -P2 have the
// same x2 - x1, so that both sums take one inversion: 7M + 2S for two where they would be 10M + 2S.
//
//     s = (y2 - y1) / d: x3 = s^2 - x1 - x2, y3 = s (x1 - x3) - y1
//     t = (y1 + y2) / d: x4 = t^2 - x1 - x2, y4 = t (x4 - x1) - y1, as its slope is -t
//
// Where the points are equal, opposite or absent, `forward` has taken another denominator, and the
// thread makes what is to be made by itself.
//
// Bounds: as there.
#pragma once

#include "cuzk/curve/xyzz.cuh"
#include "cuzk/msm/affine_round.cuh"

namespace cuzk::msm::affine {

// The sum and the difference in rows, the differences behind all sums.
template <class F> struct Folded {
    Word *sum, *difference;

    CUZK_HOST_DEVICE Folded(const RoundParams &p, u32 pair)
        : sum(static_cast<Word *>(p.points.outputs) + u64(pair) * (2 * WORDS<F>)),
          difference(sum + p.points.capacity * (2 * WORDS<F>)) {}

    static CUZK_HOST_DEVICE void store(Word *row, const F &x, const F &y) {
        store_words(row, 1, x);
        store_words(row + WORDS<F>, 1, y);
    }
};

// The coordinates of a pair: in G1 they are kept, in G2 they are loaded again where they are needed,
// and keep no registers across a product. (In `backward` of the rounds loading again costs G1 12 %
// and gains nothing in G2, with two, three or four blocks; H200, 2026-11.)
template <class F> struct PairPoints {
    static constexpr bool KEEPS = sizeof(F) == sizeof(Fp);

    Place<F> left, right;
    F kept_x1, kept_y1, kept_x2, kept_y2;

    CUZK_HOST_DEVICE PairPoints(const Place<F> &left, const Place<F> &right)
        : left(left), right(right) {
        if (KEEPS) kept_x1 = left.x(), kept_y1 = left.y();
        if (KEEPS) kept_x2 = right.x(), kept_y2 = right.y();
    }
    CUZK_HOST_DEVICE F x1() const { return KEEPS ? kept_x1 : left.x(); }
    CUZK_HOST_DEVICE F y1() const { return KEEPS ? kept_y1 : left.y(); }
    CUZK_HOST_DEVICE F x2() const { return KEEPS ? kept_x2 : right.x(); }
    CUZK_HOST_DEVICE F y2() const { return KEEPS ? kept_y2 : right.y(); }

    // What was loaded before is not what is loaded after this.
    static CUZK_HOST_DEVICE void forget() {
#ifdef __CUDA_ARCH__
        if (!KEEPS) asm volatile("" ::: "memory");
#endif
    }
};

// From the inverse of all denominators of a chain up to a pair's that of the pair, and of those
// before. Whether the pair may be special.
template <class F>
CUZK_HOST_DEVICE bool divide(const Round<F, true> &round, const Chain &chain,
                             const PairPoints<F> &points, F &over_d, F &inverted) {
    const F x1 = points.x1(), x2 = points.x2();
    const bool is_special = may_be_special(x1, x2);
    over_d = inverted;
    if (chain.len > 1) {
        const F d = is_special ? special_addition<F>(points.left, points.right).d
                               : minus<0>(x2, x1);
        const Two<F> both = products(inverted, round.prefixes.load(chain.at), d);
        over_d = both.first, inverted = both.second;
    }
    return is_special;
}

// Whether one point is absent, or both have the same abscissa; then both are there.
template <class F>
CUZK_OUT_OF_LINE bool fold_special(const Folded<F> &out, Place<F> left, Place<F> right) {
    const F x1 = left.x(), y1 = left.y(), x2 = right.x(), y2 = right.y();
    const F none = F::zero();
    if (is_identity(x2, y2)) {
        out.store(out.sum, x1, y1);
        out.store(out.difference, x1, y1);
    } else if (is_identity(x1, y1)) {
        out.store(out.sum, x2, y2);
        out.store(out.difference, x2, -y2);
    } else if (x1 == x2) {
        const curve::Affine<F> twice = curve::double_affine(curve::Affine<F>{x1, y1}).to_affine();
        const bool is_same = y1 == y2;
        out.store(is_same ? out.sum : out.difference, twice.x, twice.y);
        out.store(is_same ? out.difference : out.sum, none, none);
    } else {
        return false;
    }
    return true;
}

// Called by: as `backward`, after `forward` and `invert`. The points are canonical.
template <class F> CUZK_HOST_DEVICE void fold(const RoundParams &p, u32 tile, u32 thread) {
    const Round<F, true> round(p);
    Chain chain(p, tile, thread);
    if (chain.len == 0) return;
    F inverted = round.products.load(tile * THREADS + thread);
    chain.at += (chain.len - 1) * THREADS;
    CUZK_ROLLED
    for (; chain.len > 0; chain.len--, chain.at -= THREADS) {
        const PairRefs refs = round.pairs[chain.at];
        const PairPoints<F> points(round.points.place(refs.left), round.points.place(refs.right));
        const Folded<F> out(p, chain.at);
        F over_d;
        const bool is_special = divide(round, chain, points, over_d, inverted);
        if (is_special && fold_special(out, points.left, points.right)) continue;
        CUZK_ROLLED
        for (u32 minus_right = 0; minus_right < 2; minus_right++) {
            points.forget();
            const F y2 = points.y2(), y1 = points.y1();
            const Two<F> slope =
                product_square(minus_right ? plus(y1, y2) : minus<1>(y2, y1), over_d);
            points.forget();
            const F x1 = points.x1();
            const F x3 = reduced_difference(slope.second, plus(x1, points.x2()));
            Word *row = minus_right ? out.difference : out.sum;
            store_words(row, 1, x3);
            const F across = minus_right ? minus<0>(x3, x1) : minus<0>(x1, x3);
            const F product = mul(across, slope.first);
            points.forget();
            store_words(row + WORDS<F>, 1, canonical<2>(minus<1>(product, points.y1())));
        }
    }
}

} // namespace cuzk::msm::affine
