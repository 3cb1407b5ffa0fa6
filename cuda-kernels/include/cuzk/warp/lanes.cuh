// What the 32 lanes of a warp do together, in a form that runs on a device and on the host.
//
// A value that every lane has is a `Lanes<T>`, and `each` runs a function on every lane. On a
// device a thread is one lane: it holds its own value, and the function is called once. On the host
// all 32 values are there, and the lanes take their turn.
//
// Called by: all 32 lanes of a warp. Result valid in: all lanes.
#pragma once

#include "cuzk/arith/bits.cuh"

namespace cuzk::warp {

constexpr u32 LANES = 32;
constexpr u32 ALL_LANES = 0xffffffff;

#ifdef __CUDA_ARCH__

template <class T> struct Lanes {
    T value;
    CUZK_DEVICE T &operator[](u32) { return value; }
    CUZK_DEVICE const T &operator[](u32) const { return value; }
};

template <class F> CUZK_DEVICE void each(const F &lane_does) { lane_does(threadIdx.x % LANES); }

// Orders the accesses of a warp's lanes to shared memory.
CUZK_DEVICE void sync() { __syncwarp(); }

// The lanes whose flag is not zero, as a set of bits.
CUZK_DEVICE u32 ballot(const Lanes<u32> &flag) { return __ballot_sync(ALL_LANES, flag.value); }

// The value of one lane.
CUZK_DEVICE u32 value_of(const Lanes<u32> &value, u32 lane) {
    return __shfl_sync(ALL_LANES, value.value, int(lane));
}

// For each lane, the sum of the values up to its own, that included.
CUZK_DEVICE Lanes<u32> inclusive_sums(Lanes<u32> sum) {
    CUZK_UNROLL
    for (u32 reach = 1; reach < LANES; reach *= 2) {
        u32 before = __shfl_up_sync(ALL_LANES, sum.value, reach);
        if (threadIdx.x % LANES >= reach) sum.value += before;
    }
    return sum;
}

#else

template <class T> struct Lanes {
    T values[LANES];
    T &operator[](u32 lane) { return values[lane]; }
    const T &operator[](u32 lane) const { return values[lane]; }
};

// From the last to the first, so that what relies on the order of lanes fails.
template <class F> inline void each(const F &lane_does) {
    for (u32 lane = LANES; lane-- > 0;) lane_does(lane);
}

inline void sync() {}

inline u32 ballot(const Lanes<u32> &flag) {
    u32 set = 0;
    for (u32 lane = 0; lane < LANES; lane++) set |= u32(flag[lane] != 0) << lane;
    return set;
}

inline u32 value_of(const Lanes<u32> &value, u32 lane) { return value[lane]; }

inline Lanes<u32> inclusive_sums(Lanes<u32> sum) {
    for (u32 lane = 1; lane < LANES; lane++) sum[lane] += sum[lane - 1];
    return sum;
}

#endif

// The lanes before this one, as a set of bits.
CUZK_HOST_DEVICE u32 lanes_before(u32 lane) { return (1u << lane) - 1; }

} // namespace cuzk::warp
