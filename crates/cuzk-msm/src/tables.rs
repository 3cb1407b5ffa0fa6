use std::marker::PhantomData;

use cuzk_device::{Device, DeviceBuf, DeviceError, DeviceSlice, Kernel, KernelParams, Stream};
use group::Group as _;
use group::prime::PrimeCurveAffine as _;

use crate::MsmError;
use crate::group::DeviceGroup;

/// Multiplies bases for tables with which windows share buckets.
#[derive(Debug)]
pub(crate) struct TableBuilder<G> {
    multiples: Kernel<MultiplesParams>,
    _group: PhantomData<G>,
}

/// The multiples of bases that stand behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableShape {
    /// Multiples of each base, itself included; at least 1.
    pub(crate) factor: usize,
    /// A multiple is 2^doublings times the one before.
    pub(crate) doublings: u32,
}

/// `cuzk::msm::MultiplesParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct MultiplesParams {
    input: u64,
    out: u64,
    n: u64,
    doublings: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::msm`.
unsafe impl KernelParams for MultiplesParams {}

/// `cuzk::msm::MULTIPLES_BATCH`.
const BATCH: usize = 4;

impl<G: DeviceGroup> TableBuilder<G> {
    /// Loads the kernel.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        let name = format!("msm_tables_{}", G::SUFFIX);
        let module = device.load(cuzk_kernels::module(&name).expect("compiled in"))?;
        Ok(Self {
            multiples: module.kernel(&format!("cuzk_msm_multiples_{}", G::SUFFIX))?,
            _group: PhantomData,
        })
    }

    /// `2^(k doublings) bases[i]` at k n + i, for n bases and k below the factor.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for a factor of 0, failures of memory and launches.
    pub(crate) fn extend(
        &self,
        stream: &Stream,
        bases: DeviceSlice<'_, G::Limbs>,
        shape: TableShape,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        let n = bases.len();
        let points = n.checked_mul(shape.factor).filter(|_| shape.factor > 0);
        let points = points.ok_or(DeviceError::Length {
            what: "multiples of a base, at least",
            expected: 1,
            got: shape.factor,
        })?;
        let mut tables = stream.alloc::<G::Limbs>(points)?;
        let mut whole = tables.as_mut_slice();
        whole.part(0..n)?.copy_from_device(stream, bases)?;
        if n == 0 {
            return Ok(tables);
        }
        let blocks = self.multiples.blocks_for(n.div_ceil(BATCH))?;
        for k in 1..shape.factor {
            let params = MultiplesParams {
                input: whole.part((k - 1) * n..k * n)?.address(),
                out: whole.part(k * n..(k + 1) * n)?.address(),
                n: n as u64,
                doublings: shape.doublings.into(),
            };
            // SAFETY: the kernel reads one table and writes the next, which are both there.
            unsafe { self.multiples.launch(stream, blocks, &params) }?;
        }
        Ok(tables)
    }

    /// Compares some multiples with what the host makes of the bases: of every table those of
    /// `samples` bases, the first and the last among them. Waits for the device.
    ///
    /// # Errors
    /// [`MsmError::WrongMultiple`] at the first that differs; failures of copies.
    pub(crate) fn check(
        &self,
        stream: &Stream,
        tables: DeviceSlice<'_, G::Limbs>,
        shape: TableShape,
        samples: usize,
    ) -> Result<(), MsmError> {
        let n = tables.len() / shape.factor.max(1);
        if n == 0 {
            return Ok(());
        }
        let last = samples.clamp(2, n.max(2)) - 1;
        for sample in 0..=last {
            let base = sample * (n - 1) / last;
            let mut expected = None;
            for table in 0..shape.factor {
                let mut got = [bytemuck::Zeroable::zeroed()];
                let at = table * n + base;
                tables.part(at..at + 1)?.copy_to_host(stream, &mut got)?;
                let point = G::from_limbs_unchecked(&got)[0];
                if expected.is_some_and(|expected| expected != point.to_curve()) {
                    return Err(MsmError::WrongMultiple { base, table });
                }
                let next = (0..shape.doublings).fold(point.to_curve(), |p, _| p.double());
                expected = Some(next);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests;
