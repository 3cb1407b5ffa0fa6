// Kernels for the unit tests of the device arithmetic and for measuring it.
#include "cuzk/layout.cuh"
#include "cuzk/testing/chain.cuh"
#include "cuzk/testing/map.cuh"
#include "cuzk/testing/operations.cuh"
#include "cuzk/testing/points.cuh"

namespace cuzk::testing {
using curve::G1Affine;
using curve::G1Xyzz;
using curve::G2Affine;
using curve::G2Xyzz;
using field::Fp;
using field::Fp2;
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
CUZK_KERNEL(cuzk_testing_add_fp)(MapParams p) { binary<Fp, Fp>(p, Add{}); }
CUZK_KERNEL(cuzk_testing_sub_fp)(MapParams p) { binary<Fp, Fp>(p, Sub{}); }
CUZK_KERNEL(cuzk_testing_neg_fp)(MapParams p) { unary<Fp>(p, Neg{}); }
CUZK_KERNEL(cuzk_testing_mul_fp)(MapParams p) { binary<Fp, Fp>(p, Mul{}); }
CUZK_KERNEL(cuzk_testing_sqr_fp)(MapParams p) { unary<Fp>(p, Sqr{}); }
CUZK_KERNEL(cuzk_testing_inverse_fp)(MapParams p) { unary<Fp>(p, Inverse{}); }
CUZK_KERNEL(cuzk_testing_from_mont_fp)(MapParams p) { unary<Fp>(p, FromMont{}); }
CUZK_KERNEL(cuzk_testing_to_mont_fp)(MapParams p) { unary<Fp>(p, ToMont{}); }
CUZK_KERNEL(cuzk_testing_mul_lazy_fp)(MapParams p) { binary<Fp, Fp>(p, MulLazy{}); }
CUZK_KERNEL(cuzk_testing_sqr_lazy_fp)(MapParams p) { unary<Fp>(p, SqrLazy{}); }
CUZK_KERNEL(cuzk_testing_sum_of_products_fp)(MapParams p) {
    binary<Pair<Fp>, Pair<Fp>>(p, SumOfProducts{});
}
CUZK_KERNEL(cuzk_testing_diff_of_products_fp)(MapParams p) {
    binary<Pair<Fp>, Pair<Fp>>(p, DiffOfProducts{});
}
CUZK_KERNEL(cuzk_testing_add_fp2)(MapParams p) { binary<Fp2, Fp2>(p, Add{}); }
CUZK_KERNEL(cuzk_testing_sub_fp2)(MapParams p) { binary<Fp2, Fp2>(p, Sub{}); }
CUZK_KERNEL(cuzk_testing_neg_fp2)(MapParams p) { unary<Fp2>(p, Neg{}); }
CUZK_KERNEL(cuzk_testing_mul_fp2)(MapParams p) { binary<Fp2, Fp2>(p, Mul{}); }
CUZK_KERNEL(cuzk_testing_sqr_fp2)(MapParams p) { unary<Fp2>(p, Sqr{}); }
CUZK_KERNEL(cuzk_testing_inverse_fp2)(MapParams p) { unary<Fp2>(p, Inverse{}); }
CUZK_KERNEL(cuzk_testing_add_mixed_g1)(MapParams p) { binary<G1Xyzz, G1Affine>(p, AddMixed{}); }
CUZK_KERNEL(cuzk_testing_add_g1)(MapParams p) { binary<G1Xyzz, G1Xyzz>(p, AddPoints{}); }
CUZK_KERNEL(cuzk_testing_double_g1)(MapParams p) { unary<G1Xyzz>(p, Double{}); }
CUZK_KERNEL(cuzk_testing_to_affine_g1)(MapParams p) { unary<G1Xyzz>(p, ToAffine{}); }
CUZK_KERNEL(cuzk_testing_to_jacobian_g1)(MapParams p) { unary<G1Xyzz>(p, ToJacobian{}); }
CUZK_KERNEL(cuzk_testing_add_mixed_g2)(MapParams p) { binary<G2Xyzz, G2Affine>(p, AddMixed{}); }
CUZK_KERNEL(cuzk_testing_add_g2)(MapParams p) { binary<G2Xyzz, G2Xyzz>(p, AddPoints{}); }
CUZK_KERNEL(cuzk_testing_double_g2)(MapParams p) { unary<G2Xyzz>(p, Double{}); }
CUZK_KERNEL(cuzk_testing_to_affine_g2)(MapParams p) { unary<G2Xyzz>(p, ToAffine{}); }
CUZK_KERNEL(cuzk_testing_to_jacobian_g2)(MapParams p) { unary<G2Xyzz>(p, ToJacobian{}); }

// The product inlined, as the transforms use it, and called, as the curves do.
CUZK_KERNEL(cuzk_testing_mul_chain_fr)(ChainParams p) {
    chain<Fr>(p, [](const Fr &x, const Fr &y) { return Fr::reduce_once(Fr::mul_lazy(y, x)); });
}
CUZK_KERNEL(cuzk_testing_mul_chain_fp)(ChainParams p) {
    chain<Fp>(p, [](const Fp &x, const Fp &y) { return Fp::reduce_once(Fp::mul_lazy(y, x)); });
}
CUZK_KERNEL(cuzk_testing_mul_called_chain_fr)(ChainParams p) { chain<Fr>(p, Mul{}); }
CUZK_KERNEL(cuzk_testing_mul_called_chain_fp)(ChainParams p) { chain<Fp>(p, Mul{}); }
CUZK_KERNEL(cuzk_testing_sqr_called_chain_fp)(ChainParams p) {
    chain<Fp>(p, [](const Fp &x, const Fp &) { return sqr(x); });
}
CUZK_KERNEL(cuzk_testing_dot_called_chain_fp)(ChainParams p) {
    chain<Fp>(p, [](const Fp &x, const Fp &y) { return diff_of_products(x, y, x, x); });
}
CUZK_KERNEL(cuzk_testing_inverse_chain_fp)(ChainParams p) {
    chain<Fp>(p, [](const Fp &x, const Fp &y) { return inverse(x) + y; });
}
// The same loop at two occupancies.
CUZK_KERNEL(cuzk_testing_add_chain_g1)(ChainParams p) { add_chain<Fp>(p); }
CUZK_KERNEL(cuzk_testing_add_chain_three_g1)(ChainParams p) { add_chain<Fp>(p); }
CUZK_KERNEL(cuzk_testing_add_chain_g2)(ChainParams p) { add_chain<Fp2>(p); }

CUZK_KERNEL(cuzk_testing_extend_g1)(ExtendParams p) { extend<Fp>(p, thread_index()); }
CUZK_KERNEL(cuzk_testing_extend_g2)(ExtendParams p) { extend<Fp2>(p, thread_index()); }

} // namespace cuzk::testing
