// Points of y^2 = x^3 + b in affine coordinates.
#pragma once

#include "cuzk/config.cuh"

namespace cuzk::curve {

// (0, 0), which is on no curve with b != 0, stands for the identity.
template <class F> struct Affine {
    F x, y;

    static CUZK_HOST_DEVICE Affine identity() { return {F::zero(), F::zero()}; }
    CUZK_HOST_DEVICE bool is_identity() const { return x.is_zero() && y.is_zero(); }
    friend CUZK_HOST_DEVICE Affine operator-(const Affine &p) { return {p.x, -p.y}; }
};

} // namespace cuzk::curve
