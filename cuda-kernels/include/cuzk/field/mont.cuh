// A prime field in Montgomery form: the element x is held as x R mod p with R = 2^(32 N).
//
// Called by: one thread. Source: [Montgomery85]; operand scanning, CIOS in [KAK96].
//
// The simple algorithm, for a * b / R mod p:
//
//     T = 0
//     for i in 0..N:
//         T += a * b[i]
//         T += p * (T[0] * -1/p mod 2^32)      // now T[0] = 0
//         T >>= 32
//     return T < p ? T : T - p
//
// The trick: a row `a * b[i]` has overlapping products, lo(a[j+1] b[i]) and hi(a[j] b[i]), so one
// carry chain cannot take it in one pass. T is therefore kept as `even + 2^32 odd`: products of
// even-numbered limbs go to `even`, the others to `odd`; within each the products lie side by side
// and a multiply-add pair of 64 bits (IMAD.WIDE.U32) takes one product with its carry. Shifting T
// by one limb makes `odd` the even part, and `even` without its two lowest limbs the odd part; the
// limb between, even[1], is added to the lowest limb of the new even part, and the carry of that
// addition enters the odd chain, whose lowest limb is the next position.
//
// Why it is right: after each shift T < max(a) + p, since (T + a b[i] + p m) / 2^32 is less than
// ((a + p) + (2^32 - 1)(a + p)) / 2^32. So with a + p <= 2^(32 N) the parts never outgrow their N
// limbs, but for the even chain's carry, which is added to the top limb of `odd`.
//
// Ranges. Functions take and give canonical values, [0, p), unless named `_lazy`. For those, with
// a < x p and b < y p: the result is less than (1 + x y p / R) p, where p / R is 0.102 in Fp and
// 0.453 in Fr, provided x p + p <= R: x <= 8.8 in Fp and 1.2 in Fr. The factor b may be any N
// limbs, so that in Fr a product of a canonical a by a lazy b is less than 2 p.
#pragma once

#include "cuzk/field/reduction.cuh"

namespace cuzk::field {

template <class P> struct alignas(16) Mont {
    static constexpr int N = P::LIMBS;
    static_assert(N % 2 == 0, "rows are taken in pairs of limbs");
    using Params = P;

    u32 limbs[N];

    static CUZK_HOST_DEVICE Mont zero() { return Mont{}; }
    static CUZK_HOST_DEVICE Mont one() {
        Mont r;
        CUZK_UNROLL
        for (int i = 0; i < N; i++) r.limbs[i] = P::one(i);
        return r;
    }
    CUZK_HOST_DEVICE bool is_zero() const { return arith::is_zero(limbs); }
    friend CUZK_HOST_DEVICE bool operator==(const Mont &a, const Mont &b) {
        return arith::equal(a.limbs, b.limbs);
    }

    // [0, 2p) -> [0, p).
    static CUZK_HOST_DEVICE Mont reduce_once(const Mont &a) {
        Mont p = modulus(), less, r;
        u32 borrow = arith::sub(less.limbs, a.limbs, p.limbs);
        arith::select(r.limbs, borrow, a.limbs, less.limbs);
        return r;
    }

    // The sum of two values of [0, p), left in [0, 2p).
    static CUZK_HOST_DEVICE Mont add_lazy(const Mont &a, const Mont &b) {
        Mont r;
        arith::add(r.limbs, a.limbs, b.limbs);
        return r;
    }
    // a - b + p for values of [0, p], left in [0, 2p].
    static CUZK_HOST_DEVICE Mont sub_lazy(const Mont &a, const Mont &b) {
        Mont p = modulus(), r;
        arith::sub(r.limbs, p.limbs, b.limbs);
        arith::add(r.limbs, r.limbs, a.limbs);
        return r;
    }

    // p - a for values of [0, p].
    static CUZK_HOST_DEVICE Mont neg_lazy(const Mont &a) {
        Mont p = modulus(), r;
        arith::sub(r.limbs, p.limbs, a.limbs);
        return r;
    }

    friend CUZK_HOST_DEVICE Mont operator+(const Mont &a, const Mont &b) {
        return reduce_once(add_lazy(a, b));
    }
    friend CUZK_HOST_DEVICE Mont operator-(const Mont &a, const Mont &b) {
        Mont r, p;
        u32 borrow = arith::sub(r.limbs, a.limbs, b.limbs);
        CUZK_UNROLL
        for (int i = 0; i < N; i++) p.limbs[i] = P::modulus(i) & borrow;
        arith::add(r.limbs, r.limbs, p.limbs);
        return r;
    }
    friend CUZK_HOST_DEVICE Mont operator-(const Mont &a) { return zero() - a; }
    friend CUZK_HOST_DEVICE Mont dbl(const Mont &a) { return a + a; }

    // Sum of a[k] * b[k] / R under one reduction. Cost: K N^2 + N^2 wide products and N narrow.
    // The sum of the a[k], and p, is at most R.
    template <int K> static CUZK_HOST_DEVICE Mont dot_lazy(const Mont (&a)[K], const Mont (&b)[K]) {
        u32 even[N], odd[N];
        CUZK_UNROLL
        for (int i = 0; i < N; i++) {
            u32 *lo = i % 2 ? odd : even, *hi = i % 2 ? even : odd;
            arith::Carry c;
            if (i == 0) {
                arith::mul_row<N>(lo, a[0].limbs, b[0].limbs[0]);
                arith::mul_row<N>(hi, a[0].limbs + 1, b[0].limbs[0]);
            } else {
                lo[0] = c.add_cc(lo[0], hi[1]);
                arith::madc_row_shifted<N>(c, hi, a[0].limbs + 1, b[0].limbs[i]);
                mad_even<N>(lo, hi + N - 1, a[0].limbs, b[0].limbs[i]);
            }
            CUZK_UNROLL
            for (int k = 1; k < K; k++) {
                arith::mad_row<N>(c, hi, a[k].limbs + 1, b[k].limbs[i]);
                mad_even<N>(lo, hi + N - 1, a[k].limbs, b[k].limbs[i]);
            }
            Reduction<P>::row(lo, hi);
        }
        return join(even, odd);
    }

    static CUZK_HOST_DEVICE Mont mul_lazy(const Mont &a, const Mont &b) {
        return dot_lazy<1>({a}, {b});
    }

    // a^2 / R. Cost: N (N + 1) / 2 + N^2 wide products and N narrow; additions run beside them.
    // In Fp a < 9 p, in Fr a < 1.6 p.
    static CUZK_HOST_DEVICE Mont sqr_lazy(const Mont &a) {
        u32 wide[2 * N];
        square_wide(wide, a.limbs);
        return redc_lazy(wide);
    }

    // T / R for T < 2^(64 N), less than p + T / R, which must be less than R.
    static CUZK_HOST_DEVICE Mont redc_lazy(const u32 (&wide)[2 * N]) {
        u32 even[N], odd[N];
        CUZK_UNROLL
        for (int i = 0; i < N; i++) even[i] = wide[i];
        Reduction<P>::first_row(even, odd);
        CUZK_UNROLL
        for (int i = 1; i < N; i++) {
            Reduction<P>::shifted_row(i % 2 ? odd : even, i % 2 ? even : odd);
        }
        Mont r = join(even, odd), top;
        CUZK_UNROLL
        for (int i = 0; i < N; i++) top.limbs[i] = wide[N + i];
        arith::add(r.limbs, r.limbs, top.limbs);
        return r;
    }

    // x R -> x, and back.
    static CUZK_HOST_DEVICE Mont from_mont(const Mont &a) {
        u32 wide[2 * N];
        CUZK_UNROLL
        for (int i = 0; i < N; i++) {
            wide[i] = a.limbs[i];
            wide[N + i] = 0;
        }
        return redc_lazy(wide);
    }
    static CUZK_HOST_DEVICE Mont to_mont(const Mont &a) {
        Mont r2;
        CUZK_UNROLL
        for (int i = 0; i < N; i++) r2.limbs[i] = P::r2(i);
        return reduce_once(mul_lazy(r2, a));
    }

    static CUZK_HOST_DEVICE Mont modulus() {
        Mont r;
        CUZK_UNROLL
        for (int i = 0; i < N; i++) r.limbs[i] = P::modulus(i);
        return r;
    }

  private:
    // (even + 2^32 odd) / 2^32 after the last row, in which the two have changed roles.
    static CUZK_HOST_DEVICE Mont join(const u32 (&even)[N], const u32 (&odd)[N]) {
        Mont r;
        arith::Carry c;
        r.limbs[0] = c.add_cc(even[0], odd[1]);
        CUZK_UNROLL
        for (int i = 1; i < N - 1; i++) r.limbs[i] = c.addc_cc(even[i], odd[i + 1]);
        r.limbs[N - 1] = c.addc(even[N - 1], 0);
        return r;
    }

    // The products of unlike limbs in even and odd columns as above, once; their double; then the
    // squares of the limbs.
    static CUZK_HOST_DEVICE void square_wide(u32 (&wide)[2 * N], const u32 (&a)[N]) {
        u32 even[2 * N] = {}, odd[2 * N] = {}; // value: even + 2^32 odd
        arith::Carry c;
        CUZK_UNROLL
        for (int i = 0; i < N - 1; i++) {
            square_row(odd, a, i, i + 1);
            square_row(even, a, i, i + 2);
        }
        wide[0] = 0;
        wide[1] = c.add_cc(even[1], odd[0]);
        CUZK_UNROLL
        for (int i = 2; i < 2 * N - 1; i++) wide[i] = c.addc_cc(even[i], odd[i - 1]);
        wide[2 * N - 1] = c.addc(even[2 * N - 1], odd[2 * N - 2]);

        wide[1] = c.add_cc(wide[1], wide[1]);
        CUZK_UNROLL
        for (int i = 2; i < 2 * N - 1; i++) wide[i] = c.addc_cc(wide[i], wide[i]);
        wide[2 * N - 1] = c.addc(wide[2 * N - 1], wide[2 * N - 1]);

        wide[0] = c.mad_lo_cc(a[0], a[0], wide[0]);
        wide[1] = c.madc_hi_cc(a[0], a[0], wide[1]);
        CUZK_UNROLL
        for (int i = 1; i < N; i++) {
            u32 high = wide[2 * i + 1];
            wide[2 * i] = c.madc_lo_cc(a[i], a[i], wide[2 * i]);
            wide[2 * i + 1] =
                i < N - 1 ? c.madc_hi_cc(a[i], a[i], high) : c.madc_hi(a[i], a[i], high);
        }
    }

    // part += a[i] * (a[j], a[j+2], ...): column i + j of the square is limb i + j of `even` or
    // limb i + j - 1 of `odd`, whichever is even. A row ends either in two limbs that no row has
    // reached, and gives no carry, or where the row before ended, and leaves its carry in the next
    // limb. (The cases are apart so that the compiler sees 64-bit multiply-adds: it splits a pair
    // whose carry nobody needs, or to which zero is added.)
    static CUZK_HOST_DEVICE void square_row(u32 (&part)[2 * N], const u32 (&a)[N], int i, int j) {
        if (j >= N) return;
        if (i == 0 && j == 1) return arith::mul_row<N>(part, a + 1, a[0]);
        if (i == 0 && j == 2) return arith::mul_row<N - 2>(part + 2, a + 2, a[0]);
        bool extends = i % 2 != (j - i) % 2;
        int end = (i + N - 1 - (N - 1 - j) % 2) / 2 * 2;
        arith::Carry c;
        CUZK_UNROLL
        for (int k = j; k < N; k += 2) {
            int at = (i + k) / 2 * 2;
            part[at] =
                k == j ? c.mad_lo_cc(a[k], a[i], part[at]) : c.madc_lo_cc(a[k], a[i], part[at]);
            part[at + 1] = at == end && extends ? c.madc_hi(a[k], a[i], 0)
                                                : c.madc_hi_cc(a[k], a[i], part[at + 1]);
        }
        if (!extends) part[end + 2] = c.addc(0, 0);
    }
};

// The product, called and not inlined: 300 wide multiplications in Fp, 136 in Fr.
template <class P> CUZK_OUT_OF_LINE Mont<P> mul_called(Mont<P> a, Mont<P> b) {
    return Mont<P>::reduce_once(Mont<P>::mul_lazy(a, b));
}
template <class P> CUZK_OUT_OF_LINE Mont<P> sqr_called(Mont<P> a) {
    return Mont<P>::reduce_once(Mont<P>::sqr_lazy(a));
}
template <class P>
CUZK_OUT_OF_LINE Mont<P> dot2_called(Mont<P> a, Mont<P> b, Mont<P> c, Mont<P> d) {
    static_assert(P::SPARE_BITS >= 2, "three times the modulus is more than R");
    return Mont<P>::reduce_once(Mont<P>::template dot_lazy<2>({a, c}, {b, d}));
}

template <class P> CUZK_HOST_DEVICE Mont<P> operator*(const Mont<P> &a, const Mont<P> &b) {
    return mul_called<P>(a, b);
}
template <class P> CUZK_HOST_DEVICE Mont<P> sqr(const Mont<P> &a) { return sqr_called<P>(a); }

// a b + c d and a b - c d under one reduction: 444 wide multiplications in Fp where two products
// take 600.
template <class P>
CUZK_HOST_DEVICE Mont<P> sum_of_products(const Mont<P> &a, const Mont<P> &b, const Mont<P> &c,
                                         const Mont<P> &d) {
    return dot2_called<P>(a, b, c, d);
}
template <class P>
CUZK_HOST_DEVICE Mont<P> diff_of_products(const Mont<P> &a, const Mont<P> &b, const Mont<P> &c,
                                          const Mont<P> &d) {
    return dot2_called<P>(a, b, Mont<P>::neg_lazy(c), d);
}

} // namespace cuzk::field
