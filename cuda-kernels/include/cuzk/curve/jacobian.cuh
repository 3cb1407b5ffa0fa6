// Points in Jacobian coordinates, the form in which results leave the device.
#pragma once

#include "cuzk/curve/xyzz.cuh"

namespace cuzk::curve {

// x / z^2, y / z^3; the identity has z = 0.
template <class F> struct Jacobian {
    F x, y, z;

    // 2M: with zz^3 = zzz^2, z = zz gives x zz / zz^2 and y zzz / zz^3.
    static CUZK_HOST_DEVICE Jacobian from(const Xyzz<F> &p) {
        return {p.x * p.zz, p.y * p.zzz, p.zz};
    }
};

} // namespace cuzk::curve
