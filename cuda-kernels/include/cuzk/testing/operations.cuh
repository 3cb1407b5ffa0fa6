// The operations that the unit tests of the device arithmetic name, as types, so that the kernels
// of `src/testing_*.cu` and the host functions of `cuzk-kernel-host` run the same expressions.
#pragma once

#include "cuzk/curve/g1.cuh"
#include "cuzk/curve/g2.cuh"
#include "cuzk/field/fr.cuh"

namespace cuzk::testing {

struct Add {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a, const F &b) const { return a + b; }
};
struct Sub {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a, const F &b) const { return a - b; }
};
struct Neg {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a) const { return -a; }
};
struct Mul {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a, const F &b) const { return a * b; }
};
struct Sqr {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a) const { return sqr(a); }
};
struct Inverse {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a) const { return inverse(a); }
};

struct FromMont {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a) const { return F::from_mont(a); }
};
struct ToMont {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a) const { return F::to_mont(a); }
};
struct MulLazy {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a, const F &b) const {
        return F::mul_lazy(a, b);
    }
};
struct SqrLazy {
    template <class F> CUZK_HOST_DEVICE F operator()(const F &a) const { return F::sqr_lazy(a); }
};

template <class F> struct Pair {
    F first, second;
};
struct SumOfProducts {
    template <class F> CUZK_HOST_DEVICE F operator()(const Pair<F> &a, const Pair<F> &b) const {
        return sum_of_products(a.first, b.first, a.second, b.second);
    }
};
struct DiffOfProducts {
    template <class F> CUZK_HOST_DEVICE F operator()(const Pair<F> &a, const Pair<F> &b) const {
        return diff_of_products(a.first, b.first, a.second, b.second);
    }
};

struct AddMixed {
    template <class F>
    CUZK_HOST_DEVICE auto operator()(const curve::Xyzz<F> &a, const curve::Affine<F> &b) const {
        return add_mixed(a, b);
    }
};
struct AddPoints {
    template <class P> CUZK_HOST_DEVICE P operator()(const P &a, const P &b) const {
        return add(a, b);
    }
};
struct Double {
    template <class P> CUZK_HOST_DEVICE P operator()(const P &a) const { return dbl(a); }
};
struct ToAffine {
    template <class F> CUZK_HOST_DEVICE auto operator()(const curve::Xyzz<F> &a) const {
        return a.to_affine();
    }
};
struct ToJacobian {
    template <class F> CUZK_HOST_DEVICE auto operator()(const curve::Xyzz<F> &a) const {
        return curve::Jacobian<F>::from(a);
    }
};

} // namespace cuzk::testing
