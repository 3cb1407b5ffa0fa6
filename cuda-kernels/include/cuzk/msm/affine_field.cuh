// Field arithmetic of the tree, on values that are reduced late.
//
// Called by: one thread. p / R is 0.102 (`mont.cuh`), and 9.84 p is R. A coordinate of Fp2 obeys
// what is said of Fp.
//
// The bounds, in multiples of p. A product of Fp is less than 1 + 0.102 x y, for factors below x
// and y with x + 1 <= 9.84. In Fp2, made from full products, an imaginary part is less than
// 1 + 0.204 x y, and a real part, to which p is added, less than 2 + 0.102 x y.
//
//     mul      x = 4, y = 2    Fp 1.82   Fp2 2.82   below 2, in Fp2 after 2 p is taken away
//     square   x = 2           Fp 1.41   Fp2 2.64   below 3: (c0 + c1)(c0 - c1 + 2 p), both below 4
#pragma once

#include "cuzk/field/fp2.cuh"

namespace cuzk::msm::affine {
using field::Fp;
using field::Fp2;

// Limb i of 2^LOG p.
template <class P, int LOG> CUZK_HOST_DEVICE u32 multiple(int i) {
    if (LOG == 0) return P::modulus(i);
    u32 below = i > 0 ? P::modulus(i - 1) : 0;
    return (P::modulus(i) << LOG) | (below >> ((32 - LOG) % 32));
}
template <int LOG> CUZK_HOST_DEVICE Fp multiple_of_p() {
    static_assert(LOG < field::FpParams::SPARE_BITS, "one bit stays free for a sum");
    Fp r;
    CUZK_UNROLL
    for (int i = 0; i < Fp::N; i++) r.limbs[i] = multiple<field::FpParams, LOG>(i);
    return r;
}

// a + b, without a reduction.
CUZK_HOST_DEVICE Fp plus(const Fp &a, const Fp &b) { return Fp::add_lazy(a, b); }
CUZK_HOST_DEVICE Fp2 plus(const Fp2 &a, const Fp2 &b) {
    return {plus(a.c0, b.c0), plus(a.c1, b.c1)};
}

// a - b + 2^LOG p, for b <= 2^LOG p: less than that more than a.
template <int LOG> CUZK_HOST_DEVICE Fp minus(const Fp &a, const Fp &b) {
    Fp r = multiple_of_p<LOG>();
    arith::sub(r.limbs, r.limbs, b.limbs);
    arith::add(r.limbs, r.limbs, a.limbs);
    return r;
}
template <int LOG> CUZK_HOST_DEVICE Fp2 minus(const Fp2 &a, const Fp2 &b) {
    return {minus<LOG>(a.c0, b.c0), minus<LOG>(a.c1, b.c1)};
}

// [0, 2^(LOG + 1) p) -> [0, 2^LOG p).
template <int LOG> CUZK_HOST_DEVICE Fp below(const Fp &a) {
    Fp m = multiple_of_p<LOG>(), less, r;
    u32 borrow = arith::sub(less.limbs, a.limbs, m.limbs);
    arith::select(r.limbs, borrow, a.limbs, less.limbs);
    return r;
}
template <int LOG> CUZK_HOST_DEVICE Fp2 below(const Fp2 &a) {
    return {below<LOG>(a.c0), below<LOG>(a.c1)};
}

// [0, 2^BITS p) -> [0, p).
template <int BITS, class F> CUZK_HOST_DEVICE F canonical(const F &a) {
    if constexpr (BITS == 1) {
        return below<0>(a);
    } else {
        return canonical<BITS - 1>(below<BITS - 1>(a));
    }
}

// acc += sum of a[j] b 2^(32 j) over even j. Either the row ends where an earlier one left its
// carry, and gives none, or its carry goes to the limb after it.
template <bool CARRIES> CUZK_HOST_DEVICE void wide_row(u32 *acc, const u32 *a, u32 b) {
    constexpr int N = Fp::N;
    arith::Carry c;
    arith::mad_row<N - 2>(c, acc, a, b);
    acc[N - 2] = c.madc_lo_cc(a[N - 2], b, acc[N - 2]);
    if (CARRIES) {
        acc[N - 1] = c.madc_hi_cc(a[N - 2], b, acc[N - 1]);
        acc[N] = c.addc(0, 0);
    } else {
        acc[N - 1] = c.madc_hi(a[N - 2], b, 0);
    }
}

// a b, in full. Products at even and at odd places are added up apart, as in `mont.cuh`, and
// together at the end.
CUZK_HOST_DEVICE void multiply_wide(u32 (&wide)[2 * Fp::N], const Fp &a, const Fp &b) {
    constexpr int N = Fp::N;
    u32 even[2 * N] = {}, odd[2 * N] = {}; // value: even + 2^32 odd
    arith::mul_row<N>(even, a.limbs, b.limbs[0]);
    arith::mul_row<N>(odd, a.limbs + 1, b.limbs[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; i++) {
        u32 *same = i % 2 ? odd + i - 1 : even + i, *next = i % 2 ? even + i + 1 : odd + i;
        wide_row<true>(same, a.limbs, b.limbs[i]);
        wide_row<false>(next, a.limbs + 1, b.limbs[i]);
    }
    arith::Carry c;
    wide[0] = even[0];
    wide[1] = c.add_cc(even[1], odd[0]);
    CUZK_UNROLL
    for (int i = 2; i < 2 * N - 1; i++) wide[i] = c.addc_cc(even[i], odd[i - 1]);
    wide[2 * N - 1] = c.addc(even[2 * N - 1], odd[2 * N - 2]);
}

template <class F> struct Two {
    F first, second;
};

// Functions that are called, for they are too long to be everywhere. Where two products follow each
// other they are one function: every call moves what it takes and gives, on the pipe of the
// products, and keeps registers (H200, 2026-11: `backward` in 40.6 against 43.9 ms for 2^24 points
// in 13 windows, 128 registers and no spill).
CUZK_OUT_OF_LINE Fp mul_lazy_called(Fp a, Fp b) { return Fp::mul_lazy(a, b); }
CUZK_OUT_OF_LINE Two<Fp> products_called(Fp x, Fp a, Fp b) {
    return {Fp::mul_lazy(x, a), Fp::mul_lazy(x, b)};
}
CUZK_OUT_OF_LINE Two<Fp> product_square_called(Fp a, Fp b) {
    const Fp product = Fp::mul_lazy(a, b);
    return {product, Fp::sqr_lazy(product)};
}

// By Karatsuba: three products and two reductions, where two merged pairs take four and two (H200,
// 2026-11: 34.7 against 38.2 ms of `backward` for 2^22 points in 14 windows). With a0 b0 - a1 b1 +
// R p in place of the real part, nothing is negative: a1 b1 < 8 p^2 < 0.82 R p.
CUZK_OUT_OF_LINE Fp2 mul_lazy_called(Fp2 a, Fp2 b) {
    constexpr int N = Fp::N;
    u32 real[2 * N], product1[2 * N], cross[2 * N];
    multiply_wide(cross, plus(a.c0, a.c1), plus(b.c0, b.c1));
    multiply_wide(real, a.c0, b.c0);
    multiply_wide(product1, a.c1, b.c1);
    arith::sub(cross, cross, real);
    arith::sub(cross, cross, product1);
    arith::sub(real, real, product1);
    Fp high, p = Fp::modulus();
    CUZK_UNROLL
    for (int i = 0; i < N; i++) high.limbs[i] = real[N + i];
    arith::add(high.limbs, high.limbs, p.limbs);
    CUZK_UNROLL
    for (int i = 0; i < N; i++) real[N + i] = high.limbs[i];
    return {Fp::redc_lazy(real), Fp::redc_lazy(cross)};
}

// a b of [0, 2p), for a of [0, 4p) and b of [0, 2p).
CUZK_HOST_DEVICE Fp mul(const Fp &a, const Fp &b) { return mul_lazy_called(a, b); }
CUZK_HOST_DEVICE Fp2 mul(const Fp2 &a, const Fp2 &b) { return below<1>(mul_lazy_called(a, b)); }

// The same, inlined: for a loop of one product.
CUZK_HOST_DEVICE Fp mul_inlined(const Fp &a, const Fp &b) { return Fp::mul_lazy(a, b); }
CUZK_HOST_DEVICE Fp2 mul_inlined(const Fp2 &a, const Fp2 &b) { return mul(a, b); }

// x a and x b.
CUZK_HOST_DEVICE Two<Fp> products(const Fp &x, const Fp &a, const Fp &b) {
    return products_called(x, a, b);
}
CUZK_HOST_DEVICE Two<Fp2> products(const Fp2 &x, const Fp2 &a, const Fp2 &b) {
    return {mul(x, a), mul(x, b)};
}

// a^2 of [0, 3p), for a of [0, 2p).
CUZK_HOST_DEVICE Fp square(const Fp &a) { return Fp::sqr_lazy(a); }
CUZK_HOST_DEVICE Fp2 square(const Fp2 &a) {
    return {mul_lazy_called(plus(a.c0, a.c1), minus<1>(a.c0, a.c1)),
            mul_lazy_called(plus(a.c0, a.c0), a.c1)};
}

// a b and its square, for a of [0, 4p) and b of [0, 2p).
CUZK_HOST_DEVICE Two<Fp> product_square(const Fp &a, const Fp &b) {
    return product_square_called(a, b);
}
CUZK_HOST_DEVICE Two<Fp2> product_square(const Fp2 &a, const Fp2 &b) {
    const Fp2 product = mul(a, b);
    return {product, square(product)};
}

// a - b of [0, p), for a square a and b of [0, 2p].
CUZK_HOST_DEVICE Fp reduced_difference(const Fp &a, const Fp &b) {
    return canonical<2>(minus<1>(a, b));
}
CUZK_HOST_DEVICE Fp2 reduced_difference(const Fp2 &a, const Fp2 &b) {
    return canonical<3>(minus<1>(a, b));
}

// Limbs whose coincidence is needed, and rare, where whole values coincide.
CUZK_HOST_DEVICE u32 low_limb(const Fp &a) { return a.limbs[0]; }
CUZK_HOST_DEVICE u32 low_limb(const Fp2 &a) { return a.c0.limbs[0]; }
CUZK_HOST_DEVICE u32 top_limb(const Fp &a) { return a.limbs[Fp::N - 1]; }
CUZK_HOST_DEVICE u32 top_limb(const Fp2 &a) { return a.c1.limbs[Fp::N - 1]; }

} // namespace cuzk::msm::affine
