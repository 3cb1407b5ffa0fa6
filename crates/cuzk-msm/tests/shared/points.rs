//! Points for measuring and for tests of many, made on the device.

use cuzk_curve::{Fr, SourceGroup};
use cuzk_device::{DeviceBuf, DeviceError, KernelParams, Stream};
use group::{Curve as _, Group as _};

/// `cuzk::testing::ExtendParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct ExtendParams {
    points: u64,
    step: u64,
    n: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::testing`.
unsafe impl KernelParams for ExtendParams {}

/// `[i + 1] Q` for the generator Q and i below n, by doubling the list.
///
/// # Errors
/// Failures of memory and launches.
pub(crate) fn multiples<G: SourceGroup>(
    stream: &Stream,
    n: usize,
) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
    let symbol = format!("cuzk_testing_extend_{}", G::NAME.to_lowercase());
    let source = cuzk_kernels::module_with(&symbol).expect("compiled in");
    let module = stream.device().load(source)?;
    let kernel = module.kernel::<ExtendParams>(&symbol)?;
    let multiple = |k: usize| {
        let point = G::Projective::generator() * Fr::from(k as u64);
        G::as_limbs(&[point.to_affine()]).to_vec()
    };
    let mut points = stream.alloc::<G::Limbs>(n)?;
    if n == 0 {
        return Ok(points);
    }
    let mut first = points.as_mut_slice();
    first.part(0..1)?.copy_from_host(stream, &multiple(1))?;
    let mut have = 1;
    while have < n {
        // The last time only as many as are missing, from as many before the end.
        let more = have.min(n - have);
        let step = stream.upload(&multiple(more))?;
        let params = ExtendParams {
            points: points.as_mut_slice().address()
                + ((have - more) * size_of::<G::Limbs>()) as u64,
            step: step.as_slice().address(),
            n: more as u64,
        };
        let blocks = kernel.blocks_for(more)?;
        // SAFETY: the kernel reads `more` points that were made, and writes the `more` after them,
        // which are inside the buffer.
        unsafe { kernel.launch(stream, blocks, &params) }?;
        have += more;
    }
    Ok(points)
}
