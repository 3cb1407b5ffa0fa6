// One C function per operation of the device arithmetic: `out[i] = operation(a[i], b[i])`.
#include <cstring>

#include "cuzk/curve/g1.cuh"
#include "cuzk/curve/g2.cuh"
#include "cuzk/field/fr.cuh"

using namespace cuzk;
using curve::Affine;
using curve::G1Affine;
using curve::G1Xyzz;
using curve::G2Affine;
using curve::G2Xyzz;
using curve::Jacobian;
using curve::Xyzz;
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

template <class A, class F> void unary(void *out, const void *a, u64 n, F operation) {
    for (u64 i = 0; i < n; i++) {
        auto value = operation(load<A>(a, i));
        std::memcpy(static_cast<char *>(out) + i * sizeof(value), &value, sizeof(value));
    }
}

template <class A, class B, class F>
void binary(void *out, const void *a, const void *b, u64 n, F operation) {
    for (u64 i = 0; i < n; i++) {
        auto value = operation(load<A>(a, i), load<B>(b, i));
        std::memcpy(static_cast<char *>(out) + i * sizeof(value), &value, sizeof(value));
    }
}

template <class F> struct Pair {
    F first, second;
};

} // namespace

#define OPERATION(name) extern "C" void cuzk_host_##name(void *out, const void *a, const void *b, u64 n)
#define UNARY(name, A, expression)                                                                 \
    OPERATION(name) {                                                                              \
        (void)b;                                                                                   \
        unary<A>(out, a, n, [](const A &x) { return expression; });                                \
    }
#define BINARY(name, A, B, expression)                                                             \
    OPERATION(name) {                                                                              \
        binary<A, B>(out, a, b, n, [](const A &x, const B &y) { return expression; });             \
    }

#define RING(F, suffix)                                                                            \
    BINARY(add_##suffix, F, F, x + y)                                                              \
    BINARY(sub_##suffix, F, F, x - y)                                                              \
    UNARY(neg_##suffix, F, -x)                                                                     \
    BINARY(mul_##suffix, F, F, x *y)                                                               \
    UNARY(sqr_##suffix, F, sqr(x))                                                                 \
    UNARY(inverse_##suffix, F, inverse(x))
#define PRIME(F, suffix)                                                                           \
    RING(F, suffix)                                                                                \
    UNARY(from_mont_##suffix, F, F::from_mont(x))                                                  \
    UNARY(to_mont_##suffix, F, F::to_mont(x))                                                      \
    BINARY(mul_lazy_##suffix, F, F, F::mul_lazy(x, y))                                             \
    UNARY(sqr_lazy_##suffix, F, F::sqr_lazy(x))
#define PRODUCTS(F, suffix)                                                                        \
    BINARY(sum_of_products_##suffix, Pair<F>, Pair<F>,                                             \
           sum_of_products(x.first, y.first, x.second, y.second))                                  \
    BINARY(diff_of_products_##suffix, Pair<F>, Pair<F>,                                            \
           diff_of_products(x.first, y.first, x.second, y.second))
#define CURVE(F, suffix)                                                                           \
    BINARY(add_mixed_##suffix, Xyzz<F>, Affine<F>, add_mixed(x, y))                                \
    BINARY(add_##suffix, Xyzz<F>, Xyzz<F>, add(x, y))                                              \
    UNARY(double_##suffix, Xyzz<F>, dbl(x))                                                        \
    UNARY(to_affine_##suffix, Xyzz<F>, x.to_affine())                                              \
    UNARY(to_jacobian_##suffix, Xyzz<F>, Jacobian<F>::from(x))

PRIME(Fr, fr)
PRIME(Fp, fp)
PRODUCTS(Fp, fp)
RING(Fp2, fp2)
CURVE(Fp, g1)
CURVE(Fp2, g2)

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
        element<Fp>(P::modulus),         Fp::one(),
        element<Fp>(G1::b),              element<Fp>(G1::generator_x),
        element<Fp>(G1::generator_y),    element<Fp>(G2::b_c0),
        element<Fp>(G2::b_c1),           element<Fp>(G2::generator_x_c0),
        element<Fp>(G2::generator_x_c1), element<Fp>(G2::generator_y_c0),
        element<Fp>(G2::generator_y_c1),
    };
    std::memcpy(out, values, sizeof(values));
}
