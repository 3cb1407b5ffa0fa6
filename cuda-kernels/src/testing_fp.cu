// Fp and Fp2: kernels of one operation for unit tests, and chains for measuring.
#include "cuzk/layout.cuh"
#include "cuzk/testing/chain.cuh"
#include "cuzk/testing/map.cuh"
#include "cuzk/testing/operations.cuh"

namespace cuzk::testing {
using field::Fp;
using field::Fp2;

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
// The product inlined, as the transforms use it, and called, as the curves do.
CUZK_KERNEL(cuzk_testing_mul_chain_fp)(ChainParams p) {
    chain<Fp>(p, [](const Fp &x, const Fp &y) { return Fp::reduce_once(Fp::mul_lazy(y, x)); });
}
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

} // namespace cuzk::testing
