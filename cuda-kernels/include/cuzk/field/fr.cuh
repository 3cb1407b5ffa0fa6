// The scalar field, 255 bits.
#pragma once

#include "cuzk/field/constants.cuh"
#include "cuzk/field/inverse.cuh"

namespace cuzk::field {
using Fr = Mont<FrParams>;
static_assert(sizeof(Fr) == 32 && alignof(Fr) == 16, "the layout of cuzk_curve::FrLimbs");
} // namespace cuzk::field
