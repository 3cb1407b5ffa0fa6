//! What the kernels of the tree take.

use cuzk_device::KernelParams;

use super::plan::{MIN_CHAIN, Shape};

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
#[derive(Debug, Clone, Copy, Default)]
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
#[derive(Debug, Clone, Copy, Default)]
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
    pub(super) min_chain: u64,
    pub(super) max_chain: u64,
    pub(super) wanted_tiles: u64,
    pub(super) max_inverter_chain: u64,
    pub(super) wanted_inverters: u64,
}

impl RoundParams {
    /// How a round is shared, and nothing else.
    pub(super) fn shaped(shape: &Shape) -> Self {
        Self {
            min_chain: MIN_CHAIN as u64,
            max_chain: shape.max_chain as u64,
            wanted_tiles: shape.wanted_tiles as u64,
            max_inverter_chain: shape.max_inverter_chain as u64,
            wanted_inverters: shape.wanted_inverters as u64,
            ..Self::default()
        }
    }
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
    pub(super) pairs: u64,
    pub(super) totals: u64,
    pub(super) pairs_in_all: u64,
    pub(super) entries: u64,
    pub(super) offsets: u64,
    pub(super) windows: u64,
    pub(super) wide_windows: u64,
    pub(super) log_buckets: u64,
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
