// Points in XYZZ coordinates: x = X / ZZ, y = Y / ZZZ with ZZ^3 = ZZZ^2.
//
// Called by: one thread. Source: the formulas for short Weierstrass curves with a = 0 of [EFD],
// named where they are used. Every function is right for every pair of points: equal, opposite,
// the identity. Costs count merged pairs a b - c d as two products.
#pragma once

#include "cuzk/curve/affine.cuh"

namespace cuzk::curve {

// The identity has ZZ = ZZZ = 0.
template <class F> struct Xyzz {
    F x, y, zz, zzz;

    static CUZK_HOST_DEVICE Xyzz identity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
    static CUZK_HOST_DEVICE Xyzz from(const Affine<F> &p) {
        if (p.is_identity()) return identity();
        return {p.x, p.y, F::one(), F::one()};
    }
    CUZK_HOST_DEVICE bool is_identity() const { return zz.is_zero(); }
    friend CUZK_HOST_DEVICE Xyzz operator-(const Xyzz &p) { return {p.x, -p.y, p.zz, p.zzz}; }

    // One inversion, 1S + 5M.
    CUZK_HOST_DEVICE Affine<F> to_affine() const {
        if (is_identity()) return Affine<F>::identity();
        F over_zzz = inverse(zzz);
        F over_z = over_zzz * zz;
        return {x * sqr(over_z), y * over_zzz};
    }
};

// 2 p for affine p. 4M + 3S, mdbl-2008-s-1.
template <class F> CUZK_HOST_DEVICE Xyzz<F> double_affine(const Affine<F> &p) {
    F u = dbl(p.y);
    F v = sqr(u);
    F w = u * v;
    F s = p.x * v;
    F xx = sqr(p.x);
    F m = dbl(xx) + xx;
    F x3 = sqr(m) - dbl(s);
    return {x3, diff_of_products(m, s - x3, w, p.y), v, w};
}

// 2 p. 6M + 3S, dbl-2008-s-1; the identity gives ZZ = 0 again.
template <class F> CUZK_HOST_DEVICE Xyzz<F> dbl(const Xyzz<F> &p) {
    Xyzz<F> r = double_affine(Affine<F>{p.x, p.y});
    r.zz = r.zz * p.zz;
    r.zzz = r.zzz * p.zzz;
    return r;
}

// What the two additions share: from a point over zz, zzz and the differences p = x2 - x1,
// r = y2 - y1 in its coordinates, p != 0. The order keeps few values alive across the calls, and
// lets the result take the place of `a`.
template <class F>
CUZK_HOST_DEVICE void chord_to(Xyzz<F> &out, const Xyzz<F> &a, const F &p, const F &r) {
    F pp = sqr(p);
    F q = a.x * pp;
    out.zz = a.zz * pp;
    F ppp = p * pp;
    out.zzz = a.zzz * ppp;
    F x3 = sqr(r) - ppp - dbl(q);
    out.y = diff_of_products(r, q - x3, a.y, ppp);
    out.x = x3;
}

// out = a + b; `out` may be `a`. 8M + 2S, madd-2008-s.
template <class F>
CUZK_HOST_DEVICE void add_mixed_to(Xyzz<F> &out, const Xyzz<F> &a, const Affine<F> &b) {
    if (b.is_identity()) {
        out = a;
    } else if (a.is_identity()) {
        out = Xyzz<F>::from(b);
    } else {
        F p = b.x * a.zz - a.x;
        F r = b.y * a.zzz - a.y;
        if (!p.is_zero()) {
            chord_to(out, a, p, r);
        } else {
            out = r.is_zero() ? double_affine(b) : Xyzz<F>::identity();
        }
    }
}

// out = a + b; `out` may be `a`. 12M + 2S, add-2008-s.
template <class F> CUZK_HOST_DEVICE void add_to(Xyzz<F> &out, const Xyzz<F> &a, const Xyzz<F> &b) {
    if (b.is_identity()) {
        out = a;
    } else if (a.is_identity()) {
        out = b;
    } else {
        Xyzz<F> scaled;
        scaled.x = a.x * b.zz;
        F p = b.x * a.zz - scaled.x;
        scaled.y = a.y * b.zzz;
        F r = b.y * a.zzz - scaled.y;
        if (!p.is_zero()) {
            scaled.zz = a.zz * b.zz;
            scaled.zzz = a.zzz * b.zzz;
            chord_to(out, scaled, p, r);
        } else {
            out = r.is_zero() ? dbl(a) : Xyzz<F>::identity();
        }
    }
}

template <class F> CUZK_HOST_DEVICE Xyzz<F> add_mixed(const Xyzz<F> &a, const Affine<F> &b) {
    Xyzz<F> sum;
    add_mixed_to(sum, a, b);
    return sum;
}
template <class F> CUZK_HOST_DEVICE Xyzz<F> add(const Xyzz<F> &a, const Xyzz<F> &b) {
    Xyzz<F> sum;
    add_to(sum, a, b);
    return sum;
}

} // namespace cuzk::curve
