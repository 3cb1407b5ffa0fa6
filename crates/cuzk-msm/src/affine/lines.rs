use std::ops::Range;

use cuzk_device::{DeviceBuf, DeviceError, Stream};

use super::AffineTree;
use super::fold::FoldLists;
use super::params::LineParams;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;

/// The buckets of some windows as rows and columns, of which sums are made.
///
/// With `w = h m + i` for an odd `m = 2 c + 1` and `-c <= i <= c` the sum of `w S_w` is m times that
/// of `h R_h` over the rows, and that of `i (C_i - C_-i)` over the columns beside the middle: a
/// window becomes two of c buckets. First the grid is folded at its middle column, into sums for
/// the rows and differences for the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineShape {
    /// Windows of 2^log_buckets places.
    pub(crate) windows: usize,
    /// The first so many have a bucket at each place, the others in the lower half.
    pub(crate) wide_windows: usize,
    pub(crate) log_buckets: u32,
}

impl LineShape {
    /// Of some windows.
    pub(crate) fn new(layout: &WindowLayout, windows: &Range<u32>) -> Self {
        let wide = layout.wide_windows().clamp(windows.start, windows.end);
        Self {
            windows: windows.len(),
            wide_windows: (wide - windows.start) as usize,
            log_buckets: layout.window_bits() - 1,
        }
    }

    /// m is one more than 2^this.
    pub(crate) fn log_m(&self) -> u32 {
        self.log_buckets / 2 + 1
    }

    /// c: lists for the columns of a window, and as many for its rows.
    pub(crate) fn lines(&self) -> usize {
        1 << (self.log_buckets / 2)
    }

    /// Rows of a window of so many buckets, without row 0; no more than there are lines.
    pub(crate) fn rows(&self, buckets: usize) -> usize {
        (buckets + self.lines()) / (2 * self.lines() + 1)
    }

    /// The sum over all windows of what a window of some rows has.
    fn of_windows(&self, of_rows: impl Fn(usize) -> usize) -> usize {
        let each = |buckets: usize| of_rows(self.rows(buckets));
        let narrow = self.windows - self.wide_windows;
        self.wide_windows * each(1 << self.log_buckets) + narrow * each((1 << self.log_buckets) / 2)
    }

    /// What is folded: in every row the middle, and a pair for each column beside it.
    pub(crate) fn pairs(&self) -> usize {
        self.of_windows(|rows| (rows + 1) * (self.lines() + 1))
    }

    /// Differences of columns, and sums of rows.
    pub(crate) fn entries(&self) -> usize {
        let half = self.lines();
        self.of_windows(|rows| half * (rows + 1) + rows * (half + 1))
    }

    /// Lists of all windows.
    pub(crate) fn lists(&self) -> usize {
        2 * self.windows * self.lines()
    }
}

impl<G: DeviceGroup> AffineTree<G> {
    /// The sums of columns and rows: for each window two windows of `lines` buckets, of which the
    /// second counts m times.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for another number of sums than places; failures of memory and
    /// launches.
    pub(crate) fn sum_lines(
        &self,
        stream: &Stream,
        sums: &DeviceBuf<G::Limbs>,
        shape: &LineShape,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        let places = shape.windows << shape.log_buckets;
        if sums.len() != places {
            return Err(super::length("sums of buckets", places, sums.len()));
        }
        let pairs = shape.pairs();
        let mut entries = stream.alloc::<u32>(shape.entries())?;
        let mut offsets = stream.alloc::<u32>(shape.lists() + 1)?;
        let mut to_fold = FoldLists::alloc(stream, pairs)?;
        let params = LineParams {
            pairs: to_fold.pairs.as_mut_slice().address(),
            totals: to_fold.totals.as_mut_slice().address(),
            pairs_in_all: pairs as u64,
            entries: entries.as_mut_slice().address(),
            offsets: offsets.as_mut_slice().address(),
            windows: shape.windows as u64,
            wide_windows: shape.wide_windows as u64,
            log_buckets: shape.log_buckets.into(),
            lines: shape.lines() as u64,
        };
        let widest = LineShape {
            wide_windows: shape.windows,
            ..*shape
        };
        let threads = widest.pairs().max(widest.entries());
        let threads = threads.max(shape.lists() + 1);
        let longest = shape.lines() + 1;
        // SAFETY: the lists have place for every pair, entry and bound; pairs are places of sums or
        // the one after the last, entries are sums and differences of pairs, and a row has a pair
        // for each column and one more, a column no more than there are rows, and one.
        unsafe {
            self.kernels.write_lines(stream, &params, threads)?;
            let points = self.fold(stream, sums, to_fold)?;
            self.sum_lists(
                stream,
                points.as_slice(),
                entries.as_slice(),
                offsets.as_slice(),
                longest,
            )
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
