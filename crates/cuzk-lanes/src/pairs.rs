//! Affine additions of many independent pairs with one inversion.
//!
//! ```text
//! for every pair:            d = x₂ − x₁; prefix = chain; chain = chain·d
//! inverse = 1/chain
//! for every pair, backwards: λ = (y₂ − y₁)·(inverse·prefix); inverse = inverse·d
//!                            x₃ = λ² − x₁ − x₂; y₃ = λ(x₁ − x₃) − y₁
//! ```
//!
//! That is 5M + 1S a pair ([EFD], affine short Weierstrass, with the inversion shared as in
//! [Montgomery1987] §10.3.1). The lanes of the vectors are as many independent chains.
//!
//! Exceptional pairs are part of the algorithm. With equal points the slope is 3x²/2y; with
//! opposite points or an operand at infinity the denominator becomes one, and the result is
//! put in its place afterwards.

use crate::{coordinate::Coordinate, field::Field};

/// A pair of neighbours in the source and the row that takes their sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    /// Position of the left operand; the right one follows it.
    pub(crate) left: u32,
    /// Position of the sum.
    pub(crate) out: u32,
}

/// Where operands come from: the caller's points, or rows of an earlier round.
pub(crate) trait Source<F: Field, C: Coordinate<F>> {
    /// The abscissas at `position(lane)`, tight.
    fn x(&self, f: F, position: impl Fn(usize) -> usize) -> C::V;
    /// The ordinates, loose.
    fn y(&self, f: F, position: impl Fn(usize) -> usize) -> C::V;
    /// Brings the point at `position` closer to the processor.
    fn prefetch(&self, position: usize);
}

/// Which lanes of a group of pairs need more than the chord.
struct Exceptions {
    left_identity: u8,
    right_identity: u8,
    doubling: u8,
    opposite: u8,
}

/// Pairs ahead of the one at work whose points are asked for.
const PREFETCH_DISTANCE: usize = 32;

/// The lanes whose coordinate is zero; each part loose or below 4p.
#[inline(always)]
fn zero_mask<F: Field, C: Coordinate<F>>(f: F, v: C::V) -> u8 {
    (0..C::DEGREE).fold(!0, |mask, k| mask & f.zero_mask(f.reduce(C::part(&v, k))))
}

#[inline(always)]
fn exceptions<F: Field, C: Coordinate<F>>(f: F, [x1, y1, x2, y2]: [C::V; 4]) -> Exceptions {
    let left_identity = zero_mask::<F, C>(f, x1) & zero_mask::<F, C>(f, y1);
    let right_identity = zero_mask::<F, C>(f, x2) & zero_mask::<F, C>(f, y2);
    let same_x = zero_mask::<F, C>(f, C::zip(x2, x1, |a, b| f.sub(a, b)));
    let same_x = same_x & !left_identity & !right_identity;
    let opposite = same_x & zero_mask::<F, C>(f, C::zip(y1, y2, |a, b| f.add(a, b)));
    Exceptions {
        left_identity,
        right_identity: right_identity & !left_identity,
        doubling: same_x & !opposite,
        opposite,
    }
}

#[inline(always)]
fn select<F: Field, C: Coordinate<F>>(f: F, mask: u8, a: C::V, b: C::V) -> C::V {
    C::zip(a, b, |a, b| f.select(mask, a, b))
}

impl Exceptions {
    /// The denominators with those of the exceptional lanes put in.
    #[inline(always)]
    fn denominator<F: Field, C: Coordinate<F>>(&self, f: F, d: C::V, y1: C::V) -> C::V {
        let ones = self.left_identity | self.right_identity | self.opposite;
        let d = select::<F, C>(f, ones, d, C::one(f));
        let twice = C::map(y1, |y| f.add(y, y));
        select::<F, C>(f, self.doubling, d, twice)
    }

    /// The numerators with 3x² put in where a point is doubled.
    #[inline(always)]
    fn numerator<F: Field, C: Coordinate<F>>(&self, f: F, numerator: C::V, x1: C::V) -> C::V {
        let square = C::map(C::square(f, x1), |s| f.lift_square(s));
        let triple = C::map(square, |s| f.add(f.sum(s, s), s));
        select::<F, C>(f, self.doubling, numerator, triple)
    }

    /// The sum of each lane, given what the chord or tangent came to and both operands.
    #[inline(always)]
    fn result<F: Field, C: Coordinate<F>>(&self, f: F, sum: C::V, left: C::V, right: C::V) -> C::V {
        C::from_parts(|k| {
            let [sum, left, right] = [sum, left, right].map(|v| C::part(&v, k));
            let v = f.select(self.left_identity, sum, f.reduce(right));
            let v = f.select(self.right_identity, v, f.reduce(left));
            f.select(self.opposite, v, f.zero())
        })
    }
}

/// The positions of group `group`'s operands; lanes past the end repeat the last pair.
#[inline(always)]
fn pair_at(pairs: &[Pair], index: usize) -> Pair {
    pairs[index.min(pairs.len() - 1)]
}

#[inline(always)]
fn forward_group<F: Field, C: Coordinate<F>, S: Source<F, C>>(
    f: F,
    source: &S,
    left: impl Fn(usize) -> usize + Copy,
) -> C::V {
    let right = |lane: usize| left(lane) + 1;
    let x1 = source.x(f, left);
    let x2 = source.x(f, right);
    let d = C::zip(x2, x1, |a, b| f.sub(a, b));
    if C::suspect(f, x1, x2, d) {
        let y1 = source.y(f, left);
        let y2 = source.y(f, right);
        return exceptions::<F, C>(f, [x1, y1, x2, y2]).denominator::<F, C>(f, d, y1);
    }
    d
}

/// Adds the pairs of `source`, handing each sum's row and coordinate to `put`.
///
/// `prefixes` is scratch; its content does not matter.
#[inline(always)]
pub(crate) fn add_pairs<F: Field, C: Coordinate<F>, S: Source<F, C>>(
    f: F,
    source: &S,
    pairs: &[Pair],
    prefixes: &mut Vec<C::V>,
    mut put: impl FnMut(usize, usize, F::Elem),
) {
    if pairs.is_empty() {
        return;
    }
    let groups = pairs.len().div_ceil(F::WIDTH);
    prefixes.clear();
    let mut chain = C::one(f);
    for group in 0..groups {
        let base = group * F::WIDTH;
        for lane in 0..F::WIDTH {
            let ahead = pair_at(pairs, base + PREFETCH_DISTANCE + lane).left as usize;
            source.prefetch(ahead);
            source.prefetch(ahead + 1);
        }
        let left = |lane: usize| pair_at(pairs, base + lane).left as usize;
        let d = forward_group(f, source, left);
        prefixes.push(chain);
        chain = C::mul(f, chain, d);
    }
    let mut inverse = C::invert_lanes(f, chain);
    for (group, prefix) in prefixes.iter().enumerate().rev() {
        let base = group * F::WIDTH;
        let left = |lane: usize| pair_at(pairs, base + lane).left as usize;
        let (d, [x3, y3]) = backward_group::<F, C, S>(f, source, left, inverse, *prefix);
        inverse = C::mul(f, inverse, d);
        for k in 0..C::DEGREE {
            f.store(C::part(&x3, k), |lane, e| {
                put(pair_at(pairs, base + lane).out as usize, k, e);
            });
            f.store(C::part(&y3, k), |lane, e| {
                put(pair_at(pairs, base + lane).out as usize, C::DEGREE + k, e);
            });
        }
    }
}

/// The denominators of a group and the coordinates of its sums.
#[inline(always)]
fn backward_group<F: Field, C: Coordinate<F>, S: Source<F, C>>(
    f: F,
    source: &S,
    left: impl Fn(usize) -> usize + Copy,
    inverse: C::V,
    prefix: C::V,
) -> (C::V, [C::V; 2]) {
    let right = |lane: usize| left(lane) + 1;
    let (x1, x2) = (source.x(f, left), source.x(f, right));
    let (y1, y2) = (source.y(f, left), source.y(f, right));
    let mut d = C::zip(x2, x1, |a, b| f.sub(a, b));
    let mut numerator = C::zip(y2, y1, |a, b| f.sub(a, b));
    let mut found = None;
    if C::suspect(f, x1, x2, d) {
        let exceptions = exceptions::<F, C>(f, [x1, y1, x2, y2]);
        d = exceptions.denominator::<F, C>(f, d, y1);
        numerator = exceptions.numerator::<F, C>(f, numerator, x1);
        found = Some(exceptions);
    }
    let slope = C::mul(f, C::mul(f, inverse, prefix), numerator);
    let mut x3 = C::square_sub(f, slope, C::zip(x1, x2, |a, b| f.sum(a, b)));
    let run = C::zip(x1, x3, |a, b| f.lift(f.sub(a, b)));
    let mut y3 = C::mul_sub(f, slope, run, y1);
    if let Some(exceptions) = found {
        x3 = exceptions.result::<F, C>(f, x3, x1, x2);
        y3 = exceptions.result::<F, C>(f, y3, y1, y2);
    }
    (d, [x3, y3])
}
