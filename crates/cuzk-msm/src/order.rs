use cuzk_device::{Device, DeviceBuf, DeviceError, Kernel, KernelParams, Stream};

use crate::sorted::SortedDigits;

/// Cuts buckets into tasks of single threads, and orders these by length.
#[derive(Debug)]
pub(crate) struct TaskOrder {
    count: Kernel<OrderParams>,
    place: Kernel<OrderParams>,
    multiprocessors: usize,
}

/// The tasks of some buckets, on the device.
#[derive(Debug)]
pub(crate) struct Tasks {
    /// `cuzk::msm::OrderState`.
    pub(crate) state: DeviceBuf<u64>,
    /// `cuzk::msm::SumTask`, as many as there can be.
    pub(crate) tasks: DeviceBuf<[u32; 4]>,
    /// `cuzk::msm::SplitBucket`, as many as there can be.
    pub(crate) splits: DeviceBuf<[u32; 4]>,
    /// The most parts that there can be.
    pub(crate) max_parts: usize,
    /// The most parts that one bucket can have.
    pub(crate) parts_of_one: usize,
}

/// How buckets are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The most entries of a part.
    pub(crate) max_len: usize,
    /// A length shifted right by it is a class.
    pub(crate) class_shift: u32,
    /// The most buckets that can have more than one part.
    pub(crate) max_splits: usize,
    /// The most parts that they can have together.
    pub(crate) max_parts: usize,
}

/// `cuzk::msm::OrderParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct OrderParams {
    offsets: u64,
    state: u64,
    tasks: u64,
    splits: u64,
    buckets: u64,
    max_len: u64,
    class_shift: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::msm`.
unsafe impl KernelParams for OrderParams {}

/// `cuzk::msm::LENGTH_CLASSES`.
pub(crate) const LENGTH_CLASSES: usize = 256;
/// `cuzk::msm::ORDER_TILE`.
const TILE: usize = 2048;
/// `cuzk::msm::OrderState` in words of 64 bits.
const STATE_WORDS: usize = 1 + LENGTH_CLASSES;
/// Blocks of a multiprocessor; a block takes tile after tile.
const BLOCKS: usize = 4;

impl Cut {
    /// A bucket is cut where it has four times the entries of an average one: then the usual
    /// spread of sizes cuts none, and no thread works much longer than the others. Where there
    /// are few buckets a part is what all threads of the device have to do twice.
    pub(crate) fn of(entries: usize, buckets: usize, multiprocessors: usize) -> Self {
        const AVERAGES: usize = 4;
        const SHORTEST: usize = 16;
        const LONG: usize = 128;
        const THREADS: usize = 1024;
        let average = entries.div_ceil(buckets.max(1));
        let share = entries / (THREADS * multiprocessors.max(1));
        let max_len = (AVERAGES * average).min(LONG.max(share)).max(SHORTEST);
        let mut class_shift = 0;
        while max_len >> class_shift >= LENGTH_CLASSES {
            class_shift += 1;
        }
        // k max_len + 1 entries are k + 1 parts, so that a part has half of max_len + 1 at least.
        Self {
            max_len,
            class_shift,
            max_splits: entries / (max_len + 1),
            max_parts: 2 * entries / (max_len + 1),
        }
    }
}

impl TaskOrder {
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        let module = device.load(cuzk_kernels::module("msm_order").expect("compiled in"))?;
        Ok(Self {
            count: module.kernel("cuzk_msm_count_tasks")?,
            place: module.kernel("cuzk_msm_place_tasks")?,
            multiprocessors: device.info().multiprocessors as usize,
        })
    }

    /// The tasks of the buckets: their number is known on the device only.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where the bounds are not one more than the buckets, or an entry
    /// or a task has no number of 32 bits; failures of memory and launches.
    pub(crate) fn order(
        &self,
        stream: &Stream,
        sorted: &SortedDigits,
    ) -> Result<Tasks, DeviceError> {
        let buckets = sorted.windows * sorted.buckets;
        let entries = sorted.entries.len();
        let bounds = sorted.offsets.len();
        check("bounds of buckets", buckets + 1, bounds, |e, got| got == e)?;
        let most = u32::MAX as usize;
        check("entries of buckets, at most", most, entries, |e, got| {
            got <= e
        })?;
        let cut = Cut::of(entries, buckets, self.multiprocessors);
        let longest = sorted.longest.min(entries);
        let items = buckets + cut.max_parts;
        check("sums of buckets, at most", most, items, |e, got| got <= e)?;

        let mut state = stream.alloc_zeroed::<u64>(STATE_WORDS)?;
        let mut tasks = stream.alloc::<[u32; 4]>(items)?;
        let mut splits = stream.alloc::<[u32; 4]>(cut.max_splits)?;
        let params = OrderParams {
            offsets: sorted.offsets.as_slice().address(),
            state: state.as_mut_slice().address(),
            tasks: tasks.as_mut_slice().address(),
            splits: splits.as_mut_slice().address(),
            buckets: buckets as u64,
            max_len: cut.max_len as u64,
            class_shift: cut.class_shift.into(),
        };
        let blocks = items.div_ceil(TILE).min(BLOCKS * self.multiprocessors);
        let blocks = u32::try_from(blocks.max(1)).unwrap_or(1);
        // SAFETY: there is a bound more than buckets, and every list has place for the most that
        // so many entries can give.
        unsafe {
            self.count.launch(stream, blocks, &params)?;
            self.place.launch(stream, blocks, &params)?;
        }
        Ok(Tasks {
            state,
            tasks,
            splits,
            max_parts: cut.max_parts,
            parts_of_one: longest.div_ceil(cut.max_len).min(cut.max_parts),
        })
    }
}

fn check(
    what: &'static str,
    expected: usize,
    got: usize,
    fits: impl Fn(usize, usize) -> bool,
) -> Result<(), DeviceError> {
    if fits(expected, got) {
        Ok(())
    } else {
        Err(DeviceError::Length {
            what,
            expected,
            got,
        })
    }
}
