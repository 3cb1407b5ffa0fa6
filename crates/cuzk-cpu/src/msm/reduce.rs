//! From the buckets of the windows to the sum of all.
//!
//! A window is worth Σ m·B_m. With m = 2^k·i + j that is 2^k·Σ i·(Σ_j B) + Σ j·(Σ_i B): one
//! sum per row and one per column of the buckets laid out in a square, all of them segment
//! sums like those that filled the buckets, and two shorter arrays of the same kind. Two such
//! steps leave arrays that are added up by running sums.

use cuzk_curve::SourceGroup;
use cuzk_lanes::{Arithmetic, LaneGroup, PointSource, SignedIndex};
use group::Group;
use rayon::prelude::*;

use super::sums::{Segments, sum_segments};

/// An array A that is worth 2^shift·Σ m·A[m − 1], m from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weighted {
    pub(crate) shift: u32,
    /// Where the array starts among the points.
    pub(crate) start: usize,
    pub(crate) len: usize,
}

/// Arrays up to this length are added up by running sums.
const SHORT: usize = 16;

/// What the arrays are worth in all.
pub(crate) fn weighted_sum<G: LaneGroup>(
    arithmetic: Arithmetic,
    mut points: Vec<G::Limbs>,
    mut arrays: Vec<Weighted>,
) -> G::Projective {
    while arrays.iter().any(|array| array.len > SHORT) {
        (points, arrays) = halve::<G>(arithmetic, &points, &arrays);
    }
    let affine = G::from_limbs_unchecked(&points);
    let mut sums: Vec<(u32, G::Projective)> = arrays
        .par_iter()
        .map(|array| {
            let points = &affine[array.start..array.start + array.len];
            (array.shift, running_sum::<G>(points))
        })
        .collect();
    sums.sort_unstable_by_key(|&(shift, _)| std::cmp::Reverse(shift));
    let mut total = G::Projective::identity();
    let mut at = sums.first().map_or(0, |&(shift, _)| shift);
    for (shift, sum) in sums {
        for _ in shift..at {
            total = total.double();
        }
        at = shift;
        total += sum;
    }
    (0..at).fold(total, |total, _| total.double())
}

/// Σ m·points[m − 1].
fn running_sum<G: SourceGroup>(points: &[G::Affine]) -> G::Projective {
    let mut running = G::Projective::identity();
    let mut sum = G::Projective::identity();
    for point in points.iter().rev() {
        running += point;
        sum += running;
    }
    sum
}

/// Replaces each array by its rows' and its columns' sums.
fn halve<G: LaneGroup>(
    arithmetic: Arithmetic,
    points: &[G::Limbs],
    arrays: &[Weighted],
) -> (Vec<G::Limbs>, Vec<Weighted>) {
    let lists: Vec<_> = arrays
        .par_iter()
        .map(|array| rows_and_columns::<G>(points, array))
        .collect();
    let mut halves = Vec::with_capacity(2 * arrays.len());
    let mut start = 0;
    for (array, list) in arrays.iter().zip(&lists) {
        let columns = list.ends.len() - list.rows;
        for (shift, len) in [
            (array.shift + list.log_row, list.rows),
            (array.shift, columns),
        ] {
            halves.push(Weighted { shift, start, len });
            start += len;
        }
    }
    let segments: Vec<_> = lists
        .iter()
        .map(|list| Segments {
            entries: &list.entries,
            ends: &list.ends,
        })
        .collect();
    (
        sum_segments::<G>(arithmetic, PointSource::Stored(points), &segments),
        halves,
    )
}

/// The points of an array by row, then by column, identities left out.
struct Square {
    /// Points of a row: 2^log_row.
    log_row: u32,
    rows: usize,
    entries: Vec<SignedIndex>,
    ends: Vec<u32>,
}

fn rows_and_columns<G: LaneGroup>(points: &[G::Limbs], array: &Weighted) -> Square {
    // Element m, 1 ≤ m ≤ len, stands in row m >> log_row and column m mod 2^log_row; row and
    // column 0 weigh nothing.
    let log_row = (usize::BITS - array.len.leading_zeros()).div_ceil(2);
    let row_len = 1usize << log_row;
    let rows = array.len >> log_row;
    let mut entries = Vec::with_capacity(2 * array.len);
    let mut ends = Vec::with_capacity(rows + row_len - 1);
    let mut push = |m: usize| {
        let index = array.start + m - 1;
        if m <= array.len && points[index] != G::Limbs::default() {
            entries.push(SignedIndex::new(index as u32, false));
        }
        entries.len() as u32
    };
    for row in 1..=rows {
        let end = (0..row_len).fold(0, |_, column| push(row * row_len + column));
        ends.push(end);
    }
    for column in 1..row_len {
        let end = (0..=rows).fold(0, |_, row| push(row * row_len + column));
        ends.push(end);
    }
    Square {
        log_row,
        rows,
        entries,
        ends,
    }
}
