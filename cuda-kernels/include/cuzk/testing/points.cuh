// Many points from few, for tests and for measuring.
#pragma once

#include "cuzk/curve/xyzz.cuh"

namespace cuzk::testing {

// points[n + i] = points[i] + step[0] for i < n.
struct ExtendParams {
    void *points;
    const void *step;
    u64 n;
};

template <class F> CUZK_HOST_DEVICE void extend(const ExtendParams &p, u64 i) {
    if (i >= p.n) return;
    curve::Affine<F> *points = static_cast<curve::Affine<F> *>(p.points);
    const curve::Affine<F> step = *static_cast<const curve::Affine<F> *>(p.step);
    points[p.n + i] = add_mixed(curve::Xyzz<F>::from(points[i]), step).to_affine();
}

} // namespace cuzk::testing
