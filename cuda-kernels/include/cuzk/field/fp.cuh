// The base field, 381 bits.
#pragma once

#include "cuzk/field/constants.cuh"
#include "cuzk/field/inverse.cuh"

namespace cuzk::field {
using Fp = Mont<FpParams>;
static_assert(sizeof(Fp) == 48 && alignof(Fp) == 16, "the layout of cuzk_curve::FpLimbs");
} // namespace cuzk::field
