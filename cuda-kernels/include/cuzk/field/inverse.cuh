// Inversion in a prime field by division steps.
//
// Called by: one thread. Source: [BY19], with half-integer delta and the number of steps of
// [safegcd-bounds]. Cost in Fp: 30 batches of 30 steps, the time of about 50 products, where a
// power by p - 2 takes that of about 420.
//
// The simple algorithm, for odd f = p and g = a:
//
//     delta = 1/2
//     while g != 0:
//         if delta > 0 and g odd:  delta, f, g = 1 - delta, g, (g - f) / 2
//         elif g odd:              delta, g = 1 + delta, (g + f) / 2
//         else:                    delta, g = 1 + delta, g / 2
//     return f = +1 or -1
//
// with d, e following f, g modulo p, so that d a = f and e a = g: then 1/a = f d.
//
// The trick: 30 steps look only at the lowest 30 bits of f and g. They are made on two words, and
// give a matrix (u v; q r) of entries at most 2^30; then f, g, d, e are multiplied by it and
// divided by 2^30 once. d and e are made divisible by adding a multiple m p with -2^29 <= m < 2^29.
//
// Why it is right: |u| + |v| and |q| + |r| are at most 2^30, so that the largest of |d|, |e| grows
// by less than p/2 in a batch and ends below 16 p. The number of batches is the proven bound for
// the length of p, so that g = 0 whatever a was; more steps would leave f and d as they are.
#pragma once

#include "cuzk/field/mont.cuh"

namespace cuzk::field {

// A signed number of 30-bit limbs, lowest first, all but the topmost in [0, 2^30).
template <class P> struct Limbs30 {
    static constexpr int LEN = P::LIMBS30;
    static constexpr u32 MASK = (1u << 30) - 1;

    i32 v[LEN];

    static CUZK_HOST_DEVICE Limbs30 from_limbs(const u32 (&a)[P::LIMBS]) {
        Limbs30 r;
        CUZK_UNROLL
        for (int j = 0; j < LEN; j++) {
            int word = 30 * j / 32, shift = 30 * j % 32;
            u32 low = word < P::LIMBS ? a[word] >> shift : 0;
            u32 high = shift > 2 && word + 1 < P::LIMBS ? a[word + 1] << (32 - shift) : 0;
            r.v[j] = i32((low | high) & MASK);
        }
        return r;
    }
    // For a number of [0, 2^(32 N)).
    CUZK_HOST_DEVICE void to_limbs(u32 (&a)[P::LIMBS]) const {
        CUZK_UNROLL
        for (int i = 0; i < P::LIMBS; i++) {
            int limb = 32 * i / 30, shift = 32 * i % 30;
            u32 word = u32(v[limb]) >> shift;
            if (limb + 1 < LEN) word |= u32(v[limb + 1]) << (30 - shift);
            if (limb + 2 < LEN && shift > 28) word |= u32(v[limb + 2]) << (60 - shift);
            a[i] = word;
        }
    }
    static CUZK_HOST_DEVICE Limbs30 modulus() {
        Limbs30 r;
        CUZK_UNROLL
        for (int j = 0; j < LEN; j++) r.v[j] = i32(P::modulus30(j));
        return r;
    }
    CUZK_HOST_DEVICE bool is_negative() const { return v[LEN - 1] < 0; }

    // sign * this + k p, for a sign of 1 or -1 and |k| <= 16.
    CUZK_HOST_DEVICE Limbs30 plus_moduli(i32 sign, i32 k) const {
        Limbs30 r;
        i64 sum = 0;
        CUZK_UNROLL
        for (int j = 0; j < LEN - 1; j++) {
            sum += i64(sign) * v[j] + i64(k) * i32(P::modulus30(j));
            r.v[j] = i32(u32(sum) & MASK);
            sum >>= 30;
        }
        r.v[LEN - 1] = i32(sum + i64(sign) * v[LEN - 1] + i64(k) * i32(P::modulus30(LEN - 1)));
        return r;
    }
};

// Thirty division steps as a matrix: 2^30 (f, g) becomes (u f + v g, q f + r g).
struct StepMatrix {
    i32 u, v, q, r;

    // The steps from the lowest bits of f and g; `theta` is twice delta.
    static CUZK_HOST_DEVICE StepMatrix thirty(i32 &theta, u32 f, u32 g) {
        StepMatrix t{1, 0, 0, 1};
        for (int step = 0; step < 30; step++) {
            bool odd = g & 1, swap = odd && theta > 0;
            i32 times = swap ? -1 : (odd ? 1 : 0);
            u32 next_g = g + u32(times) * f;
            i32 next_q = t.q + times * t.u, next_r = t.r + times * t.v;
            f = swap ? g : f;
            t.u = 2 * (swap ? t.q : t.u);
            t.v = 2 * (swap ? t.r : t.v);
            theta = 2 + (swap ? -theta : theta);
            g = next_g >> 1;
            t.q = next_q;
            t.r = next_r;
        }
        return t;
    }

    // (f, g) by the matrix over 2^30; both divide exactly.
    template <class P> CUZK_HOST_DEVICE void apply(Limbs30<P> &f, Limbs30<P> &g) const {
        apply_with(f, g, 0, 0);
    }
    // The same modulo p.
    template <class P> CUZK_HOST_DEVICE void apply_mod(Limbs30<P> &d, Limbs30<P> &e) const {
        u32 low_d = u32(u) * u32(d.v[0]) + u32(v) * u32(e.v[0]);
        u32 low_e = u32(q) * u32(d.v[0]) + u32(r) * u32(e.v[0]);
        apply_with(d, e, cancelling<P>(low_d), cancelling<P>(low_e));
    }

  private:
    // The m of [-2^29, 2^29) with low + m p = 0 mod 2^30.
    template <class P> static CUZK_HOST_DEVICE i32 cancelling(u32 low) {
        return i32((low * P::NEG_INV30) << 2) >> 2;
    }
    template <class P>
    CUZK_HOST_DEVICE void apply_with(Limbs30<P> &x, Limbs30<P> &y, i32 mx, i32 my) const {
        i64 sum_x = 0, sum_y = 0;
        CUZK_UNROLL
        for (int j = 0; j < P::LIMBS30; j++) {
            i32 p = i32(P::modulus30(j)), xj = x.v[j], yj = y.v[j];
            sum_x += i64(u) * xj + i64(v) * yj + i64(mx) * p;
            sum_y += i64(q) * xj + i64(r) * yj + i64(my) * p;
            if (j > 0) {
                x.v[j - 1] = i32(u32(sum_x) & Limbs30<P>::MASK);
                y.v[j - 1] = i32(u32(sum_y) & Limbs30<P>::MASK);
            }
            sum_x >>= 30;
            sum_y >>= 30;
        }
        x.v[P::LIMBS30 - 1] = i32(sum_x);
        y.v[P::LIMBS30 - 1] = i32(sum_y);
    }
};

// 1 / a, and 0 for 0.
template <class P> CUZK_OUT_OF_LINE Mont<P> inverse(Mont<P> a) {
    using Number = Limbs30<P>;
    Number f = Number::modulus(), g = Number::from_limbs(a.limbs), d{}, e{};
    e.v[0] = 1;
    i32 theta = 1;
    CUZK_ROLLED
    for (int batch = 0; batch < P::DIVSTEP_BATCHES; batch++) {
        StepMatrix t = StepMatrix::thirty(theta, u32(f.v[0]), u32(g.v[0]));
        t.apply(f, g);
        t.apply_mod(d, e);
    }
    d = d.plus_moduli(f.is_negative() ? -1 : 1, 16);
    CUZK_ROLLED
    for (i32 k = 16; k > 0; k /= 2) {
        Number less = d.plus_moduli(1, -k);
        CUZK_UNROLL
        for (int j = 0; j < Number::LEN; j++) d.v[j] = less.is_negative() ? d.v[j] : less.v[j];
    }
    // Of x R this is 1 / (x R); times R^3 / R it is R / x.
    Mont<P> r, r3;
    d.to_limbs(r.limbs);
    CUZK_UNROLL
    for (int i = 0; i < P::LIMBS; i++) r3.limbs[i] = P::r3(i);
    return r3 * r;
}

} // namespace cuzk::field
