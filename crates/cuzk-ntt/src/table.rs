//! Tables of twiddles in device memory.

use cuzk_backend::Transform;
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{Device, DeviceBuf, DeviceError, Kernel, Stream};
use ff::Field as _;

use crate::params::{TwiddleLevelParams, TwiddleTopParams};

/// Twiddles of one transform; where they stand is told with `cuzk::ntt::PassParams`.
#[derive(Debug)]
pub(crate) struct Table {
    transform: Transform,
    log_n: u32,
    twiddles: DeviceBuf<FrLimbs>,
}

/// The kernels that make tables.
#[derive(Debug)]
pub(crate) struct TableKernels {
    top: Kernel<TwiddleTopParams>,
    level: Kernel<TwiddleLevelParams>,
}

impl TableKernels {
    pub(crate) fn of(device: &Device) -> Result<Self, DeviceError> {
        Ok(Self {
            top: device.kernel("cuzk_ntt_twiddle_top_fr")?,
            level: device.kernel("cuzk_ntt_twiddle_level_fr")?,
        })
    }

    /// Makes a table and waits for it, so that every stream may read it.
    ///
    /// The last level is `shift * root^j`, as products of two short lists of powers; each level
    /// before it is the squares of every second element of the next.
    pub(crate) fn make(
        &self,
        stream: &Stream,
        domain: &Domain,
        transform: Transform,
    ) -> Result<Table, DeviceError> {
        let (root, shift) = root_and_shift(domain, transform);
        let log_n = domain.log_n();
        let table = Table {
            transform,
            log_n,
            twiddles: stream.alloc(domain.n())?,
        };
        let Some(log_m) = log_n.checked_sub(1) else {
            return Ok(table);
        };
        let log_low = log_m / 2;
        let low = stream.upload(&powers(shift, root, 1 << log_low))?;
        let step = root.pow_vartime([1 << log_low]);
        let high = stream.upload(&powers(Fr::ONE, step, 1 << (log_m - log_low)))?;
        let params = TwiddleTopParams {
            high: high.as_slice().address(),
            low: low.as_slice().address(),
            table: table.address(),
            m: 1 << log_m,
            log_low: log_low.into(),
        };
        let blocks = self.top.blocks_for(1 << log_m)?;
        // SAFETY: the table has 2 m elements, the lists are as long as the exponents say, and
        // all of them belong to the stream.
        unsafe { self.top.launch(stream, blocks, &params) }?;
        for log_m in (0..log_m).rev() {
            let params = TwiddleLevelParams {
                table: table.address(),
                m: 1 << log_m,
            };
            let blocks = self.level.blocks_for(1 << log_m)?;
            // SAFETY: the table has at least 4 m elements.
            unsafe { self.level.launch(stream, blocks, &params) }?;
        }
        stream.synchronize()?;
        Ok(table)
    }
}

impl Table {
    /// Whether it has the twiddles of a transform of 2^`log_n` elements: a table without a coset
    /// begins with those of smaller domains.
    pub(crate) fn serves(&self, transform: Transform, log_n: u32) -> bool {
        self.transform == transform
            && if on_coset(transform) {
                self.log_n == log_n
            } else {
                self.log_n >= log_n
            }
    }

    pub(crate) fn address(&self) -> u64 {
        self.twiddles.as_slice().address()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // Any stream may read the table still, and the memory goes back in the order of one.
        if let Err(error) = self.twiddles.stream().device().synchronize() {
            tracing::warn!(%error, "a table of twiddles was released without waiting for its use");
        }
    }
}

pub(crate) fn on_coset(transform: Transform) -> bool {
    matches!(transform, Transform::CosetForward | Transform::CosetInverse)
}

fn root_and_shift(domain: &Domain, transform: Transform) -> (Fr, Fr) {
    match transform {
        Transform::Forward => (domain.generator(), Fr::ONE),
        Transform::Inverse => (domain.generator_inv(), Fr::ONE),
        Transform::CosetForward => (domain.generator(), domain.coset_shift()),
        Transform::CosetInverse => (domain.generator_inv(), domain.coset_shift_inv()),
    }
}

/// `first * ratio^i` for i below `n`.
fn powers(first: Fr, ratio: Fr, n: usize) -> Vec<FrLimbs> {
    let powers = std::iter::successors(Some(first), |power| Some(*power * ratio));
    powers.take(n).map(FrLimbs::from).collect()
}
