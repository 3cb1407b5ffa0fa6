use cuzk_curve::FpLimbs;

use crate::lane_points::Table;

/// Arithmetic on several elements of Fp side by side, one per lane.
///
/// A value of the implementing type is a token: having one means that the processor can run
/// its operations.
///
/// # Forms
/// Let R be the radix 2^384 of stored points and M(a, b) = a·b·S⁻¹ the product of the
/// implementation. With S = R (portable) every quantity is in the form x·R. With S = 2^416
/// (vector code) M shrinks its result by 2^32 more than the form of stored points allows
/// for, and instead of converting points the additions keep count of the power of two each
/// quantity carries; [`Field::lift`] and [`Field::lift_square`] restore the two places where
/// it matters, and the constant of [`Field::INVERSE_FACTOR`] the third:
///
/// | quantity | carries |
/// | --- | --- |
/// | coordinates, their sums and differences | 2^384 |
/// | inverse of a difference, from the chain | 2^432 |
/// | λ = M(numerator, inverse) | 2^400 |
/// | λ² = M(λ, λ) | 2^384 |
/// | M(λ, lift(x₁ − x₃)), lift = ·2^16 | 2^384 |
/// | lift_square(M(x, x)), lift_square = ·2^32 | 2^384 |
///
/// A chain of products needs no care: whatever power its prefix carries, dividing the
/// inverse of the whole by the same prefixes takes it out again.
///
/// # Ranges
/// *Tight* values lie in [0, p + p/2^12), *operands* in [0, 2^400), both with every limb in
/// place; a product of two operands of which one is below 4p is defined.
/// *Loose* values are a tight value, its negation, or a sum of two tight values, limb by limb
/// and without carries; only the operations that say so take them.
pub(crate) trait Field: Copy + Send {
    /// Elements side by side.
    const WIDTH: usize;
    /// The power of two by which an inverse must be multiplied for the chain, in the form x·R.
    const INVERSE_FACTOR: FpLimbs;
    /// `WIDTH` elements.
    type V: Copy + Send;
    /// One element at rest between the rounds of a summation.
    type Elem: Copy + Send;

    /// The elements of a table that was made for this field.
    fn elements(table: &Table) -> Option<&[Self::Elem]>;

    /// Runs `f` with the instruction set of this field; `f` must be `#[inline(always)]`.
    fn vectorize<T>(self, f: impl FnOnce() -> T) -> T;

    /// Zero at rest.
    fn zero_elem(self) -> Self::Elem;
    /// The neutral element of M in every lane.
    fn one(self) -> Self::V;
    /// `WIDTH` stored elements; `at(lane)` is below p. The result is tight.
    fn load_packed<'a>(self, at: impl Fn(usize) -> &'a FpLimbs) -> Self::V;
    /// `WIDTH` resting elements, as they were stored.
    fn load<'a>(self, at: impl Fn(usize) -> &'a Self::Elem) -> Self::V
    where
        Self::Elem: 'a;
    /// Hands each lane of `v` to `put`.
    fn store(self, v: Self::V, put: impl FnMut(usize, Self::Elem));
    /// A resting tight element, reduced below p, in the form of stored points.
    fn pack(self, elem: &Self::Elem) -> FpLimbs;
    /// A resting element from a stored one.
    fn unpack(self, limbs: &FpLimbs) -> Self::Elem;

    /// M(a, b) of two operands, one below 4p; the result is below 2p.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// M(a, b) + M(c, d), likewise.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V, d: Self::V) -> Self::V;
    /// M(a, a), likewise.
    fn square(self, a: Self::V) -> Self::V;
    /// M(a, a) − c, tight; `c` is loose.
    fn square_sub(self, a: Self::V, c: Self::V) -> Self::V;
    /// M(a, b) − c, tight; `c` is loose.
    fn mul_sub(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// M(a, b) + M(c, d) − e, tight; `e` is loose.
    fn mul_add_sub(self, a: Self::V, b: Self::V, c: Self::V, d: Self::V, e: Self::V) -> Self::V;

    /// a + b, loose; both are tight.
    fn sum(self, a: Self::V, b: Self::V) -> Self::V;
    /// a + b, loose, given a and d = `sub(b, a)`.
    fn sum_from_difference(self, a: Self::V, d: Self::V) -> Self::V;
    /// p − a in the lanes of `mask` and `a` in the others, loose; `a` is below p.
    fn negate(self, mask: u8, a: Self::V) -> Self::V;
    /// a + b, an operand below 2^385; both are loose or below 4p.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a − b + 4p, an operand below 2^385; both are loose or below 4p.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// Zero in every lane.
    fn zero(self) -> Self::V;
    /// The value below p that is congruent to `a`, a loose value or a result of `add` or `sub`
    /// of tight and loose ones.
    fn reduce(self, a: Self::V) -> Self::V;
    /// The lanes in which a reduced value is zero.
    fn zero_mask(self, a: Self::V) -> u8;
    /// `b` in the lanes of `mask`, `a` in the others.
    fn select(self, mask: u8, a: Self::V, b: Self::V) -> Self::V;
    /// See [`Field`]; `a` is below 2^384, the result an operand.
    fn lift(self, a: Self::V) -> Self::V;
    /// See [`Field`]; `a` is below 4p, the result is tight.
    fn lift_square(self, a: Self::V) -> Self::V;

    /// Whether any lane may have x₁ ≡ x₂ or a coordinate that is the integer zero.
    ///
    /// False alarms are allowed, misses are not; `difference` is `sub(x2, x1)` of tight
    /// values.
    fn suspect(self, x1: Self::V, x2: Self::V, difference: Self::V) -> bool;
}
