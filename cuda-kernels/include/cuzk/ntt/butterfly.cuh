// The butterflies of the transform, on canonical values.
//
// Called by: one thread. Source: [GS66] with decimation in frequency, [CT65] in time.
#pragma once

#include "cuzk/field/fr.cuh"

namespace cuzk::ntt {
using field::Fr;

// u, v <- u + v, (u - v) t. The difference is left between 0 and 2 p: the product takes that.
CUZK_HOST_DEVICE void butterfly_frequency(Fr &u, Fr &v, const Fr &t) {
    Fr difference = Fr::sub_lazy(u, v);
    u = u + v;
    v = Fr::reduce_once(Fr::mul_lazy(t, difference));
}

// u, v <- u + v t, u - v t.
CUZK_HOST_DEVICE void butterfly_time(Fr &u, Fr &v, const Fr &t) {
    Fr product = Fr::reduce_once(Fr::mul_lazy(t, v));
    v = u - product;
    u = u + product;
}

struct FrPair {
    Fr u, v;
};
CUZK_OUT_OF_LINE FrPair butterfly_frequency_called(Fr u, Fr v, Fr t) {
    butterfly_frequency(u, v, t);
    return {u, v};
}
CUZK_OUT_OF_LINE FrPair butterfly_time_called(Fr u, Fr v, Fr t) {
    butterfly_time(u, v, t);
    return {u, v};
}

// Decimation in frequency: stages from the longest reach to the shortest, natural order in,
// reversed out.
template <bool CALLED> struct InFrequency {
    static constexpr bool FROM_LONGEST = true;
    static CUZK_HOST_DEVICE void butterfly(Fr &u, Fr &v, const Fr &t) {
        if (CALLED) {
            FrPair r = butterfly_frequency_called(u, v, t);
            u = r.u;
            v = r.v;
        } else {
            butterfly_frequency(u, v, t);
        }
    }
};

// Decimation in time: from the shortest to the longest, reversed order in, natural out.
template <bool CALLED> struct InTime {
    static constexpr bool FROM_LONGEST = false;
    static CUZK_HOST_DEVICE void butterfly(Fr &u, Fr &v, const Fr &t) {
        if (CALLED) {
            FrPair r = butterfly_time_called(u, v, t);
            u = r.u;
            v = r.v;
        } else {
            butterfly_time(u, v, t);
        }
    }
};

} // namespace cuzk::ntt
