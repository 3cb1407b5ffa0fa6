use std::marker::PhantomData;

use bytemuck::Pod;
use cuzk_curve::FpLimbs;
use cuzk_device::{Device, DeviceBuf, DeviceError, Kernel, KernelParams, Stream};

use crate::group::DeviceGroup;

/// From the sums of the buckets of a window to the window's point.
#[derive(Debug)]
pub(crate) struct Reducer<G> {
    segments: Kernel<SegmentParams>,
    segments_affine: Kernel<SegmentParams>,
    halve: Kernel<HalveParams>,
    finish: Kernel<FinishParams>,
    multiprocessors: usize,
    _group: PhantomData<G>,
}

/// `cuzk::msm::SegmentParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct SegmentParams {
    sums: u64,
    lists: u64,
    segments: u64,
    log_m: u64,
}

/// `cuzk::msm::HalveParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct HalveParams {
    input: u64,
    out: u64,
    pairs: u64,
    in_lists: u64,
}

/// `cuzk::msm::FinishParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct FinishParams {
    lists: u64,
    out: u64,
    windows: u64,
    lists_len: u64,
    log_m: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::msm`.
unsafe impl KernelParams for SegmentParams {}
// SAFETY: as above.
unsafe impl KernelParams for HalveParams {}
// SAFETY: as above.
unsafe impl KernelParams for FinishParams {}

/// Threads that a multiprocessor should have in the first step.
pub(crate) const SEGMENTS_PER_MULTIPROCESSOR: usize = 192;
/// Buckets of a segment, at most, as a power of two: with more the blocks of the first step are
/// too few to be dealt out evenly.
pub(crate) const MAX_LOG_M: u32 = 4;
/// `cuzk::msm::FINISH_LISTS`.
const MAX_LISTS: u32 = 32;

impl<G: DeviceGroup> Reducer<G> {
    /// `cuzk::curve::GROUP`, the lanes of an addition: one for each number of the prime field in
    /// a sum's coordinates.
    const GROUP: usize = size_of::<G::Xyzz>() / size_of::<FpLimbs>();

    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        let load = |step: &str| {
            let name = format!("msm_{step}_{}", G::SUFFIX);
            device.load(cuzk_kernels::module(&name).expect("compiled in"))
        };
        let (segments, reduce) = (load("segments")?, load("reduce")?);
        let symbol = |verb: &str| format!("cuzk_msm_{verb}_{}", G::SUFFIX);
        Ok(Self {
            segments: segments.kernel(&symbol("sum_segments"))?,
            segments_affine: segments.kernel(&symbol("sum_segments_affine"))?,
            halve: reduce.kernel(&symbol("halve"))?,
            finish: reduce.kernel(&symbol("finish"))?,
            multiprocessors: device.info().multiprocessors as usize,
            _group: PhantomData,
        })
    }

    /// `sum of (j + 1) sums[w * buckets + j]` over the buckets j of every window w.
    ///
    /// # Shapes
    /// `buckets` is a power of two, and `sums` has `windows * buckets` points, window after
    /// window; the result has a point a window.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where they do not; failures of memory and launches.
    pub(crate) fn reduce(
        &self,
        stream: &Stream,
        sums: &DeviceBuf<G::Xyzz>,
        windows: usize,
        buckets: usize,
    ) -> Result<DeviceBuf<G::Xyzz>, DeviceError> {
        self.reduce_by(&self.segments, stream, sums, windows, buckets)
    }

    /// The same of affine sums, of which the identity is all zeros.
    ///
    /// # Errors
    /// As [`Reducer::reduce`].
    pub(crate) fn reduce_affine(
        &self,
        stream: &Stream,
        sums: &DeviceBuf<G::Limbs>,
        windows: usize,
        buckets: usize,
    ) -> Result<DeviceBuf<G::Xyzz>, DeviceError> {
        self.reduce_by(&self.segments_affine, stream, sums, windows, buckets)
    }

    fn reduce_by<T: Pod>(
        &self,
        first: &Kernel<SegmentParams>,
        stream: &Stream,
        sums: &DeviceBuf<T>,
        windows: usize,
        buckets: usize,
    ) -> Result<DeviceBuf<G::Xyzz>, DeviceError> {
        check_shape(sums.len(), windows, buckets)?;
        let mut out = stream.alloc::<G::Xyzz>(windows)?;
        if windows == 0 {
            return Ok(out);
        }
        let log_m = log_segment(windows, buckets, self.multiprocessors);
        let segments = (windows * buckets) >> log_m;
        let halvings = buckets.trailing_zeros() - log_m;
        // The lists before and after a halving: 2 of them, then 3 of half the length, and so on.
        let mut lists = stream.alloc::<G::Xyzz>(2 * segments)?;
        let mut halved = stream.alloc::<G::Xyzz>(3 * segments.div_ceil(2))?;
        let params = SegmentParams {
            sums: sums.as_slice().address(),
            lists: lists.as_mut_slice().address(),
            segments: segments as u64,
            log_m: log_m.into(),
        };
        let blocks = first.blocks_for(segments)?;
        // SAFETY: there are `segments << log_m` sums, and two lists of `segments`.
        unsafe { first.launch(stream, blocks, &params) }?;

        for halving in 0..halvings {
            let in_lists = 2 + halving as usize;
            let pairs = segments >> (halving + 1);
            let params = HalveParams {
                input: lists.as_slice().address(),
                out: halved.as_mut_slice().address(),
                pairs: pairs as u64,
                in_lists: in_lists as u64,
            };
            let blocks = self.halve.blocks_for(in_lists * pairs * Self::GROUP)?;
            // SAFETY: the lists have two points for every pair, and the others a place for one
            // more list of half the length.
            unsafe { self.halve.launch(stream, blocks, &params) }?;
            std::mem::swap(&mut lists, &mut halved);
        }

        let params = FinishParams {
            lists: lists.as_slice().address(),
            out: out.as_mut_slice().address(),
            windows: windows as u64,
            lists_len: u64::from(halvings) + 1,
            log_m: log_m.into(),
        };
        let blocks = u32::try_from(windows).unwrap_or(u32::MAX);
        // SAFETY: the lists have a point a window, and so has the result.
        unsafe { self.finish.launch(stream, blocks, &params) }?;
        Ok(out)
    }
}

fn check_shape(sums: usize, windows: usize, buckets: usize) -> Result<(), DeviceError> {
    if !buckets.is_power_of_two() || buckets.trailing_zeros() >= MAX_LISTS {
        return Err(DeviceError::Length {
            what: "buckets of a window, a power of two",
            expected: buckets.checked_next_power_of_two().unwrap_or(1),
            got: buckets,
        });
    }
    match windows.checked_mul(buckets) {
        Some(expected) if expected == sums => Ok(()),
        expected => Err(DeviceError::Length {
            what: "sums of buckets",
            expected: expected.unwrap_or(usize::MAX),
            got: sums,
        }),
    }
}

/// The longest segments that still give every multiprocessor its threads.
pub(crate) fn log_segment(windows: usize, buckets: usize, multiprocessors: usize) -> u32 {
    let wanted = SEGMENTS_PER_MULTIPROCESSOR * multiprocessors;
    let most = MAX_LOG_M.min(buckets.trailing_zeros());
    (0..=most)
        .rev()
        .find(|log_m| (windows * buckets) >> log_m >= wanted)
        .unwrap_or(0)
}
