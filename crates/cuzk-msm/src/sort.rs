mod buffers;
mod shape;

use std::ops::Range;

use cuzk_curve::FrLimbs;
use cuzk_device::{Device, DeviceError, DeviceSlice, Kernel, Stream};

use crate::MsmError;
use crate::digits::WindowLayout;
use crate::sorted::SortedDigits;
use buffers::{SortBuffers, SortParams};
pub(crate) use shape::SortShape;
use shape::{LOG_LONG_TILE, NARROW_PARTS};
pub use shape::{LargeParts, SortTuning};

/// Blocks for each multiprocessor of the kernels that take turns.
const TURNS: u32 = 4;

/// Kernels for parts, with the entries for which each has place in shared memory.
const PLACES: [(usize, &str); 3] = [
    (8192, "sort_part"),
    (19456, "sort_part_long"),
    (36864, "sort_part_longest"),
];

/// Cuts scalars into digits, and sorts these by bucket.
#[derive(Debug)]
pub struct DigitSorter {
    /// For up to 2^13 parts and for three times as many.
    digits: [Kernel<SortParams>; 2],
    count_segments: Kernel<SortParams>,
    scan_segments: Kernel<SortParams>,
    find_starts: Kernel<SortParams>,
    find_places: Kernel<SortParams>,
    move_to_parts: Kernel<SortParams>,
    /// With long tiles, where the device has shared memory for them.
    move_to_parts_long: Option<Kernel<SortParams>>,
    /// Those for which the device has shared memory, each with the entries of a part for which it
    /// has place there, ascending.
    sort_part: Vec<(usize, Kernel<SortParams>)>,
    count_large: Kernel<SortParams>,
    scan_large: Kernel<SortParams>,
    move_large: Kernel<SortParams>,
    /// Blocks of the kernels that take turns.
    turns: u32,
    tuning: SortTuning,
}

impl DigitSorter {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        Self::with_tuning(device, SortTuning::default())
    }

    /// The same with another choice of kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn with_tuning(device: &Device, tuning: SortTuning) -> Result<Self, DeviceError> {
        let module = device.load(cuzk_kernels::module("msm_sort").expect("compiled in"))?;
        let kernel = |verb: &str| module.kernel(&format!("cuzk_msm_{verb}"));
        let fits = |verb: &str| {
            let entry =
                cuzk_kernels::module("msm_sort")?.entry_point(&format!("cuzk_msm_{verb}"))?;
            (entry.shared_bytes <= device.info().shared_bytes).then_some(())
        };
        let if_fits = |verb: &str| fits(verb).map(|()| kernel(verb)).transpose();
        let mut sort_part = Vec::new();
        for (places, verb) in PLACES {
            if let Some(kernel) = if_fits(verb)? {
                sort_part.push((places, kernel));
            }
        }
        Ok(Self {
            digits: [kernel("digits")?, kernel("digits_wide")?],
            count_segments: kernel("count_segments")?,
            scan_segments: kernel("scan_segments")?,
            find_starts: kernel("find_starts")?,
            find_places: kernel("find_places")?,
            move_to_parts: kernel("move_to_parts")?,
            move_to_parts_long: if_fits("move_to_parts_long")?,
            sort_part,
            count_large: kernel("count_large")?,
            scan_large: kernel("scan_large")?,
            move_large: kernel("move_large")?,
            turns: TURNS * device.info().multiprocessors,
            tuning,
        })
    }

    /// The digits of some windows, `windows` of each table of the layout, sorted by bucket. With
    /// several tables, the index of base i in table t is `t * table_stride + i`.
    ///
    /// # Errors
    /// [`MsmError::TooManyBases`], [`MsmError::WindowBits`], more windows than can be sorted
    /// together, and failures of memory and launches.
    pub fn sort(
        &self,
        stream: &Stream,
        scalars: DeviceSlice<'_, FrLimbs>,
        layout: &WindowLayout,
        windows: Range<u32>,
        table_stride: usize,
    ) -> Result<SortedDigits, MsmError> {
        let none = &mut |_| Ok(());
        self.sort_by_steps(stream, scalars, layout, windows, table_stride, none)
    }

    /// The same; `enqueued` is told the symbol of every kernel after it was launched.
    ///
    /// # Errors
    /// As [`DigitSorter::sort`], and those of `enqueued`.
    pub fn sort_by_steps(
        &self,
        stream: &Stream,
        scalars: DeviceSlice<'_, FrLimbs>,
        layout: &WindowLayout,
        windows: Range<u32>,
        table_stride: usize,
        enqueued: &mut dyn FnMut(&'static str) -> Result<(), MsmError>,
    ) -> Result<SortedDigits, MsmError> {
        if windows.end > layout.windows() {
            return Err(MsmError::Device(DeviceError::Length {
                what: "the end of windows to sort, at most",
                expected: layout.windows() as usize,
                got: windows.end as usize,
            }));
        }
        let tables = layout.tables() as usize;
        let before = (tables - 1).saturating_mul(table_stride);
        let bases = before.saturating_add(scalars.len());
        if bases > SortShape::MOST_BASES {
            return Err(MsmError::TooManyBases {
                expected: SortShape::MOST_BASES,
                got: bases,
            });
        }
        let mut shape = SortShape::new(scalars.len(), layout, windows.len())?;
        if self.move_to_parts_long.is_some() && shape.n >= self.tuning.long_tiles_from {
            shape = shape.with_long_tiles();
        }
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
        let large = self.tuning.large.of(&shape);
        let mut buffers = SortBuffers::alloc(stream, &shape, large, offsets)?;
        let params = buffers.params(&shape, large, layout.params(windows), scalars, table_stride);
        for (kernel, blocks) in self.steps(&shape)? {
            // SAFETY: every array has the length that `SortParams` says.
            unsafe { kernel.launch(stream, blocks, &params) }?;
            enqueued(kernel.entry_point().symbol)?;
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
        let move_to_parts = match &self.move_to_parts_long {
            Some(long) if shape.log_tile == LOG_LONG_TILE => long,
            _ => &self.move_to_parts,
        };
        let wanted = shape.usual_part().max(self.tuning.least_places);
        let has_place = |(places, _): &&(usize, _)| *places >= wanted;
        let sort_part = self.sort_part.iter().find(has_place);
        let (_, sort_part) = sort_part.or(self.sort_part.last()).expect("of any device");
        Ok([
            (
                &self.digits[usize::from(parts * shape.tables > NARROW_PARTS)],
                grid(shape.table_tiles())?,
            ),
            (&self.count_segments, by_segment),
            (&self.scan_segments, self.scan_segments.blocks_for(parts)?),
            (&self.find_starts, 1),
            (&self.find_places, by_segment),
            (move_to_parts, grid(shape.tiles() * shape.windows)?),
            (sort_part, grid(parts)?),
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
