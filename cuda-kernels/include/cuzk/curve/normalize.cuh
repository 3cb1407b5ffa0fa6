// Points from XYZZ to affine coordinates, some at a time with one inversion.
//
// Called by: one thread. Source: [Montgomery87]. Cost: 7M + 1S a point, and the inversion.
#pragma once

#include "cuzk/curve/xyzz.cuh"

namespace cuzk::curve {

// Calls put(k, at(k) in affine coordinates) for k < BATCH, the last first. `at` is called twice for
// each: it reads a point, and does not make it. What is missing may be the identity.
template <class F, u32 BATCH, class At, class Put>
CUZK_HOST_DEVICE void normalize(const At &at, const Put &put) {
    F before[BATCH]; // the product of the other ZZZ so far
    F product = F::one();
    CUZK_ROLLED
    for (u32 k = 0; k < BATCH; k++) {
        before[k] = product;
        const Xyzz<F> point = at(k);
        if (!point.is_identity()) product = product * point.zzz;
    }
    F over = inverse(product);
    CUZK_ROLLED
    for (u32 k = BATCH; k-- > 0;) {
        const Xyzz<F> point = at(k);
        Affine<F> affine = Affine<F>::identity();
        if (!point.is_identity()) {
            const F over_zzz = over * before[k];
            over = over * point.zzz;
            const F over_z = over_zzz * point.zz;
            affine = {point.x * sqr(over_z), point.y * over_zzz};
        }
        put(k, affine);
    }
}

} // namespace cuzk::curve
