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

    // 2D.
    friend CUZK_HOST_DEVICE Fp2 operator*(const Fp2 &a, const Fp2 &b) {
        return {diff_of_products(a.c0, b.c0, a.c1, b.c1), sum_of_products(a.c0, b.c1, a.c1, b.c0)};
    }
    // 2M: (c0 + c1)(c0 - c1) + 2 c0 c1 u.
    friend CUZK_HOST_DEVICE Fp2 sqr(const Fp2 &a) {
        return {(a.c0 + a.c1) * (a.c0 - a.c1), dbl(a.c0) * a.c1};
    }
};
static_assert(sizeof(Fp2) == 96 && alignof(Fp2) == 16, "the layout of cuzk_curve::Fp2Limbs");

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
