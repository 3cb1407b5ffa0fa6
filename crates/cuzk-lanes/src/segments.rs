use cuzk_curve::FpLimbs;

use crate::{
    coordinate::Coordinate,
    field::Field,
    pairs::{PairScratch, Source, add_pairs, row},
    prefetch::prefetch,
    signed_index::SignedIndex,
};

/// Pairs that share an inversion.
///
/// An inversion costs as much as about five hundred products; the prefix products of a batch
/// of this many pairs take a quarter of a 2 MiB cache in G1 and half of one in G2.
const BATCH_PAIRS: usize = 2048;

/// The caller's points, coordinates of all of them flat.
struct Points<'a> {
    coordinates: &'a [FpLimbs],
}

/// Rows of an earlier round, `2·DEGREE` elements each.
struct Rows<'a, E> {
    elems: &'a [E],
}

impl<F: Field, C: Coordinate<F>> Source<F, C> for Points<'_> {
    const SIGNED: bool = true;

    fn len(&self) -> usize {
        self.coordinates.len() / (2 * C::DEGREE)
    }

    #[inline(always)]
    unsafe fn load(&self, f: F, operands: &[u32; 8], part: usize) -> F::V {
        f.load_packed(
            #[inline(always)]
            |lane| {
                let at = 2 * C::DEGREE * row(operands[lane]) + part;
                // SAFETY: the caller's rows and part lie inside.
                unsafe { self.coordinates.get_unchecked(at) }
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, row: u32) {
        prefetch(
            self.coordinates,
            2 * C::DEGREE * row as usize,
            2 * C::DEGREE,
        );
    }
}

impl<F: Field, C: Coordinate<F>> Source<F, C> for Rows<'_, F::Elem> {
    const SIGNED: bool = false;

    fn len(&self) -> usize {
        self.elems.len() / (2 * C::DEGREE)
    }

    #[inline(always)]
    unsafe fn load(&self, f: F, operands: &[u32; 8], part: usize) -> F::V {
        f.load(
            #[inline(always)]
            |lane| {
                let at = 2 * C::DEGREE * row(operands[lane]) + part;
                // SAFETY: the caller's rows and part lie inside.
                unsafe { self.elems.get_unchecked(at) }
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, _: u32) {}
}

/// A segment that still has several summands: where they start in the current source.
#[derive(Debug, Clone, Copy)]
struct Active {
    segment: u32,
    start: u32,
    len: u32,
}

/// A summand that finds no partner in a round and moves to the next as it is.
#[derive(Debug, Clone, Copy)]
struct Leftover {
    from: u32,
    to: u32,
}

/// Scratch of a tree summation over the lanes of `F`.
pub(crate) struct Tree<F: Field, C: Coordinate<F>> {
    field: F,
    scratch: PairScratch<C::V>,
    rows: Vec<F::Elem>,
    next_rows: Vec<F::Elem>,
    active: Vec<Active>,
    /// Where the left of two neighbouring summands is, and where their sum goes.
    lefts: Vec<u32>,
    outs: Vec<u32>,
    leftovers: Vec<Leftover>,
}

/// [`crate::PointSums::sum_segments`] over flat coordinates, its shapes checked.
pub trait Summation: Send {
    fn sum_segments(
        &mut self,
        coordinates: &[FpLimbs],
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [FpLimbs],
    );
}

impl<F: Field, C: Coordinate<F>> Tree<F, C> {
    pub(crate) fn new(field: F) -> Self {
        Self {
            field,
            scratch: PairScratch::new(),
            rows: Vec::new(),
            next_rows: Vec::new(),
            active: Vec::new(),
            lefts: Vec::new(),
            outs: Vec::new(),
            leftovers: Vec::new(),
        }
    }

    /// Writes the segments of no or one summand and lists the others.
    fn start(
        &mut self,
        coordinates: &[FpLimbs],
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [FpLimbs],
    ) {
        self.active.clear();
        let mut start = 0u32;
        for (segment, (&end, out)) in ends
            .iter()
            .zip(out.chunks_exact_mut(2 * C::DEGREE))
            .enumerate()
        {
            match end - start {
                0 => out.fill(FpLimbs::default()),
                1 => {
                    let point = entry_point::<F, C>(coordinates, entries[start as usize]);
                    out.copy_from_slice(&point[..2 * C::DEGREE]);
                }
                len => self.active.push(Active {
                    segment: segment as u32,
                    start,
                    len,
                }),
            }
            start = end;
        }
    }

    /// Pairs up the summands of every active segment, moving the segments to where their
    /// next summands will be; returns how many rows those take.
    fn plan_round(&mut self) -> usize {
        self.lefts.clear();
        self.outs.clear();
        self.leftovers.clear();
        let mut out = 0;
        for active in &mut self.active {
            let first = out;
            let pairs = active.len / 2;
            self.lefts
                .extend((0..pairs).map(|pair| active.start + 2 * pair));
            self.outs.extend(out..out + pairs);
            out += pairs;
            if active.len % 2 == 1 {
                self.leftovers.push(Leftover {
                    from: active.start + active.len - 1,
                    to: out,
                });
                out += 1;
            }
            active.start = first;
            active.len = out - first;
        }
        out as usize
    }

    /// Adds the pairs of a round into `rows`, `count` of them; `operand` tells which operand
    /// stands at a position.
    fn run_round<S: Source<F, C>>(
        &mut self,
        source: &S,
        count: usize,
        rows: &mut Vec<F::Elem>,
        operand: impl Fn(u32) -> u32,
    ) {
        let f = self.field;
        if rows.len() < 2 * C::DEGREE * count {
            rows.resize(2 * C::DEGREE * count, f.zero_elem());
        }
        let (scratch, operand) = (&mut self.scratch, &operand);
        let operands = [0, 1].map(|side| self.lefts.iter().map(move |left| operand(left + side)));
        scratch
            .operands
            .fill(source.len(), count, operands, &self.outs);
        f.vectorize(
            #[inline(always)]
            // SAFETY: the operands were filled for this source and as many rows.
            || unsafe { add_pairs::<F, C, S>(f, source, scratch, rows, BATCH_PAIRS) },
        );
    }

    /// Writes the segments that have come down to one row and keeps the others.
    fn finish_singles(&mut self, out: &mut [FpLimbs]) {
        let (f, rows) = (self.field, &self.rows);
        self.active.retain(|active| {
            if active.len == 1 {
                let from = 2 * C::DEGREE * active.start as usize;
                let to = 2 * C::DEGREE * active.segment as usize;
                for k in 0..2 * C::DEGREE {
                    out[to + k] = f.pack(&rows[from + k]);
                }
            }
            active.len > 1
        });
    }
}

impl<F: Field, C: Coordinate<F>> Summation for Tree<F, C> {
    fn sum_segments(
        &mut self,
        coordinates: &[FpLimbs],
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [FpLimbs],
    ) {
        self.start(coordinates, entries, ends, out);
        let mut rows = std::mem::take(&mut self.next_rows);
        let count = self.plan_round();
        let points = Points { coordinates };
        self.run_round(&points, count, &mut rows, |at| {
            entries[at as usize].to_bits()
        });
        for leftover in &self.leftovers {
            let to = 2 * C::DEGREE * leftover.to as usize;
            let point = entry_point::<F, C>(coordinates, entries[leftover.from as usize]);
            for (k, limbs) in point.iter().take(2 * C::DEGREE).enumerate() {
                rows[to + k] = self.field.unpack(limbs);
            }
        }
        std::mem::swap(&mut self.rows, &mut rows);
        self.finish_singles(out);
        while !self.active.is_empty() {
            let count = self.plan_round();
            let source = std::mem::take(&mut self.rows);
            self.run_round(&Rows { elems: &source }, count, &mut rows, |at| at);
            for leftover in &self.leftovers {
                let from = 2 * C::DEGREE * leftover.from as usize;
                let to = 2 * C::DEGREE * leftover.to as usize;
                rows[to..to + 2 * C::DEGREE].copy_from_slice(&source[from..from + 2 * C::DEGREE]);
            }
            self.rows = std::mem::replace(&mut rows, source);
            self.finish_singles(out);
        }
        self.next_rows = rows;
    }
}

/// One signed point of the caller as the elements of a row would have it, `2·DEGREE` long.
fn entry_point<F: Field, C: Coordinate<F>>(
    coordinates: &[FpLimbs],
    entry: SignedIndex,
) -> [FpLimbs; 4] {
    let first = 2 * C::DEGREE * entry.index();
    let mut point = [FpLimbs::default(); 4];
    point[..2 * C::DEGREE].copy_from_slice(&coordinates[first..first + 2 * C::DEGREE]);
    if entry.is_negative() {
        for y in &mut point[C::DEGREE..2 * C::DEGREE] {
            *y = (-cuzk_curve::Fp::from_limbs_unchecked(*y)).into();
        }
    }
    point
}
