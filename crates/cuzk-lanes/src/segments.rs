use cuzk_curve::FpLimbs;

use crate::{
    coordinate::Coordinate,
    field::Field,
    lane_points::Table,
    pairs::{PairScratch, Source, add_pairs},
    signed_index::SignedIndex,
    sources::{Rows, Stored},
};

/// Pairs that share an inversion.
///
/// An inversion costs as much as about five hundred products; the prefix products of a batch
/// of this many pairs take a quarter of a 2 MiB cache in G1 and half of one in G2.
const BATCH_PAIRS: usize = 2048;

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

/// The caller's points, coordinates flat.
#[derive(Debug, Clone, Copy)]
pub enum FlatPoints<'a> {
    Stored(&'a [FpLimbs]),
    Laid(&'a Table),
}

/// [`crate::PointSums::sum_segments`] over flat coordinates, its shapes checked.
pub trait Summation: Send {
    fn sum_segments(
        &mut self,
        points: FlatPoints<'_>,
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

    fn sum_from<S: Source<F, C>>(
        &mut self,
        points: &S,
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [FpLimbs],
    ) {
        self.start(points, entries, ends, out);
        let mut rows = std::mem::take(&mut self.next_rows);
        self.round(points, &mut rows, |at| entries[at as usize].to_bits());
        std::mem::swap(&mut self.rows, &mut rows);
        self.finish_singles(out);
        while !self.active.is_empty() {
            let source = std::mem::take(&mut self.rows);
            let earlier = Rows::<_, false> { elems: &source };
            self.round(&earlier, &mut rows, |at| at);
            self.rows = std::mem::replace(&mut rows, source);
            self.finish_singles(out);
        }
        self.next_rows = rows;
    }

    /// Writes the segments of no or one summand and lists the others.
    fn start<S: Source<F, C>>(
        &mut self,
        points: &S,
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [FpLimbs],
    ) {
        let f = self.field;
        self.active.clear();
        let mut start = 0u32;
        let segments = ends.iter().zip(out.chunks_exact_mut(2 * C::DEGREE));
        for (segment, (&end, out)) in segments.enumerate() {
            match end - start {
                0 => out.fill(FpLimbs::default()),
                1 => {
                    let mut row = [f.zero_elem(); 4];
                    let row = &mut row[..2 * C::DEGREE];
                    points.copy(f, entries[start as usize].to_bits(), row);
                    pack(f, row, out);
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

    /// One round from `source` to `rows`; `operand` tells which operand stands at a position.
    fn round<S: Source<F, C>>(
        &mut self,
        source: &S,
        rows: &mut Vec<F::Elem>,
        operand: impl Fn(u32) -> u32,
    ) {
        let f = self.field;
        let count = self.plan_round();
        if rows.len() < 2 * C::DEGREE * count {
            rows.resize(2 * C::DEGREE * count, f.zero_elem());
        }
        let (scratch, operand) = (&mut self.scratch, &operand);
        let operands = [0, 1].map(|side| self.lefts.iter().map(move |left| operand(left + side)));
        scratch
            .operands
            .fill(source.len(), count, operands, &self.outs);
        let leftovers = &self.leftovers;
        f.vectorize(
            #[inline(always)]
            || {
                // SAFETY: the operands were filled for this source and as many rows.
                unsafe { add_pairs::<F, C, S>(f, source, scratch, rows, BATCH_PAIRS) };
                for leftover in leftovers {
                    let to = 2 * C::DEGREE * leftover.to as usize;
                    let to = &mut rows[to..to + 2 * C::DEGREE];
                    source.copy(f, operand(leftover.from), to);
                }
            },
        );
    }

    /// Writes the segments that have come down to one row and keeps the others.
    fn finish_singles(&mut self, out: &mut [FpLimbs]) {
        let (f, rows) = (self.field, &self.rows);
        self.active.retain(|active| {
            if active.len == 1 {
                let from = 2 * C::DEGREE * active.start as usize;
                let to = 2 * C::DEGREE * active.segment as usize;
                let row = &rows[from..from + 2 * C::DEGREE];
                pack(f, row, &mut out[to..to + 2 * C::DEGREE]);
            }
            active.len > 1
        });
    }
}

impl<F: Field, C: Coordinate<F>> Summation for Tree<F, C> {
    fn sum_segments(
        &mut self,
        points: FlatPoints<'_>,
        entries: &[SignedIndex],
        ends: &[u32],
        out: &mut [FpLimbs],
    ) {
        match points {
            FlatPoints::Stored(coordinates) => {
                self.sum_from(&Stored { coordinates }, entries, ends, out);
            }
            FlatPoints::Laid(table) => {
                let elems = F::elements(table).expect("points laid for the same arithmetic");
                self.sum_from(&Rows::<_, true> { elems }, entries, ends, out);
            }
        }
    }
}

/// A row as a stored point.
fn pack<F: Field>(f: F, row: &[F::Elem], out: &mut [FpLimbs]) {
    for (out, elem) in out.iter_mut().zip(row) {
        *out = f.pack(elem);
    }
}
