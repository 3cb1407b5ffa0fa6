use std::ops::Range;

use cuzk_device::{DeviceBuf, DeviceError, Stream};

use super::AffineTree;
use super::params::LineParams;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;

/// The buckets of some windows as rows and columns, of which sums are made.
///
/// With `j = h m + l` the sum of `(j + 1) S_j` is that of `(l + 1) C_l` over the columns, and m
/// times that of `h R_h` over the rows: a window becomes two of fewer buckets.
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

    /// Of the columns: m is 2^this.
    pub(crate) fn log_m(&self) -> u32 {
        (self.log_buckets / 2).min(self.log_buckets.saturating_sub(1))
    }

    /// Lists for the columns of a window, and as many for its rows.
    pub(crate) fn lines(&self) -> usize {
        1 << (self.log_buckets - self.log_m())
    }

    /// Buckets that there are, each once in a column and once in a row, but for the first rows.
    pub(crate) fn entries(&self) -> usize {
        let each = |log_b: u32| (2 << log_b) - (1 << self.log_m());
        let narrow = self.windows - self.wide_windows;
        let of_narrow = if narrow > 0 {
            narrow * each(self.log_buckets - 1)
        } else {
            0
        };
        self.wide_windows * each(self.log_buckets) + of_narrow
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
        let mut entries = stream.alloc::<u32>(shape.entries())?;
        let mut offsets = stream.alloc::<u32>(shape.lists() + 1)?;
        let params = LineParams {
            entries: entries.as_mut_slice().address(),
            offsets: offsets.as_mut_slice().address(),
            windows: shape.windows as u64,
            wide_windows: shape.wide_windows as u64,
            log_buckets: shape.log_buckets.into(),
            log_m: shape.log_m().into(),
            lines: shape.lines() as u64,
        };
        let (points, longest) = (sums.as_slice(), shape.lines());
        // SAFETY: the lists have place for every entry and bound, entries are places of sums, and
        // neither a column nor a row is longer than there are rows.
        unsafe {
            self.kernels
                .write_lines(stream, &params, (2 * places).max(shape.lists() + 1))?;
            self.sum_lists(
                stream,
                points,
                entries.as_slice(),
                offsets.as_slice(),
                longest,
            )
        }
    }
}

#[cfg(test)]
mod tests;
