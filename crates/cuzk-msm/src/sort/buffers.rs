use cuzk_curve::FrLimbs;
use cuzk_device::{DeviceBuf, DeviceError, DeviceSlice, KernelParams, Stream};

use super::shape::{LargeParts, SortShape};
use crate::digits::DigitLayout;

/// `cuzk::msm::SortParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct SortParams {
    layout: DigitLayout,
    log_parts: u64,
    n: u64,
    scalars: u64,
    digits: u64,
    counts: u64,
    segments: u64,
    starts: u64,
    moved: u64,
    offsets: u64,
    large_parts: u64,
    large_tiles: u64,
    large_counts: u64,
    large_limit: u64,
    large_tile: u64,
    table_segments: u64,
    table_stride: u64,
    log_tile: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::msm`.
unsafe impl KernelParams for SortParams {}

/// The arrays that the structure names.
pub(super) struct SortBuffers {
    pub(super) digits: DeviceBuf<u32>,
    pub(super) offsets: DeviceBuf<u32>,
    counts: DeviceBuf<u32>,
    segments: DeviceBuf<u32>,
    starts: DeviceBuf<u32>,
    moved: DeviceBuf<u32>,
    large_parts: DeviceBuf<[u32; 2]>,
    large_tiles: DeviceBuf<[u32; 2]>,
    large_counts: DeviceBuf<u32>,
}

impl SortBuffers {
    pub(super) fn alloc(
        stream: &Stream,
        shape: &SortShape,
        large: LargeParts,
        offsets: DeviceBuf<u32>,
    ) -> Result<Self, DeviceError> {
        let (parts, entries) = (shape.parts(), shape.entries());
        let large_tiles = large.most_tiles(shape);
        Ok(Self {
            digits: stream.alloc(entries)?,
            offsets,
            counts: stream.alloc(shape.tiles() * parts)?,
            segments: stream.alloc((shape.segments() + 1) * parts)?,
            starts: stream.alloc(parts + 1)?,
            moved: stream.alloc(entries)?,
            large_parts: stream.alloc(large.most_parts(shape) + 1)?,
            large_tiles: stream.alloc(large_tiles)?,
            large_counts: stream.alloc(large_tiles << shape.log_lows)?,
        })
    }

    pub(super) fn params(
        &mut self,
        shape: &SortShape,
        large: LargeParts,
        layout: DigitLayout,
        scalars: DeviceSlice<'_, FrLimbs>,
        table_stride: usize,
    ) -> SortParams {
        SortParams {
            layout,
            log_parts: shape.log_parts.into(),
            n: shape.n as u64,
            scalars: scalars.address(),
            digits: self.digits.as_mut_slice().address(),
            counts: self.counts.as_mut_slice().address(),
            segments: self.segments.as_mut_slice().address(),
            starts: self.starts.as_mut_slice().address(),
            moved: self.moved.as_mut_slice().address(),
            offsets: self.offsets.as_mut_slice().address(),
            large_parts: self.large_parts.as_mut_slice().address(),
            large_tiles: self.large_tiles.as_mut_slice().address(),
            large_counts: self.large_counts.as_mut_slice().address(),
            large_limit: large.limit as u64,
            large_tile: large.tile as u64,
            table_segments: shape.table_segments as u64,
            table_stride: table_stride as u64,
            log_tile: shape.log_tile.into(),
        }
    }
}
