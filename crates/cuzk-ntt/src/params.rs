//! What the kernels take: the structures of these names in `cuzk::ntt`.

use cuzk_curve::FrLimbs;
use cuzk_device::KernelParams;

/// `cuzk::ntt::PassParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct PassParams {
    pub(crate) input: u64,
    pub(crate) out: u64,
    pub(crate) twiddles: u64,
    pub(crate) log_n: u64,
    pub(crate) log_stride: u64,
    pub(crate) log_rows: u64,
    pub(crate) log_divisor: u64,
    pub(crate) begins_with_one: u64,
}

/// `cuzk::ntt::TwiddleTopParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct TwiddleTopParams {
    pub(crate) high: u64,
    pub(crate) low: u64,
    pub(crate) table: u64,
    pub(crate) m: u64,
    pub(crate) log_low: u64,
}

/// `cuzk::ntt::TwiddleLevelParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct TwiddleLevelParams {
    pub(crate) table: u64,
    pub(crate) m: u64,
}

/// `cuzk::ntt::ReverseParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ReverseParams {
    pub(crate) input: u64,
    pub(crate) out: u64,
    pub(crate) log_n: u64,
}

/// `cuzk::ntt::MultiplyParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MultiplyParams {
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) c: u64,
    pub(crate) n: u64,
    pub(crate) factor: FrLimbs,
}

// SAFETY: numbers of 64 bits without padding, as in the structure of this name in `cuzk::ntt`.
unsafe impl KernelParams for PassParams {}
// SAFETY: as above.
unsafe impl KernelParams for TwiddleTopParams {}
// SAFETY: as above.
unsafe impl KernelParams for TwiddleLevelParams {}
// SAFETY: as above.
unsafe impl KernelParams for ReverseParams {}
// SAFETY: as above; the factor is four numbers of 64 bits, which the kernel reads as eight halves.
unsafe impl KernelParams for MultiplyParams {}
