// The group G1: y^2 = x^3 + 4 over Fp.
#pragma once

#include "cuzk/curve/jacobian.cuh"
#include "cuzk/field/fp.cuh"

namespace cuzk::curve {
using G1Affine = Affine<field::Fp>;
using G1Xyzz = Xyzz<field::Fp>;
using G1Jacobian = Jacobian<field::Fp>;
static_assert(sizeof(G1Affine) == 96, "the layout of cuzk_curve::G1Limbs");
static_assert(sizeof(G1Xyzz) == 192 && sizeof(G1Jacobian) == 144, "no padding");
} // namespace cuzk::curve
