mod parts;

use cuzk_device::{Device, DeviceBuf, DeviceError, DeviceSlice, Kernel, KernelParams, Stream};
use cuzk_r1cs::Bitmap;

/// Which variables a query holds, on the device.
#[derive(Debug)]
pub struct DeviceSelection {
    bitmap: Bitmap,
    selected: DeviceBuf<u32>,
    /// For each word, the selected variables in the words before.
    before: DeviceBuf<u32>,
    len: usize,
}

/// The selected variables of one witness: zeros dropped, ones listed, the rest listed with their
/// variables. A place is a variable's number among the selected ones.
#[derive(Debug)]
pub struct DeviceSplit {
    /// Places of the ones, ascending.
    ones: DeviceBuf<u32>,
    /// 0 and the number of ones, for sums of lists.
    bounds_of_ones: DeviceBuf<u32>,
    /// Places of the values that are neither zero nor one, ascending.
    rest: DeviceBuf<u32>,
    /// The variables at those places.
    rest_variables: DeviceBuf<u32>,
    selected: usize,
    variables: usize,
}

/// How many of the selected variables are one, and how many are neither zero nor one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitCounts {
    /// Ones.
    pub ones: usize,
    /// Neither zero nor one.
    pub rest: usize,
}

/// Splits witnesses by value, and gathers what belongs to the parts.
#[derive(Debug)]
pub struct WitnessSplitter {
    count: Kernel<SplitParams>,
    scan: Kernel<SplitScanParams>,
    write: Kernel<SplitParams>,
    gather: Kernel<GatherParams>,
}

/// `cuzk::msm::SplitParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct SplitParams {
    low: u64,
    high: u64,
    selected: u64,
    before: u64,
    block_ones: u64,
    block_rest: u64,
    ones: u64,
    rest: u64,
    rest_variables: u64,
    words: u64,
    max_ones: u64,
    max_rest: u64,
}

/// `cuzk::msm::SplitScanParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct SplitScanParams {
    counts: u64,
    blocks: u64,
}

/// `cuzk::msm::GatherParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct GatherParams {
    input: u64,
    indices: u64,
    out: u64,
    n: u64,
    pieces: u64,
}

// SAFETY: numbers of 64 bits, as in the structures of these names in `cuzk::msm`.
unsafe impl KernelParams for SplitParams {}
// SAFETY: as above.
unsafe impl KernelParams for SplitScanParams {}
// SAFETY: as above.
unsafe impl KernelParams for GatherParams {}

impl SplitCounts {
    /// Counts on the host, a word at a time, by the class bitmaps of a `PackedWitness`.
    #[must_use]
    pub fn of(low: &Bitmap, high: &Bitmap, selection: &Bitmap) -> Self {
        let classes = low.words().iter().zip(high.words());
        let words = selection.words().iter().zip(classes);
        let start = Self { ones: 0, rest: 0 };
        words.fold(start, |counts, (&selected, (&low, &high))| Self {
            ones: counts.ones + (selected & low & !high).count_ones() as usize,
            rest: counts.rest + (selected & high).count_ones() as usize,
        })
    }
}

impl DeviceSplit {
    /// How many variables are selected.
    #[must_use]
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Refuses points that are not one for each selected variable.
    fn check_points(&self, got: usize) -> Result<(), DeviceError> {
        same("points of the selected variables", self.selected, got)
    }

    /// How many of the selected variables are one.
    #[must_use]
    pub fn ones(&self) -> usize {
        self.ones.len()
    }

    /// How many of the selected variables are neither zero nor one.
    #[must_use]
    pub fn rest(&self) -> usize {
        self.rest.len()
    }
}

impl DeviceSelection {
    /// Brings a selection to the device.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for 2^32 variables and more, or where memory is short.
    pub fn upload(stream: &Stream, selection: &Bitmap) -> Result<Self, DeviceError> {
        if u32::try_from(selection.len()).is_err() {
            return Err(DeviceError::Length {
                what: "variables of a selection, at most",
                expected: u32::MAX as usize,
                got: selection.len(),
            });
        }
        let words: &[u32] = bytemuck::cast_slice(selection.words());
        let mut sum = 0;
        let before: Vec<u32> = words
            .iter()
            .map(|word| {
                let before = sum;
                sum += word.count_ones();
                before
            })
            .collect();
        Ok(Self {
            bitmap: selection.clone(),
            selected: stream.upload(words)?,
            before: stream.upload(&before)?,
            len: sum as usize,
        })
    }

    /// The selection on the host.
    #[must_use]
    pub fn bitmap(&self) -> &Bitmap {
        &self.bitmap
    }

    /// How many variables are selected.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The stream to which its memory belongs; work of others may still read it when it goes.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.selected.stream()
    }
}

impl WitnessSplitter {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        let module = device.load(cuzk_kernels::module("msm_split").expect("compiled in"))?;
        Ok(Self {
            count: module.kernel("cuzk_msm_split_count")?,
            scan: module.kernel("cuzk_msm_split_scan")?,
            write: module.kernel("cuzk_msm_split_write")?,
            gather: module.kernel("cuzk_msm_gather")?,
        })
    }

    /// Splits the selected variables.
    ///
    /// # Shapes
    /// `low` and `high` are the class bitmaps of a `PackedWitness`, with as many words as the
    /// selection has; `counts` are that witness's.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where they differ, or the counts are more than is selected;
    /// failures of memory and launches.
    pub fn split(
        &self,
        stream: &Stream,
        low: DeviceSlice<'_, u64>,
        high: DeviceSlice<'_, u64>,
        selection: &DeviceSelection,
        counts: SplitCounts,
    ) -> Result<DeviceSplit, DeviceError> {
        // The kernels read words of 32 bits; the host's have 64, lowest first.
        let words = selection.selected.len();
        same("words of the lower class bits", words / 2, low.len())?;
        same("words of the upper class bits", words / 2, high.len())?;
        let counted = counts.ones.saturating_add(counts.rest);
        if counted > selection.len {
            return Err(DeviceError::Length {
                what: "counted variables, at most",
                expected: selection.len,
                got: counted,
            });
        }
        let mut split = DeviceSplit {
            // Zeroed, so that counts of another witness leave no index that is none: where one
            // is counted, there is a first variable and a first point.
            ones: stream.alloc_zeroed(counts.ones)?,
            bounds_of_ones: stream.alloc_zeroed(2)?,
            rest: stream.alloc_zeroed(counts.rest)?,
            rest_variables: stream.alloc_zeroed(counts.rest)?,
            selected: selection.len,
            variables: selection.bitmap.len(),
        };
        // The count fits: a selection has fewer than 2^32 variables.
        let mut bounds = split.bounds_of_ones.as_mut_slice();
        bounds.part(1..2)?.fill(stream, counts.ones as u32)?;
        if counted == 0 {
            return Ok(split);
        }
        let blocks = self.count.blocks_for(words)?;
        let mut block_ones = stream.alloc::<u32>(blocks as usize)?;
        let mut block_rest = stream.alloc::<u32>(blocks as usize)?;
        let params = SplitParams {
            low: low.address(),
            high: high.address(),
            selected: selection.selected.as_slice().address(),
            before: selection.before.as_slice().address(),
            block_ones: block_ones.as_mut_slice().address(),
            block_rest: block_rest.as_mut_slice().address(),
            ones: split.ones.as_mut_slice().address(),
            rest: split.rest.as_mut_slice().address(),
            rest_variables: split.rest_variables.as_mut_slice().address(),
            words: words as u64,
            max_ones: counts.ones as u64,
            max_rest: counts.rest as u64,
        };
        let scan = |counts: u64| SplitScanParams {
            counts,
            blocks: blocks.into(),
        };
        // SAFETY: the bitmaps have `words` words, the counts one number a block, and the lists
        // take no more than they have place for.
        unsafe {
            self.count.launch(stream, blocks, &params)?;
            self.scan.launch(stream, 1, &scan(params.block_ones))?;
            self.scan.launch(stream, 1, &scan(params.block_rest))?;
            self.write.launch(stream, blocks, &params)?;
        }
        Ok(split)
    }
}

fn same(what: &'static str, expected: usize, got: usize) -> Result<(), DeviceError> {
    if expected == got {
        Ok(())
    } else {
        Err(DeviceError::Length {
            what,
            expected,
            got,
        })
    }
}

#[cfg(test)]
mod tests;
