use std::marker::PhantomData;

use cuzk_device::{Device, DeviceBuf, DeviceError, DeviceSlice, Kernel, KernelParams, Stream};

use crate::group::DeviceGroup;
use crate::order::TaskOrder;
use crate::sorted::SortedDigits;

/// Adds up the points of every bucket in XYZZ coordinates.
#[derive(Debug)]
pub(crate) struct Accumulator<G> {
    order: TaskOrder,
    accumulate: Kernel<AccumulateParams>,
    combine: Kernel<CombineParams>,
    multiprocessors: usize,
    _group: PhantomData<G>,
}

/// `cuzk::msm::AccumulateParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct AccumulateParams {
    points: u64,
    entries: u64,
    state: u64,
    tasks: u64,
    sums: u64,
    parts: u64,
    buckets: u64,
    carried: u64,
}

/// `cuzk::msm::CombineParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct CombineParams {
    state: u64,
    splits: u64,
    parts: u64,
    sums: u64,
    stride: u64,
    carried: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::msm`.
unsafe impl KernelParams for AccumulateParams {}
// SAFETY: as above.
unsafe impl KernelParams for CombineParams {}

/// `cuzk::msm::COMBINED`.
const COMBINED: usize = 4;

impl<G: DeviceGroup> Accumulator<G> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        let name = format!("msm_{}", G::SUFFIX);
        let module = device.load(cuzk_kernels::module(&name).expect("compiled in"))?;
        let symbol = |verb: &str| format!("cuzk_msm_{verb}_{}", G::SUFFIX);
        Ok(Self {
            order: TaskOrder::new(device)?,
            accumulate: module.kernel(&symbol("accumulate"))?,
            combine: module.kernel(&symbol("combine"))?,
            multiprocessors: device.info().multiprocessors as usize,
            _group: PhantomData,
        })
    }

    /// The sum of every bucket and of its sum from before, for all windows one after the other.
    ///
    /// Points are added in the order of the entries, so that the same entries give the same bytes.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where the bounds are not one more than the buckets, or there were
    /// other buckets before; failures of memory and launches.
    ///
    /// # Correctness
    /// Every entry is the index of a point.
    pub(crate) fn sum_buckets(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        sorted: &SortedDigits,
        before: Option<DeviceBuf<G::Xyzz>>,
    ) -> Result<DeviceBuf<G::Xyzz>, DeviceError> {
        let buckets = sorted.windows * sorted.buckets;
        let carried = before.is_some().into();
        if let Some(got) = before.as_ref().map(DeviceBuf::len)
            && got != buckets
        {
            return Err(DeviceError::Length {
                what: "sums that buckets are added to",
                expected: buckets,
                got,
            });
        }
        let mut tasks = self.order.order(stream, sorted)?;
        let mut sums = before.map_or_else(|| stream.alloc::<G::Xyzz>(buckets), Ok)?;
        let mut parts = stream.alloc::<G::Xyzz>(tasks.max_parts)?;
        let params = AccumulateParams {
            points: points.address(),
            entries: sorted.entries.as_slice().address(),
            state: tasks.state.as_mut_slice().address(),
            tasks: tasks.tasks.as_slice().address(),
            sums: sums.as_mut_slice().address(),
            parts: parts.as_mut_slice().address(),
            buckets: buckets as u64,
            carried,
        };
        let blocks = self.accumulate.blocks_for(tasks.tasks.len())?;
        // SAFETY: the tasks are those of these entries, which are indices of points, and there
        // is a place for every sum and part.
        unsafe { self.accumulate.launch(stream, blocks, &params) }?;

        let threads = self.combine.entry_point().threads as usize;
        let resident = self.combine.entry_point().min_blocks as usize * self.multiprocessors;
        let blocks = parts.len().div_ceil(COMBINED * threads);
        let blocks = blocks.clamp(1, resident.max(1));
        let blocks = u32::try_from(blocks).unwrap_or(1);
        let mut stride = 1;
        while stride < tasks.parts_of_one {
            let params = CombineParams {
                state: params.state,
                splits: tasks.splits.as_slice().address(),
                parts: params.parts,
                sums: params.sums,
                stride: stride as u64,
                carried,
            };
            // SAFETY: the parts that there are were written, and the split buckets are theirs.
            unsafe { self.combine.launch(stream, blocks, &params) }?;
            stride *= COMBINED;
        }
        Ok(sums)
    }
}
