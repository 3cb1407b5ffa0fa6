// The butterflies of the transform, on canonical values.
//
// Called by: one thread. Source: [GS66] with decimation in frequency, [CT65] in time.
#pragma once

#include "cuzk/field/fr.cuh"

namespace cuzk::ntt {
using field::Fr;

// Decimation in frequency: stages from the longest reach to the shortest, natural order in,
// reversed out.
struct InFrequency {
    static constexpr bool FROM_LONGEST = true;
    // u, v <- u + v, (u - v) t. The difference is left between 0 and 2 p: the product takes that.
    static CUZK_HOST_DEVICE void butterfly(Fr &u, Fr &v, const Fr &t) {
        Fr difference = Fr::sub_lazy(u, v);
        u = u + v;
        v = Fr::reduce_once(Fr::mul_lazy(t, difference));
    }
};

// Decimation in time: from the shortest to the longest, reversed order in, natural out.
struct InTime {
    static constexpr bool FROM_LONGEST = false;
    // u, v <- u + v t, u - v t.
    static CUZK_HOST_DEVICE void butterfly(Fr &u, Fr &v, const Fr &t) {
        Fr product = Fr::reduce_once(Fr::mul_lazy(t, v));
        v = u - product;
        u = u + product;
    }
};

// Either for t = 1.
CUZK_HOST_DEVICE void butterfly_of_one(Fr &u, Fr &v) {
    Fr difference = u - v;
    u = u + v;
    v = difference;
}

// x / 2^k for k in 1..=32: one row of Montgomery's reduction, by 2^32, of x 2^(32 - k).
//
// Cost: 8 wide products where a product of two elements takes 112.
CUZK_HOST_DEVICE Fr divide_by_power_of_two(const Fr &x, u32 k) {
    constexpr int N = Fr::N;
    u32 wide[N + 1];
    CUZK_UNROLL
    for (int i = 0; i <= N; i++) {
        u64 high = i < N ? x.limbs[i] : 0, low = i > 0 ? x.limbs[i - 1] : 0;
        wide[i] = u32(((high << 32) | low) >> k);
    }
    // The lowest limb becomes zero; what is left is less than (p 2^32 + 2^32 p) / 2^32.
    const Fr p = Fr::modulus();
    const u32 m = wide[0] * Fr::Params::NEG_INV32;
    arith::Carry c;
    arith::mad_row<N>(c, wide, p.limbs, m);
    wide[N] = c.addc(wide[N], 0);
    arith::mad_row<N>(c, wide + 1, p.limbs + 1, m);
    Fr r;
    CUZK_UNROLL
    for (int i = 0; i < N; i++) r.limbs[i] = wide[i + 1];
    return Fr::reduce_once(r);
}

} // namespace cuzk::ntt
