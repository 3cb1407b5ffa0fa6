use cuzk_device::{Device, DeviceBuf, DeviceError, DeviceSlice, Kernel, Stream};

use super::length;
use super::params::SelectParams;
use super::plan::CHUNK;

/// Some of a number of points: for any query of at least so many.
#[derive(Debug)]
pub struct PointSelection {
    entries: DeviceBuf<u32>,
    /// 0 and the number of entries.
    offsets: DeviceBuf<u32>,
    points: usize,
}

/// Makes selections of points.
#[derive(Debug)]
pub struct PointSelector {
    count: Kernel<SelectParams>,
    sum: Kernel<SelectParams>,
    write: Kernel<SelectParams>,
    whole: Kernel<SelectParams>,
}

/// The most points to select from: indices have 31 bits.
const POINTS: usize = 1 << 31;

impl PointSelection {
    /// How many points are selected.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// From how many.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    pub(super) fn entries(&self) -> DeviceSlice<'_, u32> {
        self.entries.as_slice()
    }

    pub(super) fn offsets(&self) -> DeviceSlice<'_, u32> {
        self.offsets.as_slice()
    }
}

impl PointSelector {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        let source = cuzk_kernels::module("msm_affine_lists").expect("compiled in");
        let module = device.load(source)?;
        Ok(Self {
            count: module.kernel("cuzk_msm_affine_select_count")?,
            sum: module.kernel("cuzk_msm_affine_select_sum")?,
            write: module.kernel("cuzk_msm_affine_select_write")?,
            whole: module.kernel("cuzk_msm_affine_select_whole")?,
        })
    }

    /// The points whose bit is set: bit i mod 32, from the lowest, of word i / 32.
    ///
    /// Waits for the count, so that the list and the sums over it take memory for the selected
    /// points alone.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for another number of words than `points` bits have, or more than
    /// 2^31 points; failures of memory and launches.
    pub fn by_bitmap(
        &self,
        stream: &Stream,
        bitmap: DeviceSlice<'_, u32>,
        points: usize,
    ) -> Result<PointSelection, DeviceError> {
        check_points(points)?;
        let words = points.div_ceil(32);
        if bitmap.len() != words {
            return Err(length("words of a bitmap", words, bitmap.len()));
        }
        let chunks = words.div_ceil(CHUNK).max(1);
        let mut chunk_bases = stream.alloc::<u32>(chunks)?;
        let mut offsets = stream.alloc::<u32>(2)?;
        let mut params = SelectParams {
            bitmap: bitmap.address(),
            bits: points as u64,
            chunk_bases: chunk_bases.as_mut_slice().address(),
            chunks: chunks as u64,
            offsets: offsets.as_mut_slice().address(),
            entries: 0,
        };
        let blocks = u32::try_from(chunks).unwrap_or(u32::MAX);
        // SAFETY: a block for each chunk of words, and one number for each chunk.
        unsafe {
            self.count.launch(stream, blocks, &params)?;
            self.sum.launch(stream, 1, &params)?;
        }
        let mut bounds = [0; 2];
        offsets.as_slice().copy_to_host(stream, &mut bounds)?;
        let mut entries = stream.alloc::<u32>(bounds[1] as usize)?;
        params.entries = entries.as_mut_slice().address();
        if !entries.is_empty() {
            // SAFETY: as above, and the list has as many places as bits are set.
            unsafe { self.write.launch(stream, blocks, &params) }?;
        }
        Ok(PointSelection {
            entries,
            offsets,
            points,
        })
    }

    /// The points of a list on the host, which may name one several times.
    ///
    /// # Errors
    /// [`DeviceError::Length`] with the first index that is not below `points`, or for more than
    /// 2^31 points; failures of memory and launches.
    pub fn by_indices(
        &self,
        stream: &Stream,
        indices: &[u32],
        points: usize,
    ) -> Result<PointSelection, DeviceError> {
        if let Some(index) = indices.iter().find(|index| **index as usize >= points) {
            return Err(length("an index below", points, *index as usize));
        }
        // SAFETY: every index was compared.
        unsafe { self.by_list(stream, stream.upload(indices)?, points) }
    }

    /// The points of a list on the device.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for more than 2^31 points; failures of memory and launches.
    ///
    /// # Safety
    /// Every index is below `points`.
    pub unsafe fn by_list(
        &self,
        stream: &Stream,
        indices: DeviceBuf<u32>,
        points: usize,
    ) -> Result<PointSelection, DeviceError> {
        check_points(points)?;
        let mut offsets = stream.alloc::<u32>(2)?;
        let params = SelectParams {
            bitmap: 0,
            bits: indices.len() as u64,
            chunk_bases: 0,
            chunks: 0,
            offsets: offsets.as_mut_slice().address(),
            entries: 0,
        };
        // SAFETY: the kernel writes two numbers.
        unsafe { self.whole.launch(stream, 1, &params) }?;
        Ok(PointSelection {
            entries: indices,
            offsets,
            points,
        })
    }
}

fn check_points(points: usize) -> Result<(), DeviceError> {
    if points > POINTS {
        return Err(length("points to select from, at most", POINTS, points));
    }
    Ok(())
}
