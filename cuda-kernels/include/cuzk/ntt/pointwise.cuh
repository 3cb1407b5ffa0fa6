// Products element by element.
//
// Called by: one thread for each element.
#pragma once

#include "cuzk/field/fr.cuh"
#include "cuzk/ntt/params.cuh"

namespace cuzk::ntt {
using field::Fr;

CUZK_HOST_DEVICE void multiply(const MultiplyParams &p, u64 i) {
    if (i >= p.n) return;
    Fr factor;
    CUZK_UNROLL
    for (int k = 0; k < Fr::N; k++) factor.limbs[k] = p.factor[k];
    Fr *a = static_cast<Fr *>(p.a);
    // Less than 2 p, also after a subtraction: the factor's product takes that.
    Fr value = Fr::mul_lazy(a[i], static_cast<const Fr *>(p.b)[i]);
    if (p.c) {
        value = Fr::sub_lazy(Fr::reduce_once(value), static_cast<const Fr *>(p.c)[i]);
    }
    a[i] = Fr::reduce_once(Fr::mul_lazy(factor, value));
}

} // namespace cuzk::ntt
