//! A matrix in the order in which warps read it.
//!
//! A row of up to four terms is the work of one lane, a row of up to 2^k times four that of 2^k
//! lanes, a row of up to [`PIECE`] terms that of a warp. The rows of a window are ordered by length
//! and taken as many as a warp has lanes for, a slice; the k-th terms of all lanes are a group. A
//! still longer row is cut into pieces, each the work of a warp. A place without a term has the
//! code after the last of the dictionary, whose coefficient is zero.
//!
//! # Source
//! Slices of rows that are ordered in windows: SELL-C-σ, `[KHWFB14]`.

use cuzk_curve::Fr;
use cuzk_r1cs::{CsrMatrix, Row};

use crate::SpmvError;
use crate::params::{GROUP, Item, Join, NO_SLOT, NOT_INTEGER, WINDOW};

/// Terms of a lane, where a row has more lanes to take.
const LANE_TERMS: usize = 4;
/// The most terms of a row or a piece that one warp takes.
pub(crate) const PIECE: usize = 1024;
/// The largest integer that is summed as one: a sum of [`PIECE`] of them stays below 2^63.
const MOST: u64 = 1 << 52;

/// Whether a dictionary of so many coefficients needs codes of 32 bits.
pub(crate) fn needs_wide_codes(coefficients: usize) -> bool {
    coefficients > usize::from(u16::MAX)
}

/// A coefficient as a signed integer in two's complement, or [`NOT_INTEGER`].
pub(crate) fn integer(coefficient: Fr) -> u64 {
    let small = |value: Fr| {
        let bytes = value.to_bytes_le();
        let (low, rest) = bytes.split_first_chunk::<8>()?;
        let low = u64::from_le_bytes(*low);
        (rest.iter().all(|byte| *byte == 0) && low <= MOST).then_some(low)
    };
    small(coefficient)
        .or_else(|| small(-coefficient).map(u64::wrapping_neg))
        .unwrap_or(NOT_INTEGER)
}

/// The logarithm of the lanes that a row of so many terms takes.
fn log_lanes(terms: usize) -> u32 {
    let lanes = terms.div_ceil(LANE_TERMS).next_power_of_two().min(GROUP);
    lanes.trailing_zeros()
}

/// The arrays of one matrix; codes are `C`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan<C> {
    /// [`GROUP`] to a group.
    pub(crate) columns: Vec<u32>,
    /// Likewise.
    pub(crate) codes: Vec<C>,
    /// First the pieces, then the slices, those of many groups before the others.
    pub(crate) items: Vec<Item>,
    /// For every lane of every slice, the row that it writes less the item's base.
    pub(crate) slots: Vec<u16>,
    pub(crate) pieces: usize,
    /// The rows of the pieces.
    pub(crate) joins: Vec<Join>,
}

impl<C: TryFrom<u32> + Copy> Plan<C> {
    /// # Errors
    /// [`SpmvError::TooMany`] where rows or groups do not fit 32 bits.
    pub(crate) fn new(matrix: &CsrMatrix) -> Result<Self, SpmvError> {
        // The kernel's mark for no row is the last number of 32 bits.
        at_most("rows of a matrix", u32::MAX as usize, matrix.rows())?;
        let mut terms = Terms::new(matrix);
        let (mut slices, mut many_groups) = (Slices::default(), Slices::default());
        let mut cut = Vec::new();
        let mut short: Vec<usize> = Vec::with_capacity(WINDOW);
        for base in (0..matrix.rows()).step_by(WINDOW) {
            short.clear();
            for row in base..matrix.rows().min(base + WINDOW) {
                let kind = match matrix.row(row).columns.len() {
                    0..=PIECE => &mut short,
                    _ => &mut cut,
                };
                kind.push(row);
            }
            // Rows of one length stay in order, so that neighbours mostly write side by side.
            short.sort_by_key(|row| matrix.row(*row).columns.len());
            let lanes_of = |row: &usize| log_lanes(matrix.row(*row).columns.len());
            for alike in short.chunk_by(|a, b| lanes_of(a) == lanes_of(b)) {
                let log_lanes = lanes_of(&alike[0]);
                for rows in alike.chunks(GROUP >> log_lanes) {
                    let item = terms.slice(matrix, base, rows, log_lanes)?;
                    let list = match item.what as usize % 256 {
                        0..=LANE_TERMS => &mut slices,
                        _ => &mut many_groups,
                    };
                    list.push(item, base, rows, log_lanes);
                }
            }
        }
        let (mut items, joins) = terms.pieces(matrix, &cut)?;
        let pieces = items.len();
        // What takes longest begins first.
        items.extend(many_groups.items.iter().chain(&slices.items));
        many_groups.slots.extend(slices.slots);
        Ok(Self {
            columns: terms.columns,
            codes: terms.codes,
            items,
            slots: many_groups.slots,
            pieces,
            joins,
        })
    }

    pub(crate) fn slices(&self) -> usize {
        self.items.len() - self.pieces
    }
}

/// Slices with the rows that their lanes write.
#[derive(Debug, Default)]
struct Slices {
    items: Vec<Item>,
    slots: Vec<u16>,
}

impl Slices {
    fn push(&mut self, item: Item, base: usize, rows: &[usize], log_lanes: u32) {
        self.items.push(item);
        let start = self.slots.len();
        self.slots.resize(start + GROUP, NO_SLOT);
        for (i, row) in rows.iter().enumerate() {
            self.slots[start + (i << log_lanes)] = (row - base) as u16;
        }
    }
}

/// The groups of terms.
#[derive(Debug)]
struct Terms<C> {
    columns: Vec<u32>,
    codes: Vec<C>,
    /// The code of a place without a term.
    none: u32,
}

impl<C: TryFrom<u32>> Terms<C> {
    fn new(matrix: &CsrMatrix) -> Self {
        Self {
            columns: Vec::with_capacity(matrix.terms()),
            codes: Vec::with_capacity(matrix.terms()),
            none: matrix.dictionary().len() as u32,
        }
    }

    /// Rows that take 2^`log_lanes` lanes each.
    fn slice(
        &mut self,
        matrix: &CsrMatrix,
        base: usize,
        rows: &[usize],
        log_lanes: u32,
    ) -> Result<Item, SpmvError> {
        let longest = rows.last().map_or(0, |row| matrix.row(*row).columns.len());
        let groups = longest.div_ceil(1 << log_lanes);
        let first = self.groups(groups, |group, lane| {
            let row = matrix.row(*rows.get(lane >> log_lanes)?);
            let term = (group << log_lanes) + lane % (1 << log_lanes);
            Some((*row.columns.get(term)?, *row.coefficients.get(term)?))
        })?;
        Ok(Item {
            first,
            what: (base + groups) as u32 + (log_lanes << 8),
        })
    }

    /// The pieces of the rows that no warp takes whole.
    fn pieces(
        &mut self,
        matrix: &CsrMatrix,
        rows: &[usize],
    ) -> Result<(Vec<Item>, Vec<Join>), SpmvError> {
        let (mut items, mut joins) = (Vec::new(), Vec::new());
        for &row in rows {
            let Row {
                columns,
                coefficients,
            } = matrix.row(row);
            joins.push(Join {
                row: row as u32,
                pieces: columns.len().div_ceil(PIECE) as u32,
                first: items.len() as u64,
            });
            for (columns, coefficients) in columns.chunks(PIECE).zip(coefficients.chunks(PIECE)) {
                let groups = columns.len().div_ceil(GROUP);
                let first = self.groups(groups, |group, lane| {
                    let term = group * GROUP + lane;
                    Some((*columns.get(term)?, *coefficients.get(term)?))
                })?;
                let what = groups as u32 + (GROUP.trailing_zeros() << 8);
                items.push(Item { first, what });
            }
        }
        Ok((items, joins))
    }

    /// Appends so many groups, whose terms are `term(group, lane)`, and says which is the first.
    fn groups(
        &mut self,
        groups: usize,
        term: impl Fn(usize, usize) -> Option<(u32, u32)>,
    ) -> Result<u32, SpmvError> {
        let first = self.columns.len() / GROUP;
        at_most("groups of terms", u32::MAX as usize, first + groups)?;
        for place in 0..groups * GROUP {
            let (column, code) = term(place / GROUP, place % GROUP).unwrap_or((0, self.none));
            self.columns.push(column);
            let code = C::try_from(code).ok();
            let code = code.expect("codes are as wide as the dictionary needs");
            self.codes.push(code);
        }
        Ok(first as u32)
    }
}

/// Fails where there are more than so many.
pub(crate) fn at_most(what: &'static str, most: usize, got: usize) -> Result<(), SpmvError> {
    if got <= most {
        Ok(())
    } else {
        Err(SpmvError::TooMany { what, most, got })
    }
}

#[cfg(test)]
mod tests;
