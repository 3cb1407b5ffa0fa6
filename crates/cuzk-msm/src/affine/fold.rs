//! Sums and differences of pairs of points, whose inversions are made together.

use cuzk_device::{DeviceBuf, DeviceError, Stream};

use super::AffineTree;
use super::params::{PointParams, RoundParams};
use super::plan::{THREADS, TOTALS};
use crate::group::DeviceGroup;

/// Which points are folded, and how many pairs these are.
pub(super) struct FoldLists {
    /// Positions of points; that after the last is the identity's.
    pub(super) pairs: DeviceBuf<[u32; 2]>,
    /// As a round's: the pairs first, and 0 for the first output.
    pub(super) totals: DeviceBuf<u32>,
}

impl FoldLists {
    pub(super) fn alloc(stream: &Stream, pairs: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            pairs: stream.alloc(pairs)?,
            totals: stream.alloc(TOTALS)?,
        })
    }
}

impl<G: DeviceGroup> AffineTree<G> {
    /// The sum of every pair, and behind all sums every difference, the left point less the right.
    ///
    /// # Errors
    /// Failures of memory and launches.
    ///
    /// # Safety
    /// The lists name points or the identity, and say how many pairs there are.
    pub(super) unsafe fn fold(
        &self,
        stream: &Stream,
        points: &DeviceBuf<G::Limbs>,
        mut lists: FoldLists,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        let pairs = lists.pairs.len();
        let mut folded = stream.alloc::<G::Limbs>(2 * pairs)?;
        if pairs == 0 {
            return Ok(folded);
        }
        let shape = &self.shape;
        let products = shape.tiles(pairs) * THREADS;
        // Coordinates, in words of 16 bytes.
        let coordinates = |n: usize| stream.alloc::<u128>(n * size_of::<G::Limbs>() / 32);
        let mut prefixes = coordinates(pairs)?;
        let [mut inverses, mut chains] = [coordinates(products)?, coordinates(products)?];
        let mut identity = stream.alloc_zeroed::<G::Limbs>(1)?;
        let n = points.len();
        let params = RoundParams {
            points: PointParams {
                bases: points.as_slice().address(),
                carried: identity.as_mut_slice().address(),
                n: n as u64,
                first_output: n as u64 + 1,
                outputs: folded.as_mut_slice().address(),
                capacity: pairs as u64,
            },
            pairs: lists.pairs.as_slice().address(),
            totals: lists.totals.as_mut_slice().address(),
            prefixes: prefixes.as_mut_slice().address(),
            prefix_capacity: pairs as u64,
            products: inverses.as_mut_slice().address(),
            chains: chains.as_mut_slice().address(),
            product_capacity: products as u64,
            round: 0,
            ..RoundParams::shaped(shape)
        };
        // SAFETY: a block for each tile of pairs, places for an element of each, and two for points;
        // the caller's.
        unsafe { self.kernels.fold(stream, &params, shape, pairs) }?;
        Ok(folded)
    }
}
