use std::sync::{Arc, Mutex, PoisonError, Weak};

use cuzk_backend::{ShapeError, Transform};
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{Device, DeviceBuf, DeviceError, Kernel, Stream, Timing};

use crate::order::{Order, Scalars};
use crate::params::{MultiplyParams, PassParams, ReverseParams};
use crate::table::{Table, TableKernels};
use crate::{Decimation, NttDomain, NttError, Plan};

/// The kernels of the transform on one device.
///
/// A clone is the same engine. It may be used from any thread; work goes to the stream to which
/// the values belong.
#[derive(Debug, Clone)]
pub struct NttEngine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    device: Device,
    frequency: Kernel<PassParams>,
    time: Kernel<PassParams>,
    reverse: Kernel<ReverseParams>,
    multiply: Kernel<MultiplyParams>,
    tables: TableKernels,
    /// Tables that some domain holds, for domains that they serve as well.
    made: Mutex<Vec<Weak<Table>>>,
}

impl NttEngine {
    /// Loads the kernels.
    ///
    /// # Errors
    /// [`DeviceError`] where the driver refuses them.
    pub fn open(device: &Device) -> Result<Self, NttError> {
        let inner = Inner {
            device: device.clone(),
            frequency: device.kernel("cuzk_ntt_frequency_fr")?,
            time: device.kernel("cuzk_ntt_time_fr")?,
            reverse: device.kernel("cuzk_ntt_reverse_fr")?,
            multiply: device.kernel("cuzk_ntt_multiply_fr")?,
            tables: TableKernels::of(device)?,
            made: Mutex::default(),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The device on which the kernels are.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Device memory of the twiddles of one transform, in bytes.
    #[must_use]
    pub fn table_bytes(domain: &Domain) -> usize {
        domain.n() * size_of::<FrLimbs>()
    }

    /// Prepares a domain for some transforms: makes their twiddles, or shares those of a domain
    /// that has them, and waits for that.
    ///
    /// The memory is the stream's; every stream may use the domain.
    ///
    /// # Errors
    /// Where device memory lacks, or the first call that failed.
    pub fn prepare(
        &self,
        stream: &Stream,
        domain: &Domain,
        transforms: &[Transform],
    ) -> Result<NttDomain, NttError> {
        self.prepare_planned(stream, domain, Plan::new(domain.log_n())?, transforms)
    }

    /// The same by a plan of the caller's.
    ///
    /// # Errors
    /// [`ShapeError`] where the plan is one for another size; otherwise as
    /// [`NttEngine::prepare`].
    pub fn prepare_planned(
        &self,
        stream: &Stream,
        domain: &Domain,
        plan: Plan,
        transforms: &[Transform],
    ) -> Result<NttDomain, NttError> {
        let [expected, got] = [domain.log_n(), plan.log_n()].map(|log_n| log_n as usize);
        ShapeError::check("stages of the plan for the domain", expected, got)?;
        let mut tables = [const { None }; 4];
        for &transform in transforms {
            tables[transform as usize] = Some(self.table(stream, domain, transform)?);
        }
        Ok(NttDomain::new(self.clone(), *domain, plan, tables))
    }

    /// A table that serves, made where there is none.
    fn table(
        &self,
        stream: &Stream,
        domain: &Domain,
        transform: Transform,
    ) -> Result<Arc<Table>, NttError> {
        let made = || {
            self.inner
                .made
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let mut held = made().iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
        held.retain(|table| table.serves(transform, domain.log_n()));
        if let Some(table) = held.pop() {
            return Ok(table);
        }
        let table = Arc::new(self.inner.tables.make(stream, domain, transform)?);
        let mut made = made();
        made.retain(|table| table.strong_count() > 0);
        made.push(Arc::downgrade(&table));
        Ok(table)
    }

    /// Changes the order of values, in place.
    ///
    /// # Errors
    /// [`ShapeError`] where their number is no power of two; where the driver refuses it.
    pub fn reorder<O: Order>(&self, scalars: Scalars<O>) -> Result<Scalars<O::Opposite>, NttError> {
        let mut values = scalars.into_values();
        self.reverse(&mut values)?;
        Ok(Scalars::of(values))
    }

    pub(crate) fn reverse(&self, values: &mut DeviceBuf<FrLimbs>) -> Result<(), NttError> {
        self.check_device(values)?;
        let n = values.len();
        ShapeError::check(
            "values to reorder, by powers of two",
            n.next_power_of_two(),
            n,
        )?;
        let address = values.as_mut_slice().address();
        let params = ReverseParams {
            input: address,
            out: address,
            log_n: n.trailing_zeros().into(),
        };
        let kernel = &self.inner.reverse;
        // SAFETY: there are 2^log_n values, which belong to the stream, and as many threads as
        // values.
        unsafe { kernel.launch(values.stream(), kernel.blocks_for(n)?, &params) }?;
        Ok(())
    }

    /// `a[i] = (a[i]·b[i] − c[i])·factor` for every i.
    ///
    /// # Errors
    /// [`ShapeError`] where lengths differ; where the driver refuses it.
    pub fn multiply_subtract_scale(
        &self,
        a: &mut DeviceBuf<FrLimbs>,
        b: &DeviceBuf<FrLimbs>,
        c: &DeviceBuf<FrLimbs>,
        factor: Fr,
    ) -> Result<(), NttError> {
        ShapeError::check("values of c for those of a", a.len(), c.len())?;
        self.multiply(a, b, Some(c), factor)
    }

    /// `a[i] = a[i]·b[i]·factor` for every i.
    ///
    /// # Errors
    /// As [`NttEngine::multiply_subtract_scale`].
    pub fn multiply_scale(
        &self,
        a: &mut DeviceBuf<FrLimbs>,
        b: &DeviceBuf<FrLimbs>,
        factor: Fr,
    ) -> Result<(), NttError> {
        self.multiply(a, b, None, factor)
    }

    fn multiply(
        &self,
        a: &mut DeviceBuf<FrLimbs>,
        b: &DeviceBuf<FrLimbs>,
        c: Option<&DeviceBuf<FrLimbs>>,
        factor: Fr,
    ) -> Result<(), NttError> {
        ShapeError::check("values of b for those of a", a.len(), b.len())?;
        self.check_device(a)?;
        let others: Vec<&DeviceBuf<FrLimbs>> = [Some(b), c].into_iter().flatten().collect();
        for other in &others {
            self.check_device(other)?;
        }
        if a.is_empty() {
            return Ok(());
        }
        let params = MultiplyParams {
            a: a.as_mut_slice().address(),
            b: b.as_slice().address(),
            c: c.map_or(0, |c| c.as_slice().address()),
            n: a.len() as u64,
            factor: factor.into(),
        };
        let kernel = &self.inner.multiply;
        let blocks = kernel.blocks_for(a.len())?;
        reading(a.stream(), &others, || {
            // SAFETY: all have n elements, which is what the kernel reads and writes; those of
            // other streams are waited for.
            unsafe { kernel.launch(a.stream(), blocks, &params) }
        })?;
        Ok(())
    }

    pub(crate) fn pass_kernel(&self, decimation: Decimation) -> &Kernel<PassParams> {
        match decimation {
            Decimation::InFrequency => &self.inner.frequency,
            Decimation::InTime => &self.inner.time,
        }
    }

    pub(crate) fn check_device(&self, values: &DeviceBuf<FrLimbs>) -> Result<(), NttError> {
        let got = values.stream().device();
        if got.is(&self.inner.device) {
            return Ok(());
        }
        Err(NttError::OtherDevice {
            expected: self.inner.device.info().uuid.clone(),
            got: got.info().uuid.clone(),
        })
    }
}

/// Enqueues work on a stream that reads buffers of others: after what was enqueued there, and
/// before what will be.
fn reading(
    stream: &Stream,
    buffers: &[&DeviceBuf<FrLimbs>],
    work: impl FnOnce() -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let others = || {
        let streams = buffers.iter().map(|buffer| buffer.stream());
        streams.filter(|other| !other.is(stream))
    };
    let follow = |later: &Stream, earlier: &Stream| {
        let reached = stream.device().new_event(Timing::Disabled)?;
        earlier.record(&reached)?;
        later.wait_for(&reached)
    };
    others().try_for_each(|other| follow(stream, other))?;
    work()?;
    others()
        .try_for_each(|other| follow(other, stream))
        .inspect_err(|_| {
            // The other streams do not know of the work: it must be over before they go on. What it
            // met is told by a later call.
            let _ = stream.synchronize();
        })
}
