// Sums of XYZZ points by several lanes of a warp each, where there are fewer sums than threads.
//
// Called by: all lanes of a warp. Shared memory: a `LaneSums` for the block, in which each group of
// GROUP<F> lanes has eight places. Synchronises: the warp, before and after every step.
//
// The simple algorithm is that of `xyzz.cuh`: an addition is 14 products one after the other, a
// doubling 9, and a lone thread waits for each.
//
// The trick: a lane takes one product of a step, so that an addition is four steps and a doubling
// three; of Fp2 it takes one coefficient of a product, a merged pair a c - b d or a d + b c. Sums
// and differences are cheap, so that every lane makes those it needs for itself.
//
// Why it is right: a step reads places, then all lanes wait, then it writes places. Whether a group
// adds, doubles or copies follows from its places, and so is the same in all its lanes.
#pragma once

#include "cuzk/curve/xyzz.cuh"
#include "cuzk/warp/lanes.cuh"

namespace cuzk::curve {
using field::Fp;
using field::Fp2;

// Coefficients of a field element, and the lanes of a group: one for each of four products.
template <class F> constexpr u32 COEFFICIENTS = sizeof(F) / sizeof(Fp);
template <class F> constexpr u32 GROUP = 4 * COEFFICIENTS<F>;
template <class F> constexpr u32 GROUPS_OF_WARP = warp::LANES / GROUP<F>;

CUZK_HOST_DEVICE Fp &coefficient(Fp &f, u32) { return f; }
CUZK_HOST_DEVICE Fp &coefficient(Fp2 &f, u32 i) { return i ? f.c1 : f.c0; }

CUZK_HOST_DEVICE Fp coefficient_of_product(const Fp &a, const Fp &b, u32) { return a * b; }
CUZK_HOST_DEVICE Fp coefficient_of_product(const Fp2 &a, const Fp2 &b, u32 i) {
    return sum_of_products(a.c0, i ? b.c1 : b.c0, i ? a.c1 : -a.c1, i ? b.c0 : b.c1);
}

// The places of one group. A point has four of them: its coordinates x, y, zz, zzz in this order.
template <class F> struct LaneSum {
    F at[8];
};

// A lane of a group: the product it takes, and the coefficient of it.
template <class F> struct LaneRole {
    u32 group, product, part;

    explicit CUZK_HOST_DEVICE LaneRole(u32 lane)
        : group(lane / GROUP<F>), product(lane % GROUP<F> / COEFFICIENTS<F>),
          part(lane % COEFFICIENTS<F>) {}
};

// What becomes of two points, the one in places 0 to 3 and the other in places 4 to 7.
enum class LaneCase : u32 { Keep, Take, Add, Double, Cancel };

// Where a lane puts nothing.
constexpr u32 NOWHERE = 8;

// One step: `step(lane, role, sum, out)` makes a coefficient from the places of the lane's group
// and names the place that it belongs to.

template <class F, class Step>
CUZK_HOST_DEVICE void lane_step(LaneSum<F> *sums, const Step &step) {
    warp::Lanes<Fp> made;
    warp::Lanes<u32> place;
    warp::sync();
    warp::each([&](u32 lane) {
        const LaneRole<F> role(lane);
        place[lane] = step(lane, role, sums[role.group], made[lane]);
    });
    warp::sync();
    warp::each([&](u32 lane) {
        const LaneRole<F> role(lane);
        if (place[lane] < NOWHERE) {
            coefficient(sums[role.group].at[place[lane]], role.part) = made[lane];
        }
    });
}

// That of four numbers below 16, in a word, which belongs to a product; the first is the lowest.
CUZK_HOST_DEVICE u32 choose(u32 numbers, u32 product) { return numbers >> (4 * product) & 15; }

// A coordinate of twice the point in places 0 and 1 over zz1 zz2: rare.
template <class F>
CUZK_OUT_OF_LINE void double_scaled(F &coordinate, const LaneSum<F> &sum, u32 number) {
    const Xyzz<F> twice = dbl(
        Xyzz<F>{sum.at[0], sum.at[1], sum.at[2] * sum.at[6], sum.at[3] * sum.at[7]});
    coordinate = number == 0 ? twice.x : number == 1 ? twice.y : number == 2 ? twice.zz : twice.zzz;
}

// For each group that `is_active`: places 0 to 3 become the sum of both points, whatever they are.
template <class F>
CUZK_HOST_DEVICE void add_by_lanes(LaneSum<F> *sums, const warp::Lanes<u32> &is_active) {
    warp::Lanes<LaneCase> of;
    // x1 zz2, y1 zzz2, x2 zz1, y2 zzz1, each in the place of its first factor.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        of[lane] = LaneCase::Keep;
        if (!is_active[lane] || sum.at[6].is_zero()) return NOWHERE;
        of[lane] = sum.at[2].is_zero() ? LaneCase::Take : LaneCase::Add;
        if (of[lane] == LaneCase::Take) return NOWHERE;
        const u32 place = choose(0x5410, role.product);
        out = coefficient_of_product(sum.at[place], sum.at[choose(0x3276, role.product)],
                                     role.part);
        return place;
    });
    // p^2, r^2, zz1 zz2, zzz1 zzz2, for p and r the differences.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (of[lane] != LaneCase::Add) return NOWHERE;
        const F p = sum.at[4] - sum.at[0], r = sum.at[5] - sum.at[1];
        if (p.is_zero()) {
            of[lane] = r.is_zero() ? LaneCase::Double : LaneCase::Cancel;
            return NOWHERE;
        }
        const u32 product = role.product;
        const F &left = product == 0 ? p : product == 1 ? r : sum.at[product];
        const F &right = product == 0 ? p : product == 1 ? r : sum.at[product + 4];
        out = coefficient_of_product(left, right, role.part);
        return choose(0x3276, product);
    });
    // p^3, q = x1 p^2, and the new zz.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (of[lane] != LaneCase::Add || role.product == 3) return NOWHERE;
        const F p = sum.at[4] - sum.at[0];
        const F &left = role.product == 0 ? p : sum.at[role.product == 1 ? 0 : 2];
        out = coefficient_of_product(left, sum.at[6], role.part);
        return choose(0x246, role.product);
    });
    // x3 = r^2 - p^3 - 2 q; r (q - x3), y1 p^3, and the new zzz.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (of[lane] != LaneCase::Add) return NOWHERE;
        F x3 = sum.at[7] - sum.at[6] - dbl(sum.at[4]);
        if (role.product == 3) {
            out = coefficient(x3, role.part);
            return 0u;
        }
        const F r = sum.at[5] - sum.at[1], across = sum.at[4] - x3;
        const F &left = role.product == 0 ? r : sum.at[role.product == 1 ? 1 : 3];
        const F &right = role.product == 0 ? across : sum.at[6];
        out = coefficient_of_product(left, right, role.part);
        return choose(0x365, role.product);
    });
    // y3 is the difference of the first two; or what else there is to do.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        switch (of[lane]) {
        case LaneCase::Add:
            if (role.product != 0) return NOWHERE;
            out = coefficient(sum.at[5], role.part) - coefficient(sum.at[6], role.part);
            return 1u;
        case LaneCase::Take: out = coefficient(sum.at[4 + role.product], role.part); break;
        case LaneCase::Cancel: out = Fp::zero(); break;
        case LaneCase::Double: {
            F own;
            double_scaled(own, sum, role.product);
            out = coefficient(own, role.part);
            break;
        }
        default: return NOWHERE;
        }
        return role.product;
    });
    warp::sync();
}

// For each group that `is_active`: places 0 to 3 become twice the point.
template <class F>
CUZK_HOST_DEVICE void double_by_lanes(LaneSum<F> *sums, const warp::Lanes<u32> &is_active) {
    // v = u^2, for u = 2 y, and x^2.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (!is_active[lane] || role.product > 1) return NOWHERE;
        const F factor = role.product == 0 ? dbl(sum.at[1]) : sum.at[0];
        out = coefficient_of_product(factor, factor, role.part);
        return 4 + role.product;
    });
    // w = u v, s = x v, the new zz, and m^2 for m = 3 x^2.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (!is_active[lane]) return NOWHERE;
        const F m = dbl(sum.at[5]) + sum.at[5];
        const F left = role.product == 0   ? dbl(sum.at[1])
                       : role.product == 1 ? sum.at[0]
                       : role.product == 2 ? sum.at[2]
                                           : m;
        out = coefficient_of_product(left, role.product == 3 ? m : sum.at[4], role.part);
        return choose(0x0276, role.product);
    });
    // x3 = m^2 - 2 s; m (s - x3), w y, and the new zzz.
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (!is_active[lane]) return NOWHERE;
        F x3 = sum.at[0] - dbl(sum.at[7]);
        if (role.product == 3) {
            out = coefficient(x3, role.part);
            return 0u;
        }
        const F m = dbl(sum.at[5]) + sum.at[5], across = sum.at[7] - x3;
        const F &left = role.product == 0 ? m : sum.at[6];
        const F &right = role.product == 0 ? across : sum.at[role.product == 1 ? 1 : 3];
        out = coefficient_of_product(left, right, role.part);
        return choose(0x354, role.product);
    });
    lane_step(sums, [&](u32 lane, const LaneRole<F> &role, LaneSum<F> &sum, Fp &out) {
        if (!is_active[lane] || role.product != 0) return NOWHERE;
        out = coefficient(sum.at[4], role.part) - coefficient(sum.at[5], role.part);
        return 1u;
    });
    warp::sync();
}

} // namespace cuzk::curve
