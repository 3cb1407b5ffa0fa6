// Points and field elements as a round reads and writes them.
//
// Called by: one thread.
#pragma once

#include "cuzk/curve/affine.cuh"
#include "cuzk/msm/affine_field.cuh"
#include "cuzk/msm/affine_params.cuh"

namespace cuzk::msm::affine {

struct alignas(16) Word {
    u32 limbs[4];
};
static_assert(sizeof(Fp) == 3 * sizeof(Word), "a coordinate is whole words");

// In one access: the compiler makes four of a copy.
CUZK_HOST_DEVICE Word load_word(const Word *at) {
#ifdef __CUDA_ARCH__
    const uint4 word = *reinterpret_cast<const uint4 *>(at);
    return {{word.x, word.y, word.z, word.w}};
#else
    return *at;
#endif
}

template <class F> constexpr int WORDS = sizeof(F) / sizeof(Word);

CUZK_HOST_DEVICE void set_word(Fp &f, int i, const Word &word) {
    CUZK_UNROLL
    for (int k = 0; k < 4; k++) f.limbs[4 * i + k] = word.limbs[k];
}
CUZK_HOST_DEVICE void set_word(Fp2 &f, int i, const Word &word) {
    i < WORDS<Fp> ? set_word(f.c0, i, word) : set_word(f.c1, i - WORDS<Fp>, word);
}
CUZK_HOST_DEVICE Word word_of(const Fp &f, int i) {
    return {{f.limbs[4 * i], f.limbs[4 * i + 1], f.limbs[4 * i + 2], f.limbs[4 * i + 3]}};
}
CUZK_HOST_DEVICE Word word_of(const Fp2 &f, int i) {
    return i < WORDS<Fp> ? word_of(f.c0, i) : word_of(f.c1, i - WORDS<Fp>);
}

template <class F> CUZK_HOST_DEVICE F load_words(const Word *at, u64 stride) {
    F f;
    CUZK_UNROLL
    for (int i = 0; i < WORDS<F>; i++) set_word(f, i, load_word(at + i * stride));
    return f;
}
template <class F> CUZK_HOST_DEVICE void store_words(Word *at, u64 stride, const F &f) {
    CUZK_UNROLL
    for (int i = 0; i < WORDS<F>; i++) at[i * stride] = word_of(f, i);
}

// Where a point's words are: x, then y. Coordinates of bases are canonical. Of an output x is
// canonical, since it is compared, and y is in [0, 2p).
template <class F> struct Place {
    const Word *at;
    u64 stride;
    bool negative;

    CUZK_HOST_DEVICE F x() const { return load_words<F>(at, stride); }
    // In [0, 2p).
    CUZK_HOST_DEVICE F y() const {
        F y = load_words<F>(at + WORDS<F> * stride, stride);
        return negative ? minus<0>(F::zero(), y) : y;
    }
};

// The points of a round. In the first all are bases or brought along, side by side; then they are
// outputs too, whose words lie in planes so that neighbours read neighbouring words.
template <class F, bool FIRST> struct Points {
    const Word *bases, *carried, *outputs;
    u32 n, first_output;
    u64 capacity;

    explicit CUZK_HOST_DEVICE Points(const PointParams &p)
        : bases(static_cast<const Word *>(p.bases)), carried(static_cast<const Word *>(p.carried)),
          outputs(static_cast<const Word *>(p.outputs)), n(u32(p.n)),
          first_output(u32(p.first_output)), capacity(p.capacity) {}

    CUZK_HOST_DEVICE Place<F> place(u32 ref) const {
        const u32 position = ref & 0x7fffffff;
        if (FIRST || position < first_output) {
            const bool is_base = position < n;
            const u64 row = is_base ? position : position - n;
            return {(is_base ? bases : carried) + row * (2 * WORDS<F>), 1, (ref >> 31) != 0};
        }
        return {outputs + (position - first_output), capacity, false};
    }
};

// Whether the abscissas are perhaps equal or one is perhaps zero, as that of the identity is.
template <class F> CUZK_HOST_DEVICE bool may_be_special(const F &x1, const F &x2) {
    return low_limb(x1) == low_limb(x2) || top_limb(x1) == 0 || top_limb(x2) == 0;
}

template <class F> CUZK_HOST_DEVICE bool is_identity(const F &x, const F &y) {
    return x.is_zero() && canonical<2>(y).is_zero();
}

// How two points are added: the slope is e / d, or the sum is known to be (x1, y1) and d is one.
template <class F> struct Addition {
    F x1, y1; // the left point, in bounds of Place
    F d;      // in [0, 2p), not zero
    F e;      // in [0, 4p)
    bool is_known;
};

// The same for any two points: the chord, the tangent where they are equal, or the sum where one
// is the identity or they are opposite. Points of order two, which the curves do not have, count as
// opposite to themselves.
template <class F> CUZK_OUT_OF_LINE Addition<F> special_addition(Place<F> left, Place<F> right) {
    const F x1 = left.x(), y1 = left.y(), x2 = right.x(), y2 = right.y();
    if (is_identity(x2, y2)) return {x1, y1, F::one(), F::zero(), true};
    if (is_identity(x1, y1)) return {x2, y2, F::one(), F::zero(), true};
    if (!(x1 == x2)) return {x1, y1, minus<0>(x2, x1), minus<1>(y2, y1), false};
    const F height = canonical<2>(plus(y1, y2));
    if (height.is_zero()) return {F::zero(), F::zero(), F::one(), F::zero(), true};
    const F xx = canonical<2>(square(x1));
    return {x1, y1, height, plus(plus(xx, xx), xx), false};
}

} // namespace cuzk::msm::affine
