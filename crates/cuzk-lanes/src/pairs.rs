//! Affine additions of many independent pairs with one inversion.
//!
//! ```text
//! for every pair:            d = x₂ − x₁; prefix = chain; chain = chain·d
//! inverse = 1/chain
//! for every pair, backwards: λ = (y₂ − y₁)·(inverse·prefix); inverse = inverse·d
//!                            x₃ = λ² − x₁ − x₂; y₃ = λ(x₁ − x₃) − y₁
//! ```
//!
//! That is 5M + 1S a pair (`[EFD]`, affine short Weierstrass, with the inversion shared as in
//! `[Montgomery87]` §10.3.1). The lanes of the vectors are as many independent chains.
//!
//! Exceptional pairs are part of the algorithm. With equal points the slope is 3x²/2y; with
//! opposite points or an operand at infinity the denominator becomes one, and the result is
//! put in its place afterwards.

use std::{marker::PhantomData, ops::Range};

use crate::{coordinate::Coordinate, field::Field};

/// Where operands come from: the caller's points, or rows of an earlier round.
///
/// An operand is the row of a point, with bit 31 set where the point is to be negated.
pub(crate) trait Source<F: Field, C: Coordinate<F>> {
    /// Whether operands may be negated.
    const SIGNED: bool;
    /// Points that there are.
    fn len(&self) -> usize;
    /// Coordinate part `part` of the points of `operands`, tight, without their signs.
    ///
    /// # Safety
    /// Every row is below `len()`, and `part` below `2·DEGREE`.
    unsafe fn load(&self, f: F, operands: &[u32; 8], part: usize) -> F::V;
    /// Brings the point of `operand` closer to the processor.
    fn prefetch(&self, operand: u32);
    /// The point of `operand` as a row, with its sign.
    fn copy(&self, f: F, operand: u32, to: &mut [F::Elem]);
}

/// The row that an operand names.
#[inline(always)]
pub(crate) fn row(operand: u32) -> usize {
    (operand & 0x7fff_ffff) as usize
}

/// Whether the point that an operand names is to be negated.
#[inline(always)]
pub(crate) fn is_negated(operand: u32) -> bool {
    operand >> 31 == 1
}

/// The lanes whose operand is to be negated.
#[inline(always)]
fn negated(operands: &[u32; 8]) -> u8 {
    let mut mask = 0;
    for (lane, operand) in operands.iter().enumerate() {
        mask |= u8::from(is_negated(*operand)) << lane;
    }
    mask
}

/// The operands of many additions, as many to a group as there are lanes. The sums go to
/// rows one after the other.
///
/// The last group is filled up by repeating the last addition. Every row is checked, so that
/// loads need not be.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    left: Vec<u32>,
    right: Vec<u32>,
    /// How many additions there are, once their rows have been checked.
    checked: usize,
}

/// Operands are read in eights, whatever the number of lanes.
const SPARE: usize = 7;

impl Operands {
    pub(crate) fn clear(&mut self) {
        self.left.clear();
        self.right.clear();
        self.checked = 0;
    }

    pub(crate) fn push(&mut self, left: u32, right: u32) {
        self.left.push(left);
        self.right.push(right);
        self.checked = 0;
    }

    /// Makes the operands ready for [`add_pairs`].
    ///
    /// # Panics
    /// If a row of an operand is not below `sources`.
    pub(crate) fn check(&mut self, sources: usize) {
        let count = self.left.len();
        for rows in [&mut self.left, &mut self.right] {
            let highest = rows.iter().map(|&operand| row(operand)).max();
            assert!(
                highest.is_none_or(|row| row < sources),
                "every operand has its row"
            );
            if let Some(&last) = rows.last() {
                rows.resize(count + SPARE, last);
            }
        }
        self.checked = count;
    }

    /// Operands of a group; those past the number of lanes do not count.
    #[inline(always)]
    fn group(&self, width: usize, group: usize) -> [&[u32; 8]; 2] {
        [&self.left, &self.right].map(
            #[inline(always)]
            |rows| {
                let (rows, _) = rows[group * width..]
                    .split_first_chunk()
                    .expect("more rows than additions");
                rows
            },
        )
    }
}

/// Groups ahead of the one at work whose points are asked for.
const PREFETCH_GROUPS: usize = 4;

/// Groups that go through each step of the backward pass together.
///
/// The products of one addition wait for each other; those of neighbouring groups do not, and
/// a processor that looks some hundred instructions ahead sees them only when they follow one
/// another. The working vectors of this many groups stay in the first-level cache.
const BLOCK: usize = 8;

/// What the forward pass leaves of a group of additions for the backward pass.
#[derive(Clone, Copy)]
struct Prepared<V> {
    /// The product of all denominators before.
    prefix: V,
    denominator: V,
    numerator: V,
    x1: V,
    y1: V,
    exceptions: Exceptions,
}

/// Scratch of [`add_pairs`]; its content between calls does not matter.
pub(crate) struct PairScratch<V> {
    pub(crate) operands: Operands,
    prepared: Vec<Prepared<V>>,
    /// Vectors of the groups of a block.
    slopes: Vec<V>,
    runs: Vec<V>,
}

impl<V> PairScratch<V> {
    pub(crate) fn new() -> Self {
        Self {
            operands: Operands::default(),
            prepared: Vec::new(),
            slopes: Vec::new(),
            runs: Vec::new(),
        }
    }
}

/// Adds the pairs that `scratch.operands` name into the rows of `sums`, `2·DEGREE` elements
/// each, whole groups of them; the additions of each `batch_pairs` share an inversion.
///
/// # Panics
/// If there are fewer rows than sums in whole groups.
///
/// # Safety
/// The operands were checked for a source as long as this one.
#[inline(always)]
pub(crate) unsafe fn add_pairs<F: Field, C: Coordinate<F>, S: Source<F, C>>(
    f: F,
    source: &S,
    scratch: &mut PairScratch<C::V>,
    sums: &mut [F::Elem],
    batch_pairs: usize,
) {
    let groups = scratch.operands.checked.div_ceil(F::WIDTH);
    assert!(sums.len() >= 2 * C::DEGREE * F::WIDTH * groups);
    let mut addition = Addition {
        field: f,
        source,
        operands: &scratch.operands,
        sums,
        coordinate: PhantomData::<C>,
    };
    let (slopes, runs) = (&mut scratch.slopes, &mut scratch.runs);
    let step = batch_pairs / F::WIDTH;
    for start in (0..groups).step_by(step) {
        scratch.prepared.clear();
        let end = groups.min(start + step);
        let chain = addition.forward(start..end, &mut scratch.prepared);
        let mut inverse = C::invert_lanes(f, chain);
        for (block, prepared) in scratch.prepared.chunks(BLOCK).enumerate().rev() {
            let first = start + block * BLOCK;
            inverse = addition.slopes(prepared, inverse, slopes);
            addition.abscissas(first, prepared, slopes, runs);
            addition.ordinates(first, prepared, slopes, runs);
        }
    }
}

/// The additions of a call. Only [`add_pairs`] makes one, whose caller answers for the
/// operands.
struct Addition<'a, F: Field, C, S> {
    field: F,
    source: &'a S,
    operands: &'a Operands,
    sums: &'a mut [F::Elem],
    coordinate: PhantomData<C>,
}

impl<F: Field, C: Coordinate<F>, S: Source<F, C>> Addition<'_, F, C, S> {
    #[inline(always)]
    fn x(&self, operands: &[u32; 8]) -> C::V {
        C::from_parts(
            #[inline(always)]
            // SAFETY: these are operands that were checked for this source.
            |k| unsafe { self.source.load(self.field, operands, k) },
        )
    }

    #[inline(always)]
    fn y(&self, operands: &[u32; 8]) -> C::V {
        C::from_parts(
            #[inline(always)]
            |k| {
                // SAFETY: these are operands that were checked for this source.
                let y = unsafe { self.source.load(self.field, operands, C::DEGREE + k) };
                if S::SIGNED {
                    self.field.negate(negated(operands), y)
                } else {
                    y
                }
            },
        )
    }

    /// Prepares every group; returns the product of all denominators.
    #[inline(always)]
    fn forward(&self, groups: Range<usize>, prepared: &mut Vec<Prepared<C::V>>) -> C::V {
        let f = self.field;
        let mut chain = C::one(f);
        for group in groups {
            self.prefetch(group + PREFETCH_GROUPS..group + PREFETCH_GROUPS + 1);
            let [left, right] = self.operands.group(F::WIDTH, group);
            let (x1, x2) = (self.x(left), self.x(right));
            let (y1, y2) = (self.y(left), self.y(right));
            let mut denominator = C::sub(f, x2, x1);
            let mut numerator = C::sub(f, y2, y1);
            let mut exceptions = Exceptions::NONE;
            if C::suspect(f, x1, x2, denominator) {
                exceptions = Exceptions::find::<F, C>(f, [x1, y1, x2, y2]);
                denominator = exceptions.denominator::<F, C>(f, denominator, y1);
                numerator = exceptions.numerator::<F, C>(f, numerator, x1);
            }
            prepared.push(Prepared {
                prefix: chain,
                denominator,
                numerator,
                x1,
                y1,
                exceptions,
            });
            chain = C::mul(f, chain, denominator);
        }
        chain
    }

    /// Asks for the operands of groups, as far as there are such.
    #[inline(always)]
    fn prefetch(&self, groups: Range<usize>) {
        let operands = groups.start * F::WIDTH..groups.end * F::WIDTH;
        for rows in [&self.operands.left, &self.operands.right] {
            for &operand in rows.get(operands.clone()).unwrap_or_default() {
                self.source.prefetch(operand);
            }
        }
    }

    /// The slopes of a block; returns the inverse of the product of all denominators before
    /// it, given that of those including it.
    #[inline(always)]
    fn slopes(
        &self,
        prepared: &[Prepared<C::V>],
        mut inverse: C::V,
        slopes: &mut Vec<C::V>,
    ) -> C::V {
        let f = self.field;
        slopes.resize(prepared.len(), inverse);
        for (slope, group) in slopes.iter_mut().zip(prepared).rev() {
            *slope = C::mul(f, inverse, group.prefix);
            inverse = C::mul(f, inverse, group.denominator);
        }
        for (slope, group) in slopes.iter_mut().zip(prepared) {
            *slope = C::mul(f, *slope, group.numerator);
        }
        inverse
    }

    /// Stores a block's abscissas and keeps the runs `x₁ − x₃`.
    #[inline(always)]
    fn abscissas(
        &mut self,
        first: usize,
        prepared: &[Prepared<C::V>],
        slopes: &[C::V],
        runs: &mut Vec<C::V>,
    ) {
        let f = self.field;
        runs.clear();
        for (i, (slope, group)) in slopes.iter().zip(prepared).enumerate() {
            let [_, right] = self.operands.group(F::WIDTH, first + i);
            let x1 = group.x1;
            let mut sum = C::sum_from_difference(f, x1, group.denominator);
            if group.exceptions.any() {
                sum = C::sum(f, x1, self.x(right));
            }
            let mut x3 = C::square_sub(f, *slope, sum);
            runs.push(C::lift(f, C::sub(f, x1, x3)));
            if group.exceptions.any() {
                x3 = group.exceptions.result::<F, C>(f, x3, x1, self.x(right));
            }
            self.store(first + i, 0, x3);
        }
    }

    /// Stores a block's ordinates.
    #[inline(always)]
    fn ordinates(
        &mut self,
        first: usize,
        prepared: &[Prepared<C::V>],
        slopes: &[C::V],
        runs: &[C::V],
    ) {
        let f = self.field;
        for (i, ((slope, run), group)) in slopes.iter().zip(runs).zip(prepared).enumerate() {
            let [_, right] = self.operands.group(F::WIDTH, first + i);
            let mut y3 = C::mul_sub(f, *slope, *run, group.y1);
            if group.exceptions.any() {
                y3 = group
                    .exceptions
                    .result::<F, C>(f, y3, group.y1, self.y(right));
            }
            self.store(first + i, C::DEGREE, y3);
        }
    }

    /// Stores a coordinate, whose parts are numbered from `first_part`, to a group's rows.
    #[inline(always)]
    fn store(&mut self, group: usize, first_part: usize, v: C::V) {
        let row = 2 * C::DEGREE;
        let rows = &mut self.sums[row * F::WIDTH * group..row * F::WIDTH * (group + 1)];
        for k in 0..C::DEGREE {
            self.field.store(
                C::part(&v, k),
                #[inline(always)]
                |lane, elem| rows[row * lane + first_part + k] = elem,
            );
        }
    }
}

/// Which lanes of a group of pairs need more than the chord.
#[derive(Debug, Clone, Copy)]
struct Exceptions {
    left_identity: u8,
    right_identity: u8,
    doubling: u8,
    opposite: u8,
}

impl Exceptions {
    const NONE: Self = Self {
        left_identity: 0,
        right_identity: 0,
        doubling: 0,
        opposite: 0,
    };

    #[inline(always)]
    fn any(self) -> bool {
        self.left_identity | self.right_identity | self.doubling | self.opposite != 0
    }

    #[inline(always)]
    fn find<F: Field, C: Coordinate<F>>(f: F, [x1, y1, x2, y2]: [C::V; 4]) -> Self {
        let x1_zero = C::zero_mask(f, C::reduce(f, x1));
        let x2_zero = C::zero_mask(f, C::reduce(f, x2));
        let left_identity = x1_zero & C::zero_mask(f, C::reduce(f, y1));
        let right_identity = x2_zero & C::zero_mask(f, C::reduce(f, y2));
        let same_x = C::zero_mask(f, C::reduce(f, C::sub(f, x2, x1)));
        let same_x = same_x & !left_identity & !right_identity;
        let opposite = same_x & C::zero_mask(f, C::reduce(f, C::add(f, y1, y2)));
        Self {
            left_identity,
            right_identity: right_identity & !left_identity,
            doubling: same_x & !opposite,
            opposite,
        }
    }

    /// The denominators with those of the exceptional lanes put in.
    #[inline(always)]
    fn denominator<F: Field, C: Coordinate<F>>(&self, f: F, d: C::V, y1: C::V) -> C::V {
        let ones = self.left_identity | self.right_identity | self.opposite;
        let d = C::select(f, ones, d, C::one(f));
        C::select(f, self.doubling, d, C::add(f, y1, y1))
    }

    /// The numerators with 3x² put in where a point is doubled.
    #[inline(always)]
    fn numerator<F: Field, C: Coordinate<F>>(&self, f: F, numerator: C::V, x1: C::V) -> C::V {
        let square = C::lift_square(f, C::square(f, x1));
        let triple = C::add(f, C::sum(f, square, square), square);
        C::select(f, self.doubling, numerator, triple)
    }

    /// The sum of each lane, given what the chord or tangent came to and both operands.
    #[inline(always)]
    fn result<F: Field, C: Coordinate<F>>(&self, f: F, sum: C::V, left: C::V, right: C::V) -> C::V {
        let v = C::select(f, self.left_identity, sum, C::reduce(f, right));
        let v = C::select(f, self.right_identity, v, C::reduce(f, left));
        C::select(f, self.opposite, v, C::zero(f))
    }
}
