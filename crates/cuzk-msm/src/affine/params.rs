//! What the kernels of the tree take.

use cuzk_device::KernelParams;

/// `cuzk::msm::affine::ListParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct ListParams {
    pub(super) entries: u64,
    pub(super) offsets: u64,
    pub(super) buckets: u64,
    pub(super) carried: u64,
    pub(super) first_carried: u64,
    pub(super) first_bucket: u64,
    pub(super) first_output: u64,
    pub(super) chunk_bases: u64,
    pub(super) chunks: u64,
    pub(super) totals: u64,
    pub(super) before: u64,
    pub(super) starts: u64,
    pub(super) tiles: u64,
    pub(super) carries: u64,
    pub(super) pairs: u64,
    pub(super) round: u64,
    pub(super) rounds: u64,
}

/// `cuzk::msm::affine::PointParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct PointParams {
    pub(super) bases: u64,
    pub(super) carried: u64,
    pub(super) n: u64,
    pub(super) first_output: u64,
    pub(super) outputs: u64,
    pub(super) capacity: u64,
}

/// `cuzk::msm::affine::RoundParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct RoundParams {
    pub(super) points: PointParams,
    pub(super) pairs: u64,
    pub(super) totals: u64,
    pub(super) prefixes: u64,
    pub(super) prefix_capacity: u64,
    pub(super) products: u64,
    pub(super) chains: u64,
    pub(super) product_capacity: u64,
    pub(super) round: u64,
    pub(super) max_chain: u64,
    pub(super) wanted_tiles: u64,
    pub(super) max_inverter_chain: u64,
    pub(super) wanted_inverters: u64,
}

/// `cuzk::msm::affine::CollectParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct CollectParams {
    pub(super) points: PointParams,
    pub(super) offsets: u64,
    pub(super) buckets: u64,
    pub(super) carried: u64,
    pub(super) carries: u64,
    pub(super) sums: u64,
}

/// `cuzk::msm::affine::LineParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct LineParams {
    pub(super) entries: u64,
    pub(super) offsets: u64,
    pub(super) windows: u64,
    pub(super) wide_windows: u64,
    pub(super) log_buckets: u64,
    pub(super) log_m: u64,
    pub(super) lines: u64,
}

/// `cuzk::msm::affine::SelectParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct SelectParams {
    pub(super) bitmap: u64,
    pub(super) bits: u64,
    pub(super) chunk_bases: u64,
    pub(super) chunks: u64,
    pub(super) offsets: u64,
    pub(super) entries: u64,
}

// SAFETY: numbers of 64 bits, as in the structures of these names in `cuzk::msm::affine`.
unsafe impl KernelParams for ListParams {}
// SAFETY: as above.
unsafe impl KernelParams for RoundParams {}
// SAFETY: as above.
unsafe impl KernelParams for CollectParams {}
// SAFETY: as above.
unsafe impl KernelParams for LineParams {}
// SAFETY: as above.
unsafe impl KernelParams for SelectParams {}
