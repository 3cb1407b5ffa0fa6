// Fr: kernels of one operation for unit tests, and chains of products for measuring.
#include "cuzk/layout.cuh"
#include "cuzk/testing/chain.cuh"
#include "cuzk/testing/map.cuh"
#include "cuzk/testing/operations.cuh"

namespace cuzk::testing {
using field::Fr;

CUZK_KERNEL(cuzk_testing_add_fr)(MapParams p) { binary<Fr, Fr>(p, Add{}); }
CUZK_KERNEL(cuzk_testing_sub_fr)(MapParams p) { binary<Fr, Fr>(p, Sub{}); }
CUZK_KERNEL(cuzk_testing_neg_fr)(MapParams p) { unary<Fr>(p, Neg{}); }
CUZK_KERNEL(cuzk_testing_mul_fr)(MapParams p) { binary<Fr, Fr>(p, Mul{}); }
CUZK_KERNEL(cuzk_testing_sqr_fr)(MapParams p) { unary<Fr>(p, Sqr{}); }
CUZK_KERNEL(cuzk_testing_inverse_fr)(MapParams p) { unary<Fr>(p, Inverse{}); }
CUZK_KERNEL(cuzk_testing_from_mont_fr)(MapParams p) { unary<Fr>(p, FromMont{}); }
CUZK_KERNEL(cuzk_testing_to_mont_fr)(MapParams p) { unary<Fr>(p, ToMont{}); }
CUZK_KERNEL(cuzk_testing_mul_lazy_fr)(MapParams p) { binary<Fr, Fr>(p, MulLazy{}); }
CUZK_KERNEL(cuzk_testing_sqr_lazy_fr)(MapParams p) { unary<Fr>(p, SqrLazy{}); }
// The product inlined, as the transforms use it, and called, as the curves do.
CUZK_KERNEL(cuzk_testing_mul_chain_fr)(ChainParams p) {
    chain<Fr>(p, [](const Fr &x, const Fr &y) { return Fr::reduce_once(Fr::mul_lazy(y, x)); });
}
CUZK_KERNEL(cuzk_testing_mul_called_chain_fr)(ChainParams p) { chain<Fr>(p, Mul{}); }

} // namespace cuzk::testing
