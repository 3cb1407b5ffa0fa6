use cuzk_curve::FrLimbs;
use cuzk_device::{DeviceBuf, DeviceError, DeviceSlice, Stream};
use cuzk_hostmem::CopyStep;
use cuzk_r1cs::PackedWitness;

use crate::SpmvError;
use crate::engine::WitnessKernels;
use crate::params::{
    CHUNK, ClassWord, CountParams, RankParams, RankWord, ScanParams, SmallParams, WitnessView,
};
use crate::plan::at_most;

/// A witness on a device, packed: classes as bits, and the values that are neither 0 nor 1.
///
/// Its memory goes back when it is dropped, after the products that were enqueued before. Work of
/// the caller's own that reads it belongs on the stream on which it was uploaded.
#[derive(Debug)]
pub struct DeviceWitness {
    len: usize,
    num_inputs: usize,
    num_full: usize,
    low: DeviceBuf<u64>,
    high: DeviceBuf<u64>,
    classes: DeviceBuf<ClassWord>,
    ranks: DeviceBuf<RankWord>,
    values: DeviceBuf<FrLimbs>,
}

impl DeviceWitness {
    /// Uploads the packed form beside the stream's work, and makes classes and ranks in its order.
    pub(crate) fn new(
        witness: &PackedWitness,
        kernels: &WitnessKernels,
        stream: &Stream,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<Self, SpmvError> {
        // Variables and places of values are numbers of 32 bits.
        at_most("variables of a witness", u32::MAX as usize, witness.len())?;
        let words = 2 * witness.low().words().len();
        let uploads = stream.uploads()?;
        let mut made = Self {
            len: witness.len(),
            num_inputs: witness.num_inputs(),
            num_full: witness.full().len(),
            low: uploads.alloc(witness.low().words().len())?,
            high: uploads.alloc(witness.high().words().len())?,
            classes: stream.alloc(words)?,
            ranks: stream.alloc(words)?,
            values: uploads.alloc(witness.full().len() + witness.small().len())?,
        };
        let mut small = uploads.alloc(witness.small().len())?;
        made.copy(witness, &mut small, uploads, begins)?;
        made.low.move_to(stream)?;
        made.high.move_to(stream)?;
        made.values.move_to(stream)?;
        small.move_to(stream)?;
        made.rank(kernels, stream)?;
        made.convert_small(&small, kernels, stream)?;
        Ok(made)
    }

    /// Waits for all copies.
    fn copy(
        &mut self,
        witness: &PackedWitness,
        small: &mut DeviceBuf<u64>,
        uploads: &Stream,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<(), DeviceError> {
        let full = FrLimbs::view(witness.full());
        let mut values = self.values.as_mut_slice();
        let mut full_values = values.part(0..full.len())?;
        full_values.copy_from_host_by_steps(uploads, full, begins)?;
        let words = [
            (&mut self.low, witness.low().words()),
            (&mut self.high, witness.high().words()),
            (small, witness.small()),
        ];
        for (to, from) in words {
            let mut to = to.as_mut_slice();
            to.copy_from_host_by_steps(uploads, from, begins)?;
        }
        Ok(())
    }

    /// Interleaves the bitmaps, and counts what stands before each word; chunks of words are
    /// scanned by doubling reaches, `[HS86]`.
    fn rank(&mut self, kernels: &WitnessKernels, stream: &Stream) -> Result<(), DeviceError> {
        let words = self.classes.len();
        if words == 0 {
            return Ok(());
        }
        let chunks = words.div_ceil(CHUNK);
        let mut before = stream.alloc::<RankWord>(chunks)?;
        let (low, high) = (
            self.low.as_slice().address(),
            self.high.as_slice().address(),
        );
        let before = before.as_mut_slice().address();
        let count = CountParams {
            low,
            high,
            before,
            words: words as u64,
            chunks: chunks as u64,
        };
        let scan = ScanParams {
            before,
            chunks: chunks as u64,
            first_small: self.num_full as u64,
        };
        let rank = RankParams {
            low,
            high,
            before,
            classes: self.classes.as_mut_slice().address(),
            ranks: self.ranks.as_mut_slice().address(),
            words: words as u64,
        };
        // SAFETY: the bitmaps have `words` words of 32 bits, as do classes and ranks; `before` has
        // one place a chunk, and is freed after the kernels, in the stream's order.
        unsafe {
            let blocks = kernels.count.blocks_for(chunks)?;
            kernels.count.launch(stream, blocks, &count)?;
            kernels.scan.launch(stream, 1, &scan)?;
            let blocks = kernels.rank.blocks_for(words)?;
            kernels.rank.launch(stream, blocks, &rank)
        }
    }

    /// Brings the small values to Montgomery form, behind the full ones.
    fn convert_small(
        &mut self,
        small: &DeviceBuf<u64>,
        kernels: &WitnessKernels,
        stream: &Stream,
    ) -> Result<(), DeviceError> {
        if small.is_empty() {
            return Ok(());
        }
        let end = self.values.len();
        let mut values = self.values.as_mut_slice();
        let params = SmallParams {
            small: small.as_slice().address(),
            values: values.part(self.num_full..end)?.address(),
            n: small.len() as u64,
        };
        let blocks = kernels.small.blocks_for(small.len())?;
        // SAFETY: as many values stand behind the full ones as there are small ones.
        unsafe { kernels.small.launch(stream, blocks, &params) }
    }

    /// All variables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no variable at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Inputs, the constant one among them.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        self.num_inputs
    }

    /// Variables of class full.
    #[must_use]
    pub fn num_full(&self) -> usize {
        self.num_full
    }

    /// Variables of class small.
    #[must_use]
    pub fn num_small(&self) -> usize {
        self.values.len() - self.num_full
    }

    /// The lower bit of every variable's class, lowest bit first.
    #[must_use]
    pub fn low(&self) -> DeviceSlice<'_, u64> {
        self.low.as_slice()
    }

    /// The upper bit of every variable's class.
    #[must_use]
    pub fn high(&self) -> DeviceSlice<'_, u64> {
        self.high.as_slice()
    }

    /// Both bits, for 32 variables at a time.
    #[must_use]
    pub fn classes(&self) -> DeviceSlice<'_, ClassWord> {
        self.classes.as_slice()
    }

    /// For 32 variables at a time, where their values begin in [`DeviceWitness::values`].
    #[must_use]
    pub fn ranks(&self) -> DeviceSlice<'_, RankWord> {
        self.ranks.as_slice()
    }

    /// The values that are neither 0 nor 1, in Montgomery form: those of class full in order of
    /// their variables, then those of class small.
    #[must_use]
    pub fn values(&self) -> DeviceSlice<'_, FrLimbs> {
        self.values.as_slice()
    }

    /// Bytes on the device.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * (self.low.len() + self.high.len())
            + size_of::<ClassWord>() * self.classes.len()
            + size_of::<RankWord>() * self.ranks.len()
            + size_of::<FrLimbs>() * self.values.len()
    }

    /// The stream to which its memory belongs.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.low.stream()
    }

    pub(crate) fn view(&self) -> WitnessView {
        WitnessView {
            classes: self.classes.as_slice().address(),
            ranks: self.ranks.as_slice().address(),
            values: self.values.as_slice().address(),
        }
    }
}
