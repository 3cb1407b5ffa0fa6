// One row of Montgomery's reduction: T += p m with the m that makes the lowest limb zero.
//
// T is `lo + 2^32 hi`, as `mont.cuh` explains; the lowest limb, now zero, is left unwritten.
#pragma once

#include "cuzk/arith/limbs.cuh"

namespace cuzk::field {

// lo += sum of a[j] * b * 2^(32 j) over even j, its carry to *carry_to.
template <int N> CUZK_HOST_DEVICE void mad_even(u32 *lo, u32 *carry_to, const u32 *a, u32 b) {
    arith::Carry c;
    arith::mad_row<N>(c, lo, a, b);
    *carry_to = c.addc(*carry_to, 0);
}

// Any odd modulus: m = lo[0] * -1/p mod 2^32, N wide products.
template <class P> struct GeneralReduction {
    static constexpr int N = P::LIMBS;

    static CUZK_HOST_DEVICE void row(u32 *lo, u32 *hi) {
        const Modulus p;
        u32 m = lo[0] * P::NEG_INV32;
        arith::Carry c;
        arith::mad_row<N>(c, hi, p.limbs + 1, m);
        mad_even<N>(lo, hi + N - 1, p.limbs, m);
    }
    // The row for a T that is `lo` alone; writes `hi`.
    static CUZK_HOST_DEVICE void first_row(u32 *lo, u32 *hi) {
        const Modulus p;
        u32 m = lo[0] * P::NEG_INV32;
        arith::mul_row<N>(hi, p.limbs + 1, m);
        mad_even<N>(lo, hi + N - 1, p.limbs, m);
    }
    // The row after T has been shifted by a limb: `lo` was the odd part, `hi` the even part.
    static CUZK_HOST_DEVICE void shifted_row(u32 *lo, u32 *hi) {
        const Modulus p;
        arith::Carry c;
        lo[0] = c.add_cc(lo[0], hi[1]);
        u32 m = lo[0] * P::NEG_INV32;
        arith::madc_row_shifted<N>(c, hi, p.limbs + 1, m);
        mad_even<N>(lo, hi + N - 1, p.limbs, m);
    }

  private:
    struct Modulus {
        u32 limbs[N];
        CUZK_HOST_DEVICE Modulus() {
            CUZK_UNROLL
            for (int i = 0; i < N; i++) limbs[i] = P::modulus(i);
        }
    };
};

// A modulus p = q 2^64 + 2^64 - 2^32 + 1, as r is: N - 2 wide products and a few additions.
//
// Here m = -T[0] mod 2^32. Let c = 1 unless T[0] = 0; then T[0] + m = c 2^32, and
//
//     T[0] + p m = 2^32 (c - m) + 2^64 m + 2^64 q m.
//
// With m1 = m - c, never negative, position 1 takes -m1, and position 2 takes m less the borrow of
// that, which is never negative either: a borrow needs m1 > 0, so m > 0. Then q m follows from
// position 2 on. (A product by the two lowest limbs would also make the compiler replace it by
// additions, and split the multiply-adds of the rest of the chain in two.)
template <class P> struct SparseReduction {
    static constexpr int N = P::LIMBS;
    static_assert(N >= 4, "q has limbs for both parts");

    static CUZK_HOST_DEVICE void row(u32 *lo, u32 *hi) {
        const High q;
        arith::Carry c;
        u32 m = c.sub_cc(0, lo[0]);
        u32 m1 = c.subc(m, 0);
        hi[0] = c.sub_cc(hi[0], m1);
        u32 m2 = c.subc(m, 0);
        hi[1] = c.add_cc(hi[1], m2);
        arith::madc_row<N - 2>(c, hi + 2, q.limbs + 1, m);
        mad_even<N - 2>(lo + 2, hi + N - 1, q.limbs, m);
    }
    static CUZK_HOST_DEVICE void first_row(u32 *lo, u32 *hi) {
        const High q;
        arith::Carry c;
        u32 m = c.sub_cc(0, lo[0]);
        u32 m1 = c.subc(m, 0);
        hi[0] = c.sub_cc(0, m1);
        hi[1] = c.subc(m, 0);
        arith::mul_row<N - 2>(hi + 2, q.limbs + 1, m);
        mad_even<N - 2>(lo + 2, hi + N - 1, q.limbs, m);
    }
    static CUZK_HOST_DEVICE void shifted_row(u32 *lo, u32 *hi) {
        const High q;
        arith::Carry c;
        lo[0] = c.add_cc(lo[0], hi[1]);
        u32 carry = c.addc(0, 0);
        u32 m = c.sub_cc(0, lo[0]);
        u32 m1 = c.subc(m, 0);
        u32 low = c.sub_cc(carry, m1);
        u32 high = c.subc(m, 0);
        hi[0] = c.add_cc(hi[2], low);
        hi[1] = c.addc_cc(hi[3], high);
        arith::madc_row_shifted<N - 2>(c, hi + 2, q.limbs + 1, m);
        mad_even<N - 2>(lo + 2, hi + N - 1, q.limbs, m);
    }

  private:
    struct High {
        u32 limbs[N - 2];
        CUZK_HOST_DEVICE High() {
            CUZK_UNROLL
            for (int i = 2; i < N; i++) limbs[i - 2] = P::modulus(i);
        }
    };
};

template <bool CONDITION, class A, class B> struct Choose {
    using Type = A;
};
template <class A, class B> struct Choose<false, A, B> {
    using Type = B;
};
template <class P>
using Reduction = typename Choose<P::modulus(0) == 1 && P::modulus(1) == 0xffffffff,
                                  SparseReduction<P>, GeneralReduction<P>>::Type;

} // namespace cuzk::field
