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

use std::marker::PhantomData;

use crate::{coordinate::Coordinate, field::Field};

/// Where operands come from: the caller's points, or rows of an earlier round.
pub(crate) trait Source<F: Field, C: Coordinate<F>> {
    /// Whether operands may be negated.
    const SIGNED: bool;
    /// Points that there are.
    fn len(&self) -> usize;
    /// Coordinate part `part` of the points `rows`, tight.
    ///
    /// # Safety
    /// Every row is below `len()`, and `part` below `2·DEGREE`.
    unsafe fn load(&self, f: F, rows: &[u32; 8], part: usize) -> F::V;
    /// Brings the point at `row` closer to the processor.
    fn prefetch(&self, row: u32);
}

/// The operands of a batch of additions, by group of as many pairs as there are lanes.
///
/// Lanes past the last pair repeat it. Every row is checked against the source when it is
/// put in, so that loads need not be.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    left: Vec<[u32; 8]>,
    right: Vec<[u32; 8]>,
    out: Vec<[u32; 8]>,
    /// Lanes whose left, and whose right operand is negated.
    negative: Vec<[u8; 2]>,
}

/// One addition: rows of the operands in the source, with their signs, and of the sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) operands: [u32; 2],
    pub(crate) negative: [bool; 2],
    pub(crate) out: u32,
}

impl Operands {
    /// Replaces what was there by `pairs`, `width` to a group.
    ///
    /// # Panics
    /// If a row of an operand is not below `sources`, or one of a sum not below `sums`.
    pub(crate) fn fill(
        &mut self,
        width: usize,
        sources: usize,
        sums: usize,
        pairs: impl Iterator<Item = Pair>,
    ) {
        self.left.clear();
        self.right.clear();
        self.out.clear();
        self.negative.clear();
        let (mut highest, mut highest_out) = (0, 0);
        let mut lane = width;
        for pair in pairs {
            let ([left, right], out) = (pair.operands, pair.out);
            highest = highest.max(left).max(right);
            highest_out = highest_out.max(out);
            if lane == width {
                lane = 0;
                self.left.push([left; 8]);
                self.right.push([right; 8]);
                self.out.push([out; 8]);
                self.negative.push([0; 2]);
            }
            let group = self.left.len() - 1;
            // The lanes from here on, so that those after the last pair repeat it.
            self.left[group][lane..].fill(left);
            self.right[group][lane..].fill(right);
            self.out[group][lane..].fill(out);
            for (mask, negative) in self.negative[group].iter_mut().zip(pair.negative) {
                let from_here = 0xff << lane;
                *mask = *mask & !from_here | if negative { from_here } else { 0 };
            }
            lane += 1;
        }
        if !self.left.is_empty() {
            assert!((highest as usize) < sources, "operands lie in the source");
            assert!((highest_out as usize) < sums, "sums have their rows");
        }
    }
}

/// Groups ahead of the one at work whose points are asked for.
const PREFETCH_GROUPS: usize = 8;

/// Groups that go through each step of the backward pass together.
///
/// The products of one addition wait for each other; those of neighbouring groups do not, and
/// a processor that looks some hundred instructions ahead sees them only when they follow one
/// another. The working vectors of this many groups stay in the first-level cache.
const BLOCK: usize = 8;

/// Scratch of [`add_pairs`]; its content between calls does not matter.
pub(crate) struct PairScratch<V> {
    pub(crate) operands: Operands,
    /// The product of all denominators before each group's.
    prefixes: Vec<V>,
    denominators: Vec<V>,
    /// The left abscissas.
    abscissas: Vec<V>,
    exceptions: Vec<Exceptions>,
    /// Vectors of the groups of a block.
    slopes: Vec<V>,
    runs: Vec<V>,
    ordinates: Vec<V>,
}

impl<V> PairScratch<V> {
    pub(crate) fn new() -> Self {
        Self {
            operands: Operands::default(),
            prefixes: Vec::new(),
            denominators: Vec::new(),
            abscissas: Vec::new(),
            exceptions: Vec::new(),
            slopes: Vec::new(),
            runs: Vec::new(),
            ordinates: Vec::new(),
        }
    }
}

/// Adds the pairs that `scratch.operands` name, into `sums`, `2·DEGREE` elements a row.
///
/// # Safety
/// The operands were filled for a source and sums of these lengths.
#[inline(always)]
pub(crate) unsafe fn add_pairs<F: Field, C: Coordinate<F>, S: Source<F, C>>(
    f: F,
    source: &S,
    scratch: &mut PairScratch<C::V>,
    sums: &mut [F::Elem],
) {
    let groups = scratch.operands.left.len();
    if groups == 0 {
        return;
    }
    let mut addition = Addition {
        field: f,
        source,
        sums,
        coordinate: PhantomData::<C>,
    };
    let chain = addition.forward(scratch);
    let mut inverse = C::invert_lanes(f, chain);
    for block in (0..groups.div_ceil(BLOCK)).rev() {
        let first = block * BLOCK;
        let count = BLOCK.min(groups - first);
        inverse = addition.invert_block(first, count, inverse, scratch);
        addition.slopes(first, scratch);
        addition.abscissas(first, scratch);
        addition.ordinates(first, scratch);
    }
}

/// The additions of a batch. Only [`add_pairs`] makes one, whose caller answers for the
/// operands.
struct Addition<'a, F: Field, C, S> {
    field: F,
    source: &'a S,
    sums: &'a mut [F::Elem],
    coordinate: PhantomData<C>,
}

impl<F: Field, C: Coordinate<F>, S: Source<F, C>> Addition<'_, F, C, S> {
    #[inline(always)]
    fn x(&self, rows: &[u32; 8]) -> C::V {
        C::from_parts(
            #[inline(always)]
            // SAFETY: the rows come from operands that were filled for this source.
            |k| unsafe { self.source.load(self.field, rows, k) },
        )
    }

    #[inline(always)]
    fn y(&self, rows: &[u32; 8], negative: u8) -> C::V {
        C::from_parts(
            #[inline(always)]
            |k| {
                // SAFETY: the rows come from operands that were filled for this source.
                let y = unsafe { self.source.load(self.field, rows, C::DEGREE + k) };
                if S::SIGNED {
                    self.field.negate(negative, y)
                } else {
                    y
                }
            },
        )
    }

    /// Fills in denominators and prefixes; returns the product of all denominators.
    #[inline(always)]
    fn forward(&self, scratch: &mut PairScratch<C::V>) -> C::V {
        let f = self.field;
        scratch.denominators.clear();
        scratch.prefixes.clear();
        scratch.abscissas.clear();
        scratch.exceptions.clear();
        let operands = &scratch.operands;
        let mut chain = C::one(f);
        for (group, (left, right)) in operands.left.iter().zip(&operands.right).enumerate() {
            self.prefetch(operands, group + PREFETCH_GROUPS);
            let (x1, x2) = (self.x(left), self.x(right));
            let mut d = C::sub(f, x2, x1);
            let mut exceptions = Exceptions::NONE;
            if C::suspect(f, x1, x2, d) {
                let negative = operands.negative[group];
                let (y1, y2) = (self.y(left, negative[0]), self.y(right, negative[1]));
                exceptions = Exceptions::find::<F, C>(f, [x1, y1, x2, y2]);
                d = exceptions.denominator::<F, C>(f, d, y1);
            }
            scratch.exceptions.push(exceptions);
            scratch.abscissas.push(x1);
            scratch.denominators.push(d);
            scratch.prefixes.push(chain);
            chain = C::mul(f, chain, d);
        }
        chain
    }

    #[inline(always)]
    fn prefetch(&self, operands: &Operands, group: usize) {
        if let (Some(left), Some(right)) = (operands.left.get(group), operands.right.get(group)) {
            for row in left.iter().chain(right) {
                self.source.prefetch(*row);
            }
        }
    }

    /// Leaves the inverses of a block's denominators in `slopes`; returns the inverse of the
    /// product of all before the block.
    #[inline(always)]
    fn invert_block(
        &self,
        first: usize,
        count: usize,
        mut inverse: C::V,
        scratch: &mut PairScratch<C::V>,
    ) -> C::V {
        let f = self.field;
        scratch.slopes.resize(count, inverse);
        let prefixes = &scratch.prefixes[first..first + count];
        let denominators = &scratch.denominators[first..first + count];
        let steps = scratch.slopes.iter_mut().zip(prefixes).zip(denominators);
        for ((own, prefix), denominator) in steps.rev() {
            *own = C::mul(f, inverse, *prefix);
            inverse = C::mul(f, inverse, *denominator);
        }
        inverse
    }

    /// Turns a block's inverses into slopes, and keeps the left ordinates.
    #[inline(always)]
    fn slopes(&self, first: usize, scratch: &mut PairScratch<C::V>) {
        let f = self.field;
        let operands = &scratch.operands;
        scratch.ordinates.clear();
        for (i, slope) in scratch.slopes.iter_mut().enumerate() {
            let group = first + i;
            let negative = operands.negative[group];
            let y1 = self.y(&operands.left[group], negative[0]);
            let y2 = self.y(&operands.right[group], negative[1]);
            let mut numerator = C::sub(f, y2, y1);
            let exceptions = scratch.exceptions[group];
            if exceptions.any() {
                numerator = exceptions.numerator::<F, C>(f, numerator, scratch.abscissas[group]);
            }
            scratch.ordinates.push(y1);
            *slope = C::mul(f, *slope, numerator);
        }
    }

    /// Stores a block's abscissas and keeps the runs `x₁ − x₃`.
    #[inline(always)]
    fn abscissas(&mut self, first: usize, scratch: &mut PairScratch<C::V>) {
        let f = self.field;
        let operands = &scratch.operands;
        scratch.runs.clear();
        for (i, slope) in scratch.slopes.iter().enumerate() {
            let group = first + i;
            let x1 = scratch.abscissas[group];
            let mut sum = C::sum_from_difference(f, x1, scratch.denominators[group]);
            let exceptions = scratch.exceptions[group];
            if exceptions.any() {
                sum = C::sum(f, x1, self.x(&operands.right[group]));
            }
            let mut x3 = C::square_sub(f, *slope, sum);
            scratch.runs.push(C::lift(f, C::sub(f, x1, x3)));
            if exceptions.any() {
                let x2 = self.x(&operands.right[group]);
                x3 = exceptions.result::<F, C>(f, x3, x1, x2);
            }
            self.store(&operands.out[group], 0, x3);
        }
    }

    /// Stores a block's ordinates.
    #[inline(always)]
    fn ordinates(&mut self, first: usize, scratch: &PairScratch<C::V>) {
        let f = self.field;
        let operands = &scratch.operands;
        let steps = scratch.slopes.iter().zip(&scratch.runs);
        for (i, ((slope, run), y1)) in steps.zip(&scratch.ordinates).enumerate() {
            let group = first + i;
            let mut y3 = C::mul_sub(f, *slope, *run, *y1);
            let exceptions = scratch.exceptions[group];
            if exceptions.any() {
                let y2 = self.y(&operands.right[group], operands.negative[group][1]);
                y3 = exceptions.result::<F, C>(f, y3, *y1, y2);
            }
            self.store(&operands.out[group], C::DEGREE, y3);
        }
    }

    /// Stores a coordinate, whose parts are numbered from `first_part`, to the rows.
    #[inline(always)]
    fn store(&mut self, rows: &[u32; 8], first_part: usize, v: C::V) {
        let sums = &mut *self.sums;
        for k in 0..C::DEGREE {
            self.field.store(
                C::part(&v, k),
                #[inline(always)]
                |lane, elem| {
                    let at = 2 * C::DEGREE * rows[lane] as usize + first_part + k;
                    // SAFETY: the rows come from operands that were filled for these sums.
                    *unsafe { sums.get_unchecked_mut(at) } = elem;
                },
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
