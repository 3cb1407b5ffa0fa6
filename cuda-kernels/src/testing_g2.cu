// Kernels of one operation on points of G2, for unit tests.
#include "cuzk/layout.cuh"
#include "cuzk/testing/map.cuh"
#include "cuzk/testing/operations.cuh"

namespace cuzk::testing {
using curve::G2Affine;
using curve::G2Xyzz;

CUZK_KERNEL(cuzk_testing_add_mixed_g2)(MapParams p) { binary<G2Xyzz, G2Affine>(p, AddMixed{}); }
CUZK_KERNEL(cuzk_testing_add_g2)(MapParams p) { binary<G2Xyzz, G2Xyzz>(p, AddPoints{}); }
CUZK_KERNEL(cuzk_testing_double_g2)(MapParams p) { unary<G2Xyzz>(p, Double{}); }
CUZK_KERNEL(cuzk_testing_to_affine_g2)(MapParams p) { unary<G2Xyzz>(p, ToAffine{}); }
CUZK_KERNEL(cuzk_testing_to_jacobian_g2)(MapParams p) { unary<G2Xyzz>(p, ToJacobian{}); }

} // namespace cuzk::testing
