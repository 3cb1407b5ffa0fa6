// The quadratic extension Fp[u] / (u^2 + 1).
//
// Called by: one thread. Costs are in products of Fp, M, squarings, S, and merged pairs of
// products, D, which take 1.5 M.
#pragma once

#include "cuzk/field/fp.cuh"

namespace cuzk::field {

struct alignas(16) Fp2 {
    Fp c0, c1; // c0 + c1 u

    static CUZK_HOST_DEVICE Fp2 zero() { return {Fp::zero(), Fp::zero()}; }
    static CUZK_HOST_DEVICE Fp2 one() { return {Fp::one(), Fp::zero()}; }
    CUZK_HOST_DEVICE bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    friend CUZK_HOST_DEVICE bool operator==(const Fp2 &a, const Fp2 &b) {
        return a.c0 == b.c0 && a.c1 == b.c1;
    }
    friend CUZK_HOST_DEVICE Fp2 operator+(const Fp2 &a, const Fp2 &b) {
        return {a.c0 + b.c0, a.c1 + b.c1};
    }
    friend CUZK_HOST_DEVICE Fp2 operator-(const Fp2 &a, const Fp2 &b) {
        return {a.c0 - b.c0, a.c1 - b.c1};
    }
    friend CUZK_HOST_DEVICE Fp2 operator-(const Fp2 &a) { return {-a.c0, -a.c1}; }
    friend CUZK_HOST_DEVICE Fp2 dbl(const Fp2 &a) { return {dbl(a.c0), dbl(a.c1)}; }
};
static_assert(sizeof(Fp2) == 96 && alignof(Fp2) == 16, "the layout of cuzk_curve::Fp2Limbs");

// The product and the square, each called as a whole: two calls of D for a product cost 9 % of a
// sum of buckets in G2 (H200, 2026-11), for they shuffle 48 words twice.
CUZK_OUT_OF_LINE Fp2 mul_called(Fp2 a, Fp2 b) {
    return {Fp::reduce_once(Fp::dot_lazy<2>({a.c0, Fp::neg_lazy(a.c1)}, {b.c0, b.c1})),
            Fp::reduce_once(Fp::dot_lazy<2>({a.c0, a.c1}, {b.c1, b.c0}))};
}
CUZK_OUT_OF_LINE Fp2 sqr_called(Fp2 a) {
    return {Fp::reduce_once(Fp::mul_lazy(a.c0 + a.c1, a.c0 - a.c1)),
            Fp::reduce_once(Fp::mul_lazy(dbl(a.c0), a.c1))};
}

// 2D.
CUZK_HOST_DEVICE Fp2 operator*(const Fp2 &a, const Fp2 &b) { return mul_called(a, b); }
// 2M: (c0 + c1)(c0 - c1) + 2 c0 c1 u.
CUZK_HOST_DEVICE Fp2 sqr(const Fp2 &a) { return sqr_called(a); }

// 4D.
CUZK_HOST_DEVICE Fp2 diff_of_products(const Fp2 &a, const Fp2 &b, const Fp2 &c, const Fp2 &d) {
    return a * b - c * d;
}

// 1 / a, and 0 for 0, by the norm: 1 inversion, 2S + 2M.
CUZK_HOST_DEVICE Fp2 inverse(const Fp2 &a) {
    Fp over_norm = inverse(sqr(a.c0) + sqr(a.c1));
    return {a.c0 * over_norm, -(a.c1 * over_norm)};
}

} // namespace cuzk::field
