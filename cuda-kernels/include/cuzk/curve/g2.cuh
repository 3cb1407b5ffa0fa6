// The group G2: y^2 = x^3 + 4 (1 + u) over Fp2.
#pragma once

#include "cuzk/curve/jacobian.cuh"
#include "cuzk/field/fp2.cuh"

namespace cuzk::curve {
using G2Affine = Affine<field::Fp2>;
using G2Xyzz = Xyzz<field::Fp2>;
using G2Jacobian = Jacobian<field::Fp2>;
static_assert(sizeof(G2Affine) == 192, "the layout of cuzk_curve::G2Limbs");
static_assert(sizeof(G2Xyzz) == 384 && sizeof(G2Jacobian) == 288, "no padding");
} // namespace cuzk::curve
