use bytemuck::Pod;
use cuzk_curve::{Fr, FrLimbs};
use cuzk_device::{
    Device, DeviceBuf, DeviceError, DeviceSliceMut, Event, Kernel, KernelParams, Stream, Timing,
};
use group::prime::PrimeCurveAffine as _;
use group::{Curve as _, Group as _};

use crate::MsmError;
use crate::digits::{DigitLayout, WindowLayout};
use crate::group::DeviceGroup;

mod plan;

pub use plan::BasePlan;

/// The multiples of one point that make its products with many scalars cheap, on a device.
///
/// ```text
/// a scalar is Σ digits[w]·2^place(w), so its product is Σ ±rows[w][|digits[w]|]
/// ```
///
/// The kernels are of a file of their own, which is loaded when a table is made.
///
/// # Source
/// `[BGMW92]`, with the signed digits of [`WindowLayout`].
#[derive(Debug)]
pub struct BaseTable<G: DeviceGroup> {
    multiply: Kernel<MultiplyParams>,
    base: G::Affine,
    /// Row after row; entry d − 1 of row w is `d·2^place(w)` times the base.
    entries: DeviceBuf<G::Limbs>,
    plan: BasePlan,
}

/// `cuzk::msm::FixedExtendParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct ExtendParams {
    table: u64,
    window_bits: u64,
    wide_windows: u64,
    rows: u64,
    log_m: u64,
}

/// `cuzk::msm::FixedMultiplyParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct MultiplyParams {
    table: u64,
    scalars: u64,
    out: u64,
    n: u64,
    layout: DigitLayout,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::msm`.
unsafe impl KernelParams for ExtendParams {}
// SAFETY: as above; the layout is as in `cuzk::msm::DigitLayout`.
unsafe impl KernelParams for MultiplyParams {}

/// `cuzk::msm::FIXED_BATCH`.
const BATCH: usize = 8;

/// The files of the kernels, which no proof needs.
#[must_use]
pub fn is_of_base_tables(module: &cuzk_kernels::Module) -> bool {
    module.name.starts_with("msm_fixed_")
}

impl<G: DeviceGroup> BaseTable<G> {
    /// The table of a point of the subgroup of prime order. Work is enqueued on the stream, here
    /// and in [`BaseTable::multiply`]; copies go beside it.
    ///
    /// # Errors
    /// Those of [`Device::load`]; where memory lacks, or the first call that failed.
    #[tracing::instrument(level = "debug", skip_all, fields(group = G::NAME, %plan))]
    pub fn new(stream: &Stream, base: &G::Affine, plan: BasePlan) -> Result<Self, MsmError> {
        let name = format!("msm_fixed_{}", G::SUFFIX);
        let source = cuzk_kernels::module(&name).expect("compiled in");
        let module = stream.device().load(source)?;
        let extend = module.kernel(&format!("cuzk_msm_fixed_extend_{}", G::SUFFIX))?;
        let multiply = module.kernel(&format!("cuzk_msm_fixed_multiply_{}", G::SUFFIX))?;
        let mut entries = stream.alloc(plan.entries())?;
        let layout = plan.layout();
        let firsts = first_multiples::<G>(base, layout);
        let copied = copy_firsts::<G>(stream, &mut entries.as_mut_slice(), layout, &firsts);
        // The copies read what is dropped here.
        stream.synchronize()?;
        copied?;
        let made = enqueue_multiples(stream, &extend, entries.as_mut_slice().address(), layout);
        // Nothing runs on after this by kernels that somebody may unload.
        stream.synchronize()?;
        made?;
        Ok(Self {
            multiply,
            base: *base,
            entries,
            plan,
        })
    }

    /// The stream of the table and of the work with it.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.entries.stream()
    }

    /// How the table was made.
    #[must_use]
    pub fn plan(&self) -> &BasePlan {
        &self.plan
    }

    /// `points[i] = scalars[i]` times the point, in chunks; `done` is told how many after each.
    ///
    /// Several threads may call this at once: copies of one go beside the work of others. The
    /// first and the last point of each chunk are compared with what the host makes of them.
    /// Scalars are overwritten on the device when they are no longer needed.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where there are not as many points as scalars,
    /// [`MsmError::WrongProduct`], or the first call that failed.
    pub fn multiply(
        &self,
        scalars: &[Fr],
        points: &mut [G::Limbs],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), MsmError> {
        if points.len() != scalars.len() {
            return Err(DeviceError::Length {
                what: "points for the products",
                expected: scalars.len(),
                got: points.len(),
            }
            .into());
        }
        if scalars.is_empty() {
            return Ok(());
        }
        let len = scalars.len().min(self.plan.chunk());
        let mut chunk = Chunk::<G>::new(self.stream().device(), len)?;
        let chunks = scalars.chunks(len).zip(points.chunks_mut(len));
        let result = chunks.enumerate().try_for_each(|(i, (scalars, points))| {
            self.multiply_chunk(&mut chunk, scalars, points)?;
            self.check(i * len, scalars, points)?;
            done(points.len());
            Ok(())
        });
        let left = chunk.leave(self.stream());
        result.and(left.map_err(MsmError::from))
    }

    fn multiply_chunk(
        &self,
        chunk: &mut Chunk<G>,
        scalars: &[Fr],
        points: &mut [G::Limbs],
    ) -> Result<(), DeviceError> {
        let (work, copies) = (self.stream(), &chunk.copies);
        let n = scalars.len();
        let mut there = chunk.scalars.as_mut_slice();
        let mut there = there.part(0..n)?;
        let out = chunk.points.as_mut_slice().address();
        // SAFETY: the caller waits for the copies before it gives the scalars back.
        unsafe { there.copy_from_host_async(copies, FrLimbs::view(scalars)) }?;
        follow(copies, work)?;
        // SAFETY: n scalars and room for n points are there, in the order of the streams, and
        // their owner waits for both streams before it frees any.
        unsafe { self.launch(there.address(), out, n) }?;
        let reached = follow(work, copies)?;
        // Beside the kernel, and not page by page in the copy: the driver lets no other caller copy
        // meanwhile, nor while it waits for the kernel.
        touch(points);
        reached.synchronize()?;
        let made = chunk.points.as_slice().part(0..n)?;
        made.copy_to_host(copies, points)
    }

    /// The same with scalars that are on the device, for points that stay there.
    ///
    /// # Errors
    /// [`MsmError::OtherStream`] where the scalars belong to another stream than the table; where
    /// memory lacks, or the first call that failed.
    pub fn multiply_there(
        &self,
        scalars: &DeviceBuf<FrLimbs>,
    ) -> Result<DeviceBuf<G::Limbs>, MsmError> {
        if !scalars.stream().is(self.stream()) {
            return Err(MsmError::OtherStream { index: 0 });
        }
        let n = scalars.len();
        let mut points = self.stream().alloc(n)?;
        if n > 0 {
            let out = points.as_mut_slice().address();
            // SAFETY: as many points as scalars are there, all of the stream.
            unsafe { self.launch(scalars.as_slice().address(), out, n) }?;
        }
        Ok(points)
    }

    /// Enqueues the products of some scalars.
    ///
    /// # Safety
    /// There are n scalars and room for n points, which are there until the stream has done it.
    unsafe fn launch(&self, scalars: u64, out: u64, n: usize) -> Result<(), DeviceError> {
        let layout = self.plan.layout();
        let params = MultiplyParams {
            table: self.entries.as_slice().address(),
            scalars,
            out,
            n: n as u64,
            layout: layout.params(0..layout.windows()),
        };
        let blocks = self.multiply.blocks_for(n.div_ceil(BATCH))?;
        // SAFETY: the caller's, and the table is of the stream.
        unsafe { self.multiply.launch(self.stream(), blocks, &params) }
    }

    fn check(&self, at: usize, scalars: &[Fr], points: &[G::Limbs]) -> Result<(), MsmError> {
        for index in [0, scalars.len() - 1] {
            let expected = (self.base.to_curve() * scalars[index]).to_affine();
            if G::as_limbs(&[expected])[0] != points[index] {
                return Err(MsmError::WrongProduct { index: at + index });
            }
        }
        Ok(())
    }
}

/// Where a chunk's scalars and points lie, on a stream of their copies.
struct Chunk<G: DeviceGroup> {
    copies: Stream,
    scalars: DeviceBuf<FrLimbs>,
    points: DeviceBuf<G::Limbs>,
}

impl<G: DeviceGroup> Chunk<G> {
    fn new(device: &Device, len: usize) -> Result<Self, DeviceError> {
        let copies = device.new_stream()?;
        Ok(Self {
            scalars: copies.alloc(len)?,
            points: copies.alloc(len)?,
            copies,
        })
    }

    /// Overwrites the scalars, once the work with them is over, whatever became of it; waits for
    /// that.
    fn leave(mut self, work: &Stream) -> Result<(), DeviceError> {
        let worked = work.synchronize();
        let wiped = self.scalars.as_mut_slice().zero(&self.copies);
        let copied = self.copies.synchronize();
        worked.and(wiped).and(copied)
    }
}

/// Lets later work of a stream wait for that of another so far.
fn follow(first: &Stream, then: &Stream) -> Result<Event, DeviceError> {
    let reached = first.device().new_event(Timing::Disabled)?;
    first.record(&reached)?;
    then.wait_for(&reached)?;
    Ok(reached)
}

/// Has the system provide the pages of memory that may never have been written.
fn touch<T: Pod>(memory: &mut [T]) {
    const PAGE_BYTES: usize = 4096;
    let page = (PAGE_BYTES / size_of::<T>()).max(1);
    for first in memory.iter_mut().step_by(page) {
        *first = T::zeroed();
    }
}

/// The first multiple of every row: the point times the places of the windows.
fn first_multiples<G: DeviceGroup>(base: &G::Affine, layout: &WindowLayout) -> Vec<G::Limbs> {
    let mut power = base.to_curve();
    let mut place = 0;
    let firsts = (0..layout.windows()).map(|window| {
        while place < layout.place(window) {
            power = power.double();
            place += 1;
        }
        power
    });
    let firsts: Vec<G::Projective> = firsts.collect();
    let mut affine = vec![G::Affine::identity(); firsts.len()];
    G::Projective::batch_normalize(&firsts, &mut affine);
    G::as_limbs(&affine).to_vec()
}

/// Enqueues the copies of the first multiples; the caller waits for them.
fn copy_firsts<G: DeviceGroup>(
    stream: &Stream,
    entries: &mut DeviceSliceMut<'_, G::Limbs>,
    layout: &WindowLayout,
    firsts: &[G::Limbs],
) -> Result<(), DeviceError> {
    let mut start = 0;
    for (window, first) in (0..layout.windows()).zip(firsts) {
        let mut place = entries.part(start..start + 1)?;
        // SAFETY: the caller keeps the points until the stream has copied them.
        unsafe { place.copy_from_host_async(stream, std::slice::from_ref(first)) }?;
        start += 1 << (layout.width(window) - 1);
    }
    Ok(())
}

/// All multiples from the first of every row: after each round there are twice as many.
fn enqueue_multiples(
    stream: &Stream,
    extend: &Kernel<ExtendParams>,
    table: u64,
    layout: &WindowLayout,
) -> Result<(), DeviceError> {
    for log_m in 0..layout.window_bits() - 1 {
        let is_in = |window: &u32| layout.width(*window) > log_m + 1;
        let rows = (0..layout.windows()).filter(is_in).count();
        let params = ExtendParams {
            table,
            window_bits: layout.window_bits().into(),
            wide_windows: layout.wide_windows().into(),
            rows: rows as u64,
            log_m: log_m.into(),
        };
        let blocks = extend.blocks_for((rows << log_m).div_ceil(BATCH))?;
        // SAFETY: the rows have as many entries as the layout says, those of them that are read
        // are written by launches before, and the table belongs to the stream.
        unsafe { extend.launch(stream, blocks, &params) }?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
