use cuzk_curve::FpLimbs;

use crate::{
    coordinate::Coordinate,
    field::Field,
    pairs::{Pair, Source, add_pairs},
    signed_index::SignedIndex,
};

/// Pairs that share an inversion.
///
/// An inversion costs as much as about five hundred products; the prefix products of a batch
/// of this many pairs take a quarter of a 2 MiB cache in G1 and half of one in G2.
const BATCH_PAIRS: usize = 8192;

/// The caller's points, through signed indices.
struct Points<'a> {
    /// Coordinates of all points, flat.
    coordinates: &'a [FpLimbs],
    entries: &'a [SignedIndex],
}

/// Rows of an earlier round, `2·DEGREE` elements each.
struct Rows<'a, E> {
    elems: &'a [E],
}

impl<F: Field, C: Coordinate<F>> Source<F, C> for Points<'_> {
    #[inline(always)]
    fn x(&self, f: F, position: impl Fn(usize) -> usize) -> C::V {
        C::from_parts(
            #[inline(always)]
            |k| {
                f.load_packed(
                    #[inline(always)]
                    |lane| {
                        let index = self.entries[position(lane)].index();
                        &self.coordinates[2 * C::DEGREE * index + k]
                    },
                )
            },
        )
    }

    #[inline(always)]
    fn y(&self, f: F, position: impl Fn(usize) -> usize) -> C::V {
        let mut negative = 0u8;
        for lane in 0..F::WIDTH {
            negative |= u8::from(self.entries[position(lane)].is_negative()) << lane;
        }
        C::from_parts(
            #[inline(always)]
            |k| {
                let y = f.load_packed(
                    #[inline(always)]
                    |lane| {
                        let index = self.entries[position(lane)].index();
                        &self.coordinates[2 * C::DEGREE * index + C::DEGREE + k]
                    },
                );
                f.negate(negative, y)
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, position: usize) {
        let first = 2 * C::DEGREE * self.entries[position].index();
        crate::prefetch::prefetch(&self.coordinates[first..first + 2 * C::DEGREE]);
    }
}

impl<F: Field, C: Coordinate<F>> Source<F, C> for Rows<'_, F::Elem> {
    #[inline(always)]
    fn x(&self, f: F, position: impl Fn(usize) -> usize) -> C::V {
        C::from_parts(
            #[inline(always)]
            |k| {
                f.load(
                    #[inline(always)]
                    |lane| &self.elems[2 * C::DEGREE * position(lane) + k],
                )
            },
        )
    }

    #[inline(always)]
    fn y(&self, f: F, position: impl Fn(usize) -> usize) -> C::V {
        C::from_parts(
            #[inline(always)]
            |k| {
                f.load(
                    #[inline(always)]
                    |lane| &self.elems[2 * C::DEGREE * position(lane) + C::DEGREE + k],
                )
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, _: usize) {}
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
    prefixes: Vec<C::V>,
    rows: Vec<F::Elem>,
    next_rows: Vec<F::Elem>,
    active: Vec<Active>,
    pairs: Vec<Pair>,
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
            prefixes: Vec::new(),
            rows: Vec::new(),
            next_rows: Vec::new(),
            active: Vec::new(),
            pairs: Vec::new(),
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
        self.pairs.clear();
        self.leftovers.clear();
        let mut out = 0;
        for active in &mut self.active {
            let first = out;
            for pair in 0..active.len / 2 {
                let left = active.start + 2 * pair;
                self.pairs.push(Pair { left, out });
                out += 1;
            }
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

    fn run_round<S: Source<F, C>>(&mut self, source: &S, count: usize, rows: &mut Vec<F::Elem>) {
        let f = self.field;
        if rows.len() < 2 * C::DEGREE * count {
            rows.resize(2 * C::DEGREE * count, f.zero_elem());
        }
        for batch in self.pairs.chunks(BATCH_PAIRS) {
            let prefixes = &mut self.prefixes;
            let rows = rows.as_mut_slice();
            f.vectorize(
                #[inline(always)]
                || {
                    add_pairs::<F, C, S>(
                        f,
                        source,
                        batch,
                        prefixes,
                        #[inline(always)]
                        |row, k, elem| rows[2 * C::DEGREE * row + k] = elem,
                    );
                },
            );
        }
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
        let points = Points {
            coordinates,
            entries,
        };
        let mut rows = std::mem::take(&mut self.next_rows);
        let count = self.plan_round();
        self.run_round(&points, count, &mut rows);
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
            self.run_round(&Rows { elems: &source }, count, &mut rows);
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
