use std::marker::PhantomData;

use cuzk_curve::Fr;

/// Elements side by side in one lane vector.
pub const LANES: usize = 8;

/// How many rows before its use a row is asked for. A pass over the columns of 2^20 scalars
/// writes in 3.9 ms of processor time with it, and in 9.8 without.
pub(crate) const ROWS_AHEAD: usize = 4;

/// Eight neighbouring columns of a row-major matrix, for one worker alone.
///
/// A transform that works on columns writes places that alternate in memory, which slices
/// cannot express. [`ColumnTile::split`] hands out all tiles of a matrix at once, so no two of
/// them share an element.
#[derive(Debug)]
pub struct ColumnTile<'a> {
    first: *mut Fr,
    rows: usize,
    stride: usize,
    index: usize,
    matrix: PhantomData<&'a mut [Fr]>,
}

// SAFETY: a tile reaches only its own eight columns, which no other tile reaches, and `Fr` is
// plain data.
unsafe impl Send for ColumnTile<'_> {}

impl<'a> ColumnTile<'a> {
    /// All tiles of `matrix`, which has `columns` columns, from left to right.
    ///
    /// # Panics
    /// Where `columns` is not a positive multiple of eight, or does not divide the length.
    #[must_use]
    pub fn split(matrix: &'a mut [Fr], columns: usize) -> Vec<Self> {
        let whole = columns > 0 && columns.is_multiple_of(LANES);
        assert!(whole && matrix.len().is_multiple_of(columns), "ragged tile");
        let rows = matrix.len() / columns;
        let base = matrix.as_mut_ptr();
        (0..columns / LANES)
            .map(|index| Self {
                // `wrapping_add` because a matrix without rows has no such element.
                first: base.wrapping_add(index * LANES),
                rows,
                stride: columns,
                index,
                matrix: PhantomData,
            })
            .collect()
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The matrix column of lane 0.
    #[must_use]
    pub fn first_column(&self) -> usize {
        self.index * LANES
    }

    /// The eight elements of a row.
    ///
    /// # Panics
    /// Where `row` is out of range.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[Fr; LANES] {
        assert!(row < self.rows, "row out of range");
        // SAFETY: `row < rows`, so the eight elements lie within the borrowed matrix; they
        // belong to this tile alone, and `&self` forbids a write meanwhile.
        unsafe { &*self.first.add(row * self.stride).cast() }
    }

    /// Asks for the cache lines of a row that is soon written; a hint without effect on
    /// results. Rows lie a power of two apart, where the processor foresees nothing.
    #[inline]
    pub(crate) fn prefetch_for_write(&self, row: usize) {
        #[cfg(target_arch = "x86_64")]
        for element in [0, 2, 4, 6] {
            use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
            let at = self
                .first
                .wrapping_add(row.wrapping_mul(self.stride) + element);
            // SAFETY: a prefetch touches nothing, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(at.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = row;
    }

    /// As [`ColumnTile::prefetch_for_write`], for a row that is soon read.
    #[inline]
    pub(crate) fn prefetch_for_read(&self, row: usize) {
        #[cfg(target_arch = "x86_64")]
        for element in [0, 2, 4, 6] {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let at = self
                .first
                .wrapping_add(row.wrapping_mul(self.stride) + element);
            // SAFETY: a prefetch touches nothing, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = row;
    }

    /// The eight elements of a row, to be written.
    ///
    /// # Panics
    /// Where `row` is out of range.
    #[inline]
    #[must_use]
    pub fn row_mut(&mut self, row: usize) -> &mut [Fr; LANES] {
        assert!(row < self.rows, "row out of range");
        // SAFETY: as in `row`, and `&mut self` makes the reference unique.
        unsafe { &mut *self.first.add(row * self.stride).cast() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_element_exactly_once() {
        let columns = 24;
        let mut matrix = vec![Fr::from(0); columns * 5];
        for mut tile in ColumnTile::split(&mut matrix, columns) {
            let first = tile.first_column();
            for row in 0..tile.rows() {
                for (lane, element) in tile.row_mut(row).iter_mut().enumerate() {
                    *element += Fr::from((row * columns + first + lane) as u64 + 1);
                }
            }
        }
        let expected: Vec<Fr> = (1..=matrix.len() as u64).map(Fr::from).collect();
        assert_eq!(matrix, expected);
    }

    #[test]
    #[should_panic(expected = "row out of range")]
    fn a_row_beyond_the_last_is_refused() {
        let mut matrix = vec![Fr::from(0); 16];
        let _ = ColumnTile::split(&mut matrix, 8)[0].row(2);
    }
}
