mod buffers;
mod shape;

use std::ops::Range;

use cuzk_curve::FrLimbs;
use cuzk_device::{Device, DeviceError, DeviceSlice, Kernel, Stream};

use crate::MsmError;
use crate::digits::WindowLayout;
use crate::sorted::SortedDigits;
use buffers::{SortBuffers, SortParams};
pub(crate) use shape::{LargeParts, SortShape};
use shape::{MOST_LOG_PARTS, NARROW_PARTS};

/// Blocks for each multiprocessor of the kernels that take turns.
const TURNS: u32 = 4;

/// Cuts scalars into digits, and sorts these by bucket.
#[derive(Debug)]
pub(crate) struct DigitSorter {
    /// For up to 2^13 parts and for three times as many.
    digits: [Kernel<SortParams>; 2],
    count_segments: Kernel<SortParams>,
    scan_segments: Kernel<SortParams>,
    find_starts: Kernel<SortParams>,
    find_places: Kernel<SortParams>,
    move_to_parts: Kernel<SortParams>,
    /// For up to 2^10 buckets and for twice as many.
    sort_part: [Kernel<SortParams>; 2],
    count_large: Kernel<SortParams>,
    scan_large: Kernel<SortParams>,
    move_large: Kernel<SortParams>,
    /// Blocks of the kernels that take turns.
    turns: u32,
    large: LargeParts,
}

impl DigitSorter {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        Self::with_large_parts(device, LargeParts::USUAL)
    }

    pub(crate) fn with_large_parts(
        device: &Device,
        large: LargeParts,
    ) -> Result<Self, DeviceError> {
        let module = device.load(cuzk_kernels::module("msm_sort").expect("compiled in"))?;
        let kernel = |verb: &str| module.kernel(&format!("cuzk_msm_{verb}"));
        Ok(Self {
            digits: [kernel("digits")?, kernel("digits_wide")?],
            count_segments: kernel("count_segments")?,
            scan_segments: kernel("scan_segments")?,
            find_starts: kernel("find_starts")?,
            find_places: kernel("find_places")?,
            move_to_parts: kernel("move_to_parts")?,
            sort_part: [kernel("sort_part")?, kernel("sort_part_wide")?],
            count_large: kernel("count_large")?,
            scan_large: kernel("scan_large")?,
            move_large: kernel("move_large")?,
            turns: TURNS * device.info().multiprocessors,
            large,
        })
    }

    /// The digits of some windows, sorted by bucket; in a bucket by index. With several tables, that
    /// of base i in table t is `t * table_stride + i`.
    ///
    /// # Errors
    /// [`MsmError::TooManyBases`], [`MsmError::WindowBits`], more windows than can be sorted
    /// together, and failures of memory and launches.
    pub(crate) fn sort(
        &self,
        stream: &Stream,
        scalars: DeviceSlice<'_, FrLimbs>,
        layout: &WindowLayout,
        windows: Range<u32>,
        table_stride: usize,
    ) -> Result<SortedDigits, MsmError> {
        let shape = SortShape::new(scalars.len(), layout, windows.len())?;
        let buckets = layout.buckets();
        let mut offsets = stream.alloc::<u32>(shape.windows * buckets + 1)?;
        if shape.entries() == 0 {
            offsets.as_mut_slice().zero(stream)?;
            let entries = stream.alloc(0)?;
            return Ok(SortedDigits {
                entries,
                offsets,
                windows: shape.windows,
                buckets,
                longest: 0,
            });
        }
        let large = self.large.of(&shape);
        let mut buffers = SortBuffers::alloc(stream, &shape, large, offsets)?;
        let params = buffers.params(&shape, large, layout.params(windows), scalars, table_stride);
        for (kernel, blocks) in self.steps(&shape)? {
            // SAFETY: every array has the length that `SortParams` says.
            unsafe { kernel.launch(stream, blocks, &params) }?;
        }
        Ok(SortedDigits {
            entries: buffers.digits,
            offsets: buffers.offsets,
            windows: shape.windows,
            buckets,
            longest: shape.digits(),
        })
    }

    /// All kernels in their order, with their blocks.
    fn steps(&self, shape: &SortShape) -> Result<[(&Kernel<SortParams>, u32); 10], DeviceError> {
        let parts = shape.parts();
        let by_segment = self.count_segments.blocks_for(shape.segments() * parts)?;
        let wide = usize::from(shape.log_lows > MOST_LOG_PARTS);
        Ok([
            (
                &self.digits[usize::from(parts * shape.tables > NARROW_PARTS)],
                grid(shape.table_tiles())?,
            ),
            (&self.count_segments, by_segment),
            (&self.scan_segments, self.scan_segments.blocks_for(parts)?),
            (&self.find_starts, 1),
            (&self.find_places, by_segment),
            (&self.move_to_parts, grid(shape.tiles() * shape.windows)?),
            (&self.sort_part[wide], grid(parts)?),
            (&self.count_large, self.turns),
            (&self.scan_large, self.turns),
            (&self.move_large, self.turns),
        ])
    }
}

fn grid(blocks: usize) -> Result<u32, DeviceError> {
    match i32::try_from(blocks) {
        Ok(fits) => Ok(fits.cast_unsigned()),
        Err(_) => Err(DeviceError::Length {
            what: "blocks of a grid, at most",
            expected: i32::MAX as usize,
            got: blocks,
        }),
    }
}

#[cfg(test)]
pub(crate) mod tests;
