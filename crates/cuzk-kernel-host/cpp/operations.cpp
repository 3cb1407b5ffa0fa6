// One C function per operation of the device arithmetic: `out[i] = operation(a[i], b[i])`.
#include <cstring>

#include "cuzk/testing/operations.cuh"

using namespace cuzk;
using namespace cuzk::testing;
using curve::G1Affine;
using curve::G1Xyzz;
using curve::G2Affine;
using curve::G2Xyzz;
using field::Fp;
using field::Fp2;
using field::Fr;

namespace {

// The caller's arrays have the alignment of 64-bit limbs only.
template <class T> T load(const void *from, u64 i) {
    T value;
    std::memcpy(&value, static_cast<const char *>(from) + i * sizeof(T), sizeof(T));
    return value;
}
template <class T> void store(void *to, u64 i, const T &value) {
    std::memcpy(static_cast<char *>(to) + i * sizeof(T), &value, sizeof(T));
}

} // namespace

#define OPERATION(name)                                                                            \
    extern "C" void cuzk_host_##name(void *out, const void *a, const void *b, u64 n)
#define UNARY(name, A, operation)                                                                  \
    OPERATION(name) {                                                                              \
        (void)b;                                                                                   \
        for (u64 i = 0; i < n; i++) store(out, i, operation{}(load<A>(a, i)));                     \
    }
#define BINARY(name, A, B, operation)                                                              \
    OPERATION(name) {                                                                              \
        for (u64 i = 0; i < n; i++) store(out, i, operation{}(load<A>(a, i), load<B>(b, i)));      \
    }

BINARY(add_fr, Fr, Fr, Add)
BINARY(sub_fr, Fr, Fr, Sub)
UNARY(neg_fr, Fr, Neg)
BINARY(mul_fr, Fr, Fr, Mul)
UNARY(sqr_fr, Fr, Sqr)
UNARY(inverse_fr, Fr, Inverse)
UNARY(from_mont_fr, Fr, FromMont)
UNARY(to_mont_fr, Fr, ToMont)
BINARY(mul_lazy_fr, Fr, Fr, MulLazy)
UNARY(sqr_lazy_fr, Fr, SqrLazy)
BINARY(add_fp, Fp, Fp, Add)
BINARY(sub_fp, Fp, Fp, Sub)
UNARY(neg_fp, Fp, Neg)
BINARY(mul_fp, Fp, Fp, Mul)
UNARY(sqr_fp, Fp, Sqr)
UNARY(inverse_fp, Fp, Inverse)
UNARY(from_mont_fp, Fp, FromMont)
UNARY(to_mont_fp, Fp, ToMont)
BINARY(mul_lazy_fp, Fp, Fp, MulLazy)
UNARY(sqr_lazy_fp, Fp, SqrLazy)
BINARY(sum_of_products_fp, Pair<Fp>, Pair<Fp>, SumOfProducts)
BINARY(diff_of_products_fp, Pair<Fp>, Pair<Fp>, DiffOfProducts)
BINARY(add_fp2, Fp2, Fp2, Add)
BINARY(sub_fp2, Fp2, Fp2, Sub)
UNARY(neg_fp2, Fp2, Neg)
BINARY(mul_fp2, Fp2, Fp2, Mul)
UNARY(sqr_fp2, Fp2, Sqr)
UNARY(inverse_fp2, Fp2, Inverse)
BINARY(add_mixed_g1, G1Xyzz, G1Affine, AddMixed)
BINARY(add_g1, G1Xyzz, G1Xyzz, AddPoints)
UNARY(double_g1, G1Xyzz, Double)
UNARY(to_affine_g1, G1Xyzz, ToAffine)
UNARY(to_jacobian_g1, G1Xyzz, ToJacobian)
BINARY(add_mixed_g2, G2Xyzz, G2Affine, AddMixed)
BINARY(add_g2, G2Xyzz, G2Xyzz, AddPoints)
UNARY(double_g2, G2Xyzz, Double)
UNARY(to_affine_g2, G2Xyzz, ToAffine)
UNARY(to_jacobian_g2, G2Xyzz, ToJacobian)

// The constants of `constants.cuh` in a fixed order; `a` and `b` are not read.
namespace {
template <class F> F element(u32 limb(int)) {
    F value;
    for (int i = 0; i < F::N; i++) value.limbs[i] = limb(i);
    return value;
}
} // namespace

OPERATION(constants_fr) {
    (void)a, (void)b, (void)n;
    using P = field::FrParams;
    Fr values[] = {element<Fr>(P::modulus), Fr::one(), element<Fr>(P::generator),
                   element<Fr>(P::root_of_unity)};
    std::memcpy(out, values, sizeof(values));
}

OPERATION(constants_fp) {
    (void)a, (void)b, (void)n;
    using P = field::FpParams;
    using G1 = curve::G1Params;
    using G2 = curve::G2Params;
    Fp values[] = {
        element<Fp>(P::modulus),
        Fp::one(),
        element<Fp>(G1::b),
        element<Fp>(G1::generator_x),
        element<Fp>(G1::generator_y),
        element<Fp>(G2::b_c0),
        element<Fp>(G2::b_c1),
        element<Fp>(G2::generator_x_c0),
        element<Fp>(G2::generator_x_c1),
        element<Fp>(G2::generator_y_c0),
        element<Fp>(G2::generator_y_c1),
    };
    std::memcpy(out, values, sizeof(values));
}
