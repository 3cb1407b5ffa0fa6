use cuzk_curve::FrLimbs;
use cuzk_device::{Device, DeviceBuf, DeviceError, Kernel, Stream, Timing};
use cuzk_hostmem::CopyStep;
use cuzk_r1cs::{CsrMatrix, PackedWitness};

use crate::matrix::Codes;
use crate::params::{
    CountParams, ExpandParams, GROUP, JoinParams, MultiplyParams, RankParams, ScanParams,
    SmallParams,
};
use crate::plan::at_most;
use crate::{DeviceMatrix, DeviceWitness, SpmvError};

/// Sparse products on one device.
///
/// Matrices, witnesses and results may be on different streams of the device: a product comes
/// after what made its operands, and their memory goes back after the product.
#[derive(Debug)]
pub struct SpmvEngine {
    device: Device,
    multiply: Kernel<MultiplyParams>,
    multiply_wide: Kernel<MultiplyParams>,
    /// The most blocks of the two.
    most_blocks: [u32; 2],
    join: Kernel<JoinParams>,
    expand: Kernel<ExpandParams>,
    witness: WitnessKernels,
}

/// What makes a witness on the device.
#[derive(Debug)]
pub(crate) struct WitnessKernels {
    pub(crate) count: Kernel<CountParams>,
    pub(crate) scan: Kernel<ScanParams>,
    pub(crate) rank: Kernel<RankParams>,
    pub(crate) small: Kernel<SmallParams>,
}

/// Blocks of a product for each that the device holds at once. With more of them the work is more
/// even, with fewer a warp takes more items, whose entries are loaded ahead (A of a PoRep circuit
/// on an H200, 2026-11: 84, 78, 77, 78 and 92 us for 1, 2, 4, 8 and 100).
const WAVES: u32 = 4;

impl SpmvEngine {
    /// Loads the kernels.
    ///
    /// # Errors
    /// [`SpmvError::Device`] where they do not load.
    pub fn open(device: &Device) -> Result<Self, SpmvError> {
        let source = cuzk_kernels::module("spmv_fr").expect("the kernels are compiled in");
        let module = device.load(source)?;
        let most_blocks = |symbol| -> Result<u32, DeviceError> {
            let blocks = module.resident_blocks(symbol)?;
            let at_once = blocks.saturating_mul(device.info().multiprocessors);
            Ok(at_once.saturating_mul(WAVES).max(1))
        };
        let [narrow, wide] = ["cuzk_spmv_multiply_fr", "cuzk_spmv_multiply_wide_fr"];
        Ok(Self {
            multiply: module.kernel(narrow)?,
            multiply_wide: module.kernel(wide)?,
            most_blocks: [most_blocks(narrow)?, most_blocks(wide)?],
            join: module.kernel("cuzk_spmv_join_fr")?,
            expand: module.kernel("cuzk_spmv_expand_fr")?,
            witness: WitnessKernels {
                count: module.kernel("cuzk_spmv_count_fr")?,
                scan: module.kernel("cuzk_spmv_scan_fr")?,
                rank: module.kernel("cuzk_spmv_rank_fr")?,
                small: module.kernel("cuzk_spmv_small_fr")?,
            },
            device: device.clone(),
        })
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Orders a matrix for the device, and brings it there; once for each circuit shape. Waits for
    /// the copy.
    ///
    /// # Errors
    /// [`SpmvError::TooMany`] where rows or terms do not fit 32 bits, and [`SpmvError::Device`].
    pub fn prepare(&self, matrix: &CsrMatrix, stream: &Stream) -> Result<DeviceMatrix, SpmvError> {
        self.same_device("stream", stream)?;
        let prepared = DeviceMatrix::new(matrix, stream)?;
        tracing::debug!(
            rows = prepared.rows(),
            terms = prepared.terms(),
            places = prepared.places(),
            bytes = prepared.bytes(),
            "prepared a matrix"
        );
        Ok(prepared)
    }

    /// Brings a witness to the device, packed: beside the stream's work so far, and before its
    /// later work. Waits for the copy.
    ///
    /// # Errors
    /// [`SpmvError::TooMany`] where its variables do not fit 32 bits, and [`SpmvError::Device`].
    pub fn upload_witness(
        &self,
        witness: &PackedWitness,
        stream: &Stream,
    ) -> Result<DeviceWitness, SpmvError> {
        self.upload_witness_by_steps(witness, stream, &mut |_| ())
    }

    /// The same; `begins` is told of every step of the copies.
    ///
    /// # Errors
    /// As [`SpmvEngine::upload_witness`].
    pub fn upload_witness_by_steps(
        &self,
        witness: &PackedWitness,
        stream: &Stream,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<DeviceWitness, SpmvError> {
        self.same_device("stream", stream)?;
        DeviceWitness::new(witness, &self.witness, stream, begins)
    }

    /// `matrix · witness`, followed by zeros up to `out_len`; enqueued on the stream.
    ///
    /// # Shapes
    /// The witness has one value per column; the matrix has at most `out_len` rows. The result has
    /// `out_len` elements in Montgomery form and natural order.
    ///
    /// # Errors
    /// [`SpmvError::Length`] where columns and witness disagree, [`SpmvError::TooMany`] where the
    /// rows exceed the result or that exceeds 32 bits, [`SpmvError::OtherDevice`] and
    /// [`SpmvError::Device`].
    pub fn multiply(
        &self,
        matrix: &DeviceMatrix,
        witness: &DeviceWitness,
        out_len: usize,
        stream: &Stream,
    ) -> Result<DeviceBuf<FrLimbs>, SpmvError> {
        check_lengths(matrix, witness, out_len)?;
        self.same_device("stream", stream)?;
        let mut out = stream.alloc(out_len)?;
        self.multiply_into(matrix, witness, &mut out)?;
        Ok(out)
    }

    /// The same to memory that is there already; enqueued on the stream to which that belongs.
    ///
    /// # Errors
    /// As [`SpmvEngine::multiply`], for the length of `out`.
    pub fn multiply_into(
        &self,
        matrix: &DeviceMatrix,
        witness: &DeviceWitness,
        out: &mut DeviceBuf<FrLimbs>,
    ) -> Result<(), SpmvError> {
        check_lengths(matrix, witness, out.len())?;
        self.same_device("matrix", matrix.stream())?;
        self.same_device("witness", witness.stream())?;
        self.same_device("result", out.stream())?;
        if out.is_empty() {
            return Ok(());
        }
        let stream = out.stream().clone();
        let mut partials = stream.alloc::<FrLimbs>(matrix.partials())?;
        let partials = partials.as_mut_slice().address();
        let out_address = out.as_mut_slice().address();
        let params = matrix.params(witness.view(), out_address, out.len(), partials);
        let (kernel, most) = match matrix.codes() {
            Codes::Narrow(_) => (&self.multiply, self.most_blocks[0]),
            Codes::Wide(_) => (&self.multiply_wide, self.most_blocks[1]),
        };
        // Warps take items by turns.
        let blocks = blocks_for_warps(kernel, matrix.items(out.len()))?.min(most);
        after(&stream, witness.stream())?;
        // SAFETY: matrix and witness were made for this kernel, columns and variables are as many,
        // `out` has a place for each row and `partials` one for each piece that is not a row. The
        // witness is there by the line above, the matrix since it was made; that both stay until
        // the kernel has run is seen to below.
        unsafe { kernel.launch(&stream, blocks, &params) }?;
        let launched = self.join(matrix, &stream, partials, out_address);
        hold(matrix.stream(), &stream)
            .and(hold(witness.stream(), &stream))
            .and(launched)?;
        Ok(())
    }

    /// Adds up the rows that were cut into pieces.
    fn join(
        &self,
        matrix: &DeviceMatrix,
        stream: &Stream,
        partials: u64,
        out: u64,
    ) -> Result<(), DeviceError> {
        let n = matrix.joins().len();
        if n == 0 {
            return Ok(());
        }
        let params = JoinParams {
            partials,
            joins: matrix.joins().as_slice().address(),
            out,
            n: n as u64,
        };
        let blocks = blocks_for_warps(&self.join, n)?;
        // SAFETY: every join names partial sums that the product has written, and its own row.
        unsafe { self.join.launch(stream, blocks, &params) }
    }

    /// One scalar for each variable, in Montgomery form; enqueued on the stream.
    ///
    /// # Errors
    /// [`SpmvError::OtherDevice`] and [`SpmvError::Device`].
    pub fn expand(
        &self,
        witness: &DeviceWitness,
        stream: &Stream,
    ) -> Result<DeviceBuf<FrLimbs>, SpmvError> {
        self.same_device("witness", witness.stream())?;
        self.same_device("stream", stream)?;
        let mut out = stream.alloc::<FrLimbs>(witness.len())?;
        if witness.is_empty() {
            return Ok(out);
        }
        let params = ExpandParams {
            witness: witness.view(),
            out: out.as_mut_slice().address(),
            n: witness.len() as u64,
        };
        let blocks = self.expand.blocks_for(witness.len())?;
        after(stream, witness.stream())?;
        // SAFETY: `out` has a place for each variable; the witness is there by the line above and
        // stays by the one below.
        unsafe { self.expand.launch(stream, blocks, &params) }?;
        hold(witness.stream(), stream)?;
        Ok(out)
    }

    fn same_device(&self, what: &'static str, stream: &Stream) -> Result<(), SpmvError> {
        let got = stream.device();
        if self.device.is(got) {
            return Ok(());
        }
        Err(SpmvError::OtherDevice {
            what,
            expected: self.device.info().uuid.clone(),
            got: got.info().uuid.clone(),
        })
    }
}

fn check_lengths(
    matrix: &DeviceMatrix,
    witness: &DeviceWitness,
    out_len: usize,
) -> Result<(), SpmvError> {
    if witness.len() != matrix.columns() {
        return Err(SpmvError::Length {
            what: "variables of the witness for the columns",
            expected: matrix.columns(),
            got: witness.len(),
        });
    }
    at_most("rows for the result", out_len, matrix.rows())?;
    // The kernel's mark for no row is the last number of 32 bits.
    at_most("places of a result", u32::MAX as usize, out_len)
}

fn blocks_for_warps<P: cuzk_device::KernelParams>(
    kernel: &Kernel<P>,
    warps: usize,
) -> Result<u32, DeviceError> {
    kernel.blocks_for(warps.saturating_mul(GROUP))
}

/// Lets what is enqueued on `later` from here on come after what was on `earlier`.
fn after(later: &Stream, earlier: &Stream) -> Result<(), DeviceError> {
    if later.is(earlier) {
        return Ok(());
    }
    let reached = earlier.device().new_event(Timing::Disabled)?;
    earlier.record(&reached)?;
    later.wait_for(&reached)
}

/// Lets memory of `owner` go back only after what `user` has enqueued; where that cannot be
/// arranged, waits for it.
fn hold(owner: &Stream, user: &Stream) -> Result<(), DeviceError> {
    after(owner, user).or_else(|error| user.synchronize().and(Err(error)))
}
