//! What the kernels take: the structures of these names in `cuzk::fold`.

use bytemuck::{Pod, Zeroable};
use cuzk_curve::{FpLimbs, FrLimbs};
use cuzk_device::KernelParams;

/// A point of G1 in XYZZ coordinates: `x | y | zz | zzz`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Xyzz([FpLimbs; 4]);

/// `cuzk::fold::LoadParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct LoadParams {
    pub(crate) input: u64,
    pub(crate) out: u64,
    pub(crate) n: u64,
    pub(crate) log_n: u64,
    pub(crate) factor: FrLimbs,
}

/// `cuzk::fold::StageParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct StageParams {
    pub(crate) points: u64,
    pub(crate) twiddles: u64,
    pub(crate) log_n: u64,
    pub(crate) log_m: u64,
}

/// `cuzk::fold::SumParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct SumParams {
    pub(crate) points: u64,
    pub(crate) indices: u64,
    pub(crate) coefficients: u64,
    pub(crate) dictionary: u64,
    pub(crate) ends: u64,
    pub(crate) out: u64,
    pub(crate) lists: u64,
}

/// `cuzk::fold::WidenParams` and `cuzk::fold::NarrowParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ConvertParams {
    pub(crate) input: u64,
    pub(crate) out: u64,
    pub(crate) n: u64,
}

/// `cuzk::fold::NARROW_BATCH`.
pub(crate) const NARROW_BATCH: usize = 8;

// SAFETY: numbers of 64 bits without padding, as in the structure of this name in `cuzk::fold`;
// the factor is four of them, which the kernel reads as eight halves.
unsafe impl KernelParams for LoadParams {}
// SAFETY: as above.
unsafe impl KernelParams for StageParams {}
// SAFETY: as above.
unsafe impl KernelParams for SumParams {}
// SAFETY: as above, for both structures.
unsafe impl KernelParams for ConvertParams {}
