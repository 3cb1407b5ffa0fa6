// Kernels of one operation on points of G1, for unit tests.
#include "cuzk/layout.cuh"
#include "cuzk/testing/map.cuh"
#include "cuzk/testing/operations.cuh"

namespace cuzk::testing {
using curve::G1Affine;
using curve::G1Xyzz;

CUZK_KERNEL(cuzk_testing_add_mixed_g1)(MapParams p) { binary<G1Xyzz, G1Affine>(p, AddMixed{}); }
CUZK_KERNEL(cuzk_testing_add_g1)(MapParams p) { binary<G1Xyzz, G1Xyzz>(p, AddPoints{}); }
CUZK_KERNEL(cuzk_testing_double_g1)(MapParams p) { unary<G1Xyzz>(p, Double{}); }
CUZK_KERNEL(cuzk_testing_to_affine_g1)(MapParams p) { unary<G1Xyzz>(p, ToAffine{}); }
CUZK_KERNEL(cuzk_testing_to_jacobian_g1)(MapParams p) { unary<G1Xyzz>(p, ToJacobian{}); }

} // namespace cuzk::testing
