//! What belongs to the parts of a split: their points and values.

use bytemuck::Pod;
use cuzk_curve::{FrLimbs, SourceGroup};
use cuzk_device::{DeviceBuf, DeviceError, DeviceSlice, Stream};

use super::{DeviceSplit, GatherParams, WitnessSplitter, same};
use crate::{AffineTree, DeviceGroup};

/// Bytes that a thread copies.
const PIECE_BYTES: usize = 16;

impl WitnessSplitter {
    /// The values that are neither zero nor one, one after the other.
    ///
    /// # Shapes
    /// One value for each variable of the witness.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for any other number; failures of memory and launches.
    pub fn rest_values(
        &self,
        stream: &Stream,
        values: DeviceSlice<'_, FrLimbs>,
        split: &DeviceSplit,
    ) -> Result<DeviceBuf<FrLimbs>, DeviceError> {
        same("values of the variables", split.variables, values.len())?;
        // SAFETY: the variables listed are variables of the witness.
        unsafe { self.gather(stream, values, split.rest_variables.as_slice()) }
    }

    /// The points whose variables are neither zero nor one, one after the other.
    ///
    /// # Shapes
    /// One point for each selected variable.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for any other number; failures of memory and launches.
    pub fn rest_points<G: SourceGroup>(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        split: &DeviceSplit,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        split.check_points(points.len())?;
        // SAFETY: the places listed are those of selected variables.
        unsafe { self.gather(stream, points, split.rest.as_slice()) }
    }

    /// `values[indices[i]]` for every i.
    ///
    /// # Safety
    /// Every index is one of a value.
    unsafe fn gather<T: Pod>(
        &self,
        stream: &Stream,
        values: DeviceSlice<'_, T>,
        indices: DeviceSlice<'_, u32>,
    ) -> Result<DeviceBuf<T>, DeviceError> {
        const { assert!(size_of::<T>().is_multiple_of(PIECE_BYTES)) };
        let mut out = stream.alloc::<T>(indices.len())?;
        if indices.is_empty() {
            return Ok(out);
        }
        let pieces = size_of::<T>() / PIECE_BYTES;
        let params = GatherParams {
            input: values.address(),
            indices: indices.address(),
            out: out.as_mut_slice().address(),
            n: indices.len() as u64,
            pieces: pieces as u64,
        };
        let blocks = self.gather.blocks_for(indices.len() * pieces)?;
        // SAFETY: the output has one value an index, and the caller answers for the indices.
        unsafe { self.gather.launch(stream, blocks, &params) }?;
        Ok(out)
    }
}

impl<G: DeviceGroup> AffineTree<G> {
    /// The sum of the points whose variable is one, one point.
    ///
    /// # Shapes
    /// One point for each selected variable.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for any other number; failures of memory and launches.
    pub fn sum_ones(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        split: &DeviceSplit,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        split.check_points(points.len())?;
        let (ones, bounds) = (split.ones.as_slice(), split.bounds_of_ones.as_slice());
        // SAFETY: the list goes from 0 to its length, and its places are those of selected
        // variables.
        unsafe { self.sum_lists(stream, points, ones, bounds, ones.len()) }
    }
}
