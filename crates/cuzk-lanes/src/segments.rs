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

/// A segment that still has several summands.
///
/// `len` of them stand side by side from `start` on, in the points' entries at first and in
/// rows later. A summand that finds no partner waits as `carry`, a row, until another one is
/// left over.
#[derive(Debug, Clone, Copy)]
struct Active {
    segment: u32,
    start: u32,
    len: u32,
    carry: Option<u32>,
}

/// Scratch of a tree summation over the lanes of `F`.
pub(crate) struct Tree<F: Field, C: Coordinate<F>> {
    field: F,
    scratch: PairScratch<C::V>,
    /// The carries of the first round, then the sums of each round after those of the round
    /// before.
    rows: Vec<F::Elem>,
    active: Vec<Active>,
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
            active: Vec::new(),
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
        let mut used = self.carry_points(points, entries);
        used = self.round(used, Some((points, entries)));
        self.finish(out);
        while !self.active.is_empty() {
            used = self.round::<S>(used, None);
            self.finish(out);
        }
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
                    carry: None,
                }),
            }
            start = end;
        }
    }

    /// Copies the points of odd segments that find no partner to rows; returns how many.
    fn carry_points<S: Source<F, C>>(&mut self, points: &S, entries: &[SignedIndex]) -> usize {
        let (f, row) = (self.field, 2 * C::DEGREE);
        let odd = self
            .active
            .iter()
            .filter(|active| active.len % 2 == 1)
            .count();
        self.provide_rows(odd);
        let (active, rows) = (&mut self.active, &mut self.rows);
        f.vectorize(
            #[inline(always)]
            || {
                let odd = active.iter_mut().filter(|active| active.len % 2 == 1);
                for (carry, (active, to)) in odd.zip(rows.chunks_exact_mut(row)).enumerate() {
                    active.len -= 1;
                    let last = entries[(active.start + active.len) as usize];
                    points.copy(f, last.to_bits(), to);
                    active.carry = Some(carry as u32);
                }
            },
        );
        odd
    }

    /// Adds up the summands of every active segment two by two, from the points where there
    /// are any and from rows otherwise, into the rows from `used` on; returns the first row
    /// after them.
    fn round<S: Source<F, C>>(
        &mut self,
        used: usize,
        points: Option<(&S, &[SignedIndex])>,
    ) -> usize {
        let f = self.field;
        let next = self.pair_up(used as u32, points.map(|(_, entries)| entries));
        // Sums are stored in whole groups.
        self.provide_rows(next as usize + F::WIDTH);
        let (earlier, sums) = self.rows.split_at_mut(2 * C::DEGREE * used);
        let scratch = &mut self.scratch;
        match points {
            Some((points, _)) => add(f, points, scratch, sums),
            None => add::<F, C, _>(f, &Rows::<_, false> { elems: earlier }, scratch, sums),
        }
        next as usize
    }

    /// Lists the additions of a round, moving the segments to where their sums will be, from
    /// row `next` on; returns the first row after them.
    fn pair_up(&mut self, mut next: u32, entries: Option<&[SignedIndex]>) -> u32 {
        let operands = &mut self.scratch.operands;
        operands.clear();
        for active in &mut self.active {
            let mut sums = active.len / 2;
            let lefts = (0..sums).map(|pair| active.start + 2 * pair);
            match entries {
                Some(entries) => lefts.for_each(|left| {
                    let pair = &entries[left as usize..left as usize + 2];
                    operands.push(pair[0].to_bits(), pair[1].to_bits());
                }),
                None => lefts.for_each(|left| operands.push(left, left + 1)),
            }
            if active.len % 2 == 1 {
                let last = active.start + active.len - 1;
                active.carry = match active.carry {
                    Some(carry) => {
                        operands.push(last, carry);
                        sums += 1;
                        None
                    }
                    None => Some(last),
                };
            }
            active.start = next;
            active.len = sums;
            next += sums;
        }
        next
    }

    fn provide_rows(&mut self, count: usize) {
        let elems = 2 * C::DEGREE * count;
        if self.rows.len() < elems {
            self.rows.resize(elems, self.field.zero_elem());
        }
    }

    /// Writes the segments that have come down to one row and keeps the others.
    fn finish(&mut self, out: &mut [FpLimbs]) {
        let (f, rows, row) = (self.field, &self.rows, 2 * C::DEGREE);
        self.active.retain(|active| {
            let last = match (active.len, active.carry) {
                (1, None) => active.start,
                (0, Some(carry)) => carry,
                _ => return true,
            };
            let elems = &rows[row * last as usize..][..row];
            pack(f, elems, &mut out[row * active.segment as usize..][..row]);
            false
        });
    }
}

/// The additions of a round.
fn add<F: Field, C: Coordinate<F>, S: Source<F, C>>(
    f: F,
    source: &S,
    scratch: &mut PairScratch<C::V>,
    sums: &mut [F::Elem],
) {
    scratch.operands.check(source.len());
    f.vectorize(
        #[inline(always)]
        // SAFETY: the operands were checked for this source just now.
        || unsafe { add_pairs::<F, C, S>(f, source, scratch, sums, BATCH_PAIRS) },
    );
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
