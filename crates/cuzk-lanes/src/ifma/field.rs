use std::arch::x86_64::{
    _mm512_cmpeq_epi64_mask, _mm512_cmplt_epi64_mask, _mm512_mask_blend_epi64,
    _mm512_mask_sub_epi64, _mm512_or_si512,
};

use cuzk_curve::FpLimbs;

use super::{
    constants::{
        self, FOUR_P, FOUR_P_LANES, MASK, ONE_LANES, P, P_LANES, TWO_432_WORDS, TWO_448_LANES,
        TWO_P_LANES,
    },
    layout::{self, Limbs52},
    product::{
        Columns, Element, add_product, and, carry, minus, plus, shrink, splat, square_columns,
        tighten, vector, zero,
    },
};
use crate::{Ifma, field::Field, lane_points::Table};

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512ifma,avx512vbmi")]
fn with_ifma<T>(f: impl FnOnce() -> T) -> T {
    f()
}

/// An element limb by limb; no closure, since one that is not inlined would call every
/// instruction as a function.
macro_rules! each {
    (|$j:ident| $limb:expr) => {{
        let mut out = [zero(); 8];
        for ($j, out) in out.iter_mut().enumerate() {
            *out = $limb;
        }
        out
    }};
}

#[inline(always)]
fn product(a: &Element, b: &Element) -> Columns {
    let mut t = [zero(); 16];
    add_product(&mut t, a, b);
    t
}

#[inline(always)]
fn two_products(a: &Element, b: &Element, c: &Element, d: &Element) -> Columns {
    let mut t = product(a, b);
    add_product(&mut t, c, d);
    t
}

/// v − c for v below 2p and loose c, tight.
#[inline(always)]
fn less(v: Element, c: &Element) -> Element {
    tighten(each!(|j| minus(v[j], c[j])))
}

impl Field for Ifma {
    const WIDTH: usize = 8;
    const INVERSE_FACTOR: FpLimbs = FpLimbs(TWO_432_WORDS);
    type V = Element;
    type Elem = Limbs52;

    #[inline(always)]
    fn vectorize<T>(self, f: impl FnOnce() -> T) -> T {
        // SAFETY: `self` is the proof that the features are there.
        unsafe { with_ifma(f) }
    }

    fn elements(table: &Table) -> Option<&[Limbs52]> {
        match table {
            Table::Ifma(_, elems) => Some(elems),
            Table::Portable(_) => None,
        }
    }

    #[inline(always)]
    fn zero_elem(self) -> Limbs52 {
        Limbs52::from([0; 8])
    }

    #[inline(always)]
    fn one(self) -> Element {
        each!(|j| vector(&ONE_LANES, j))
    }

    #[inline(always)]
    fn load_packed<'a>(self, at: impl Fn(usize) -> &'a FpLimbs) -> Element {
        layout::load_packed(at)
    }

    #[inline(always)]
    fn load<'a>(self, at: impl Fn(usize) -> &'a Limbs52) -> Element {
        layout::load(at)
    }

    #[inline(always)]
    fn store(self, v: Element, put: impl FnMut(usize, Limbs52)) {
        layout::store(v, put);
    }

    fn pack(self, elem: &Limbs52) -> FpLimbs {
        let elem = <[u64; 8]>::from(*elem);
        // Tight values need one subtraction of p at the most.
        let mut less_p = [0; 8];
        let mut borrow = 0i64;
        for (j, limb) in less_p.iter_mut().enumerate() {
            borrow += elem[j].cast_signed() - P[j].cast_signed();
            *limb = borrow.cast_unsigned() & MASK;
            borrow >>= 52;
        }
        FpLimbs(constants::words(if borrow < 0 { &elem } else { &less_p }))
    }

    #[inline(always)]
    fn unpack(self, limbs: &FpLimbs) -> Limbs52 {
        layout::spread(limbs)
    }

    #[inline(always)]
    fn mul(self, a: Element, b: Element) -> Element {
        carry(shrink(product(&a, &b)))
    }

    #[inline(always)]
    fn mul_add(self, a: Element, b: Element, c: Element, d: Element) -> Element {
        carry(shrink(two_products(&a, &b, &c, &d)))
    }

    #[inline(always)]
    fn square(self, a: Element) -> Element {
        carry(shrink(square_columns(&a)))
    }

    #[inline(always)]
    fn square_sub(self, a: Element, c: Element) -> Element {
        less(shrink(square_columns(&a)), &c)
    }

    #[inline(always)]
    fn mul_sub(self, a: Element, b: Element, c: Element) -> Element {
        less(shrink(product(&a, &b)), &c)
    }

    #[inline(always)]
    fn mul_add_sub(self, a: Element, b: Element, c: Element, d: Element, e: Element) -> Element {
        less(shrink(two_products(&a, &b, &c, &d)), &e)
    }

    #[inline(always)]
    fn sum(self, a: Element, b: Element) -> Element {
        each!(|j| plus(a[j], b[j]))
    }

    #[inline(always)]
    fn sum_from_difference(self, a: Element, d: Element) -> Element {
        each!(|j| plus(plus(a[j], a[j]), minus(d[j], vector(&FOUR_P_LANES, j))))
    }

    #[inline(always)]
    fn negate(self, mask: u8, a: Element) -> Element {
        each!(|j| {
            // SAFETY: `self` is the proof that the features are there.
            unsafe { _mm512_mask_sub_epi64(a[j], mask, vector(&P_LANES, j), a[j]) }
        })
    }

    #[inline(always)]
    fn add(self, a: Element, b: Element) -> Element {
        carry(each!(|j| plus(a[j], b[j])))
    }

    #[inline(always)]
    fn sub(self, a: Element, b: Element) -> Element {
        carry(each!(|j| plus(minus(a[j], b[j]), vector(&FOUR_P_LANES, j))))
    }

    #[inline(always)]
    fn zero(self) -> Element {
        [zero(); 8]
    }

    #[inline(always)]
    fn reduce(self, a: Element) -> Element {
        // Sums and differences lie in [0, 5.1p): two less is in the middle of what `tighten`
        // covers.
        let down = each!(|j| minus(a[j], vector(&TWO_P_LANES, j)));
        let tight = tighten(down);
        let less_p = carry(each!(|j| minus(tight[j], vector(&P_LANES, j))));
        // SAFETY: `self` is the proof that the features are there.
        let below = unsafe { _mm512_cmplt_epi64_mask(less_p[7], zero()) };
        self.select(below, less_p, tight)
    }

    #[inline(always)]
    fn zero_mask(self, a: Element) -> u8 {
        let mut any = a[0];
        for limb in &a[1..] {
            // SAFETY: `self` is the proof that the features are there.
            any = unsafe { _mm512_or_si512(any, *limb) };
        }
        // SAFETY: likewise.
        unsafe { _mm512_cmpeq_epi64_mask(any, zero()) }
    }

    #[inline(always)]
    fn select(self, mask: u8, a: Element, b: Element) -> Element {
        // SAFETY: `self` is the proof that the features are there.
        each!(|j| unsafe { _mm512_mask_blend_epi64(mask, a[j], b[j]) })
    }

    #[inline(always)]
    fn lift(self, a: Element) -> Element {
        shift_left_16(a)
    }

    #[inline(always)]
    fn lift_square(self, a: Element) -> Element {
        let factor = each!(|j| vector(&TWO_448_LANES, j));
        less(shrink(product(&a, &factor)), &[zero(); 8])
    }

    #[inline(always)]
    fn suspect(self, x1: Element, x2: Element, difference: Element) -> bool {
        // Tight abscissas differ by −p, 0 or p when they are congruent, and the lowest limb
        // of the difference, which has 4p added, shows it.
        let d = difference[0];
        let [same, more, less] =
            [0, P[0], P[0].wrapping_neg()].map(|multiple| FOUR_P[0].wrapping_add(multiple) & MASK);
        // SAFETY: `self` is the proof that the features are there.
        let mask = unsafe {
            _mm512_cmpeq_epi64_mask(x1[0], zero())
                | _mm512_cmpeq_epi64_mask(x2[0], zero())
                | _mm512_cmpeq_epi64_mask(d, splat(same))
                | _mm512_cmpeq_epi64_mask(d, splat(more))
                | _mm512_cmpeq_epi64_mask(d, splat(less))
        };
        mask != 0
    }
}

/// a·2^16 for a below 2^400.
#[inline(always)]
fn shift_left_16(a: Element) -> Element {
    use std::arch::x86_64::{_mm512_slli_epi64, _mm512_srli_epi64};
    let mask = splat(MASK);
    // SAFETY: callers hold `Ifma`.
    each!(|j| unsafe {
        let high = and(_mm512_slli_epi64::<16>(a[j]), mask);
        if j == 0 {
            high
        } else {
            _mm512_or_si512(high, _mm512_srli_epi64::<36>(a[j - 1]))
        }
    })
}
