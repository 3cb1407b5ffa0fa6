// A scalar times a point of G1, with the endomorphism of the curve.
//
// Called by: one thread. Source: [GLV01], and for these curves the eigenvalue x^2 - 1 of
// (x, y) -> (beta x, y), x the curve's parameter: lambda^2 + lambda + 1 = r.
//
// The simple algorithm:
//
//     k = k1 + k2 lambda              // by division: both halves have 128 bits
//     table = P, 2 P, ... 8 P
//     for each place of 16, highest first:
//         sum = 16 sum + digit(k1) P + digit(k2) phi(P)
//
// Digits are signed, -8 to 8, as with the sum of 8 at every place added to a half once: each is
// four bits of that, less 8; the place above the highest has a digit of 0 or 1, the carry. k is
// replaced by r - k where that is smaller, so that a negative scalar that is small in size has
// few digits.
//
// Right for points of the subgroup of order r alone: for others phi is no multiple. Cost for a
// full scalar: 128 doublings and 72 additions.
#pragma once

#include "cuzk/curve/g1.cuh"
#include "cuzk/field/fr.cuh"
#include "cuzk/fold/endomorphism.cuh"

namespace cuzk::fold {
using curve::G1Affine;
using curve::G1Xyzz;
using field::Fp;
using field::Fr;

constexpr u32 PLACES = 32;
constexpr u32 TABLE = 8;

// Four bits of a half and its sum of 8 at every place: the digit of the place and 8.
struct BiasedHalf {
    u32 words[5];

    CUZK_HOST_DEVICE void set(const u32 (&half)[4]) {
        u64 carry = 0;
        CUZK_UNROLL
        for (int i = 0; i < 4; i++) {
            carry += u64(half[i]) + 0x88888888u;
            words[i] = u32(carry);
            carry >>= 32;
        }
        words[4] = u32(carry);
    }
    CUZK_HOST_DEVICE i32 digit(u32 place) const {
        if (place == PLACES) return i32(words[4]);
        return i32((words[place / 8] >> (4 * (place % 8))) & 15) - 8;
    }
};

// Divides a number below 2^255 by lambda, bit by bit.
CUZK_HOST_DEVICE void divide_by_lambda(u32 (&quotient)[4], u32 (&rest)[4], const u32 (&k)[8]) {
    u32 lambda[4];
    CUZK_UNROLL
    for (int i = 0; i < 4; i++) {
        lambda[i] = Endomorphism::lambda(i);
        quotient[i] = rest[i] = 0;
    }
    CUZK_ROLLED
    for (u32 bit = 255; bit-- > 0;) {
        const u32 out = rest[3] >> 31;
        CUZK_UNROLL
        for (int i = 3; i > 0; i--) {
            rest[i] = rest[i] << 1 | rest[i - 1] >> 31;
            quotient[i] = quotient[i] << 1 | quotient[i - 1] >> 31;
        }
        rest[0] = rest[0] << 1 | (k[bit / 32] >> (bit % 32) & 1);
        u32 less[4];
        const u32 borrow = arith::sub(less, rest, lambda);
        const u32 fits = out | (borrow == 0);
        quotient[0] = quotient[0] << 1 | fits;
        arith::select(rest, 0 - fits, less, rest);
    }
}

// out = a + b, called: sums that are not in the loop of a multiple.
CUZK_OUT_OF_LINE void add_called(G1Xyzz &out, const G1Xyzz &a, const G1Xyzz &b) { add_to(out, a, b); }

// Which multiple of a table's point is added: one of the image, or of the opposite.
struct Sign {
    bool image, negative;
};

// sum += entry, its image or the opposite. The entry is read where a coordinate is needed, so that
// few values are alive across the products.
CUZK_HOST_DEVICE void add_entry(G1Xyzz &sum, const G1Xyzz &entry, Sign sign) {
    Fp x = entry.x, y = entry.y;
    if (sign.image) {
        Fp beta;
        CUZK_UNROLL
        for (int i = 0; i < Fp::N; i++) beta.limbs[i] = Endomorphism::beta(i);
        x = x * beta;
    }
    if (sign.negative) y = -y;
    if (sum.is_identity() || entry.is_identity()) {
        if (!entry.is_identity()) sum = {x, y, entry.zz, entry.zzz};
        return;
    }
    G1Xyzz scaled;
    scaled.x = sum.x * entry.zz;
    const Fp p = x * sum.zz - scaled.x;
    scaled.y = sum.y * entry.zzz;
    const Fp r = y * sum.zzz - scaled.y;
    if (!p.is_zero()) {
        scaled.zz = sum.zz * entry.zz;
        scaled.zzz = sum.zzz * entry.zzz;
        chord_to(sum, scaled, p, r);
    } else if (r.is_zero()) {
        const G1Xyzz same = sum;
        add_called(sum, same, same);
    } else {
        sum = G1Xyzz::identity();
    }
}

// out = k p, for k in Montgomery form.
CUZK_OUT_OF_LINE void multiple(G1Xyzz &out, const G1Xyzz &p, const Fr &k) {
    Fr scalar = Fr::from_mont(k), opposite = Fr::neg_lazy(scalar), difference;
    const u32 larger = arith::sub(difference.limbs, opposite.limbs, scalar.limbs);
    u32 size[8];
    arith::select(size, larger, opposite.limbs, scalar.limbs);
    u32 high[4], low[4];
    divide_by_lambda(high, low, size);
    BiasedHalf halves[2];
    halves[0].set(low);
    halves[1].set(high);

    G1Xyzz table[TABLE];
    table[0] = larger ? -p : p;
    CUZK_ROLLED
    for (u32 i = 1; i < TABLE; i++) add_called(table[i], table[i - 1], table[0]);

    G1Xyzz sum = G1Xyzz::identity();
    CUZK_ROLLED
    for (u32 place = PLACES + 1; place-- > 0;) {
        if (!sum.is_identity()) {
            CUZK_ROLLED
            for (u32 i = 0; i < 4; i++) sum = dbl(sum);
        }
        CUZK_ROLLED
        for (u32 half = 0; half < 2; half++) {
            const i32 digit = halves[half].digit(place);
            if (digit == 0) continue;
            add_entry(sum, table[(digit < 0 ? -digit : digit) - 1], {half == 1, digit < 0});
        }
    }
    out = sum;
}

} // namespace cuzk::fold
