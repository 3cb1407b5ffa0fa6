// The macros and integer names that every other header builds on.
//
// The headers compile three ways: for a device (nvcc or NVRTC), for the host side of nvcc, and
// as plain C++17, in which the tests of `cuzk-kernel-host` run them. They include no system
// header, so that NVRTC needs no search path beyond `include/`.
#pragma once

namespace cuzk {
using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using i64 = long long;
static_assert(sizeof(u32) == 4 && sizeof(u64) == 8, "the limbs are 32 and 64 bits wide");
} // namespace cuzk

#ifdef __CUDACC__
// A function for the device alone, inlined.
#define CUZK_DEVICE __device__ __forceinline__
// A function of one thread, inlined, that the host tests run as well.
#define CUZK_HOST_DEVICE __host__ __device__ __forceinline__
// The same, but called: field products. A point addition with ten inlined products no longer fits
// the instruction cache (87 against 75 ms for the same accumulation, H200, 2026-11).
#define CUZK_OUT_OF_LINE __host__ __device__ __noinline__
// An entry point. Its launch bounds come from `kernels.toml` as two definitions per symbol.
#define CUZK_KERNEL(symbol)                                                                        \
    extern "C" __global__ void __launch_bounds__(CUZK_THREADS_##symbol, CUZK_MIN_BLOCKS_##symbol)  \
        symbol
#define CUZK_UNROLL _Pragma("unroll")
#define CUZK_ROLLED _Pragma("unroll 1")
#else
#define CUZK_DEVICE inline
#define CUZK_HOST_DEVICE inline
#define CUZK_OUT_OF_LINE inline
#define CUZK_UNROLL
#define CUZK_ROLLED
#endif
