//! The structures that cross to the kernels, field for field those of `cuzk::spmv`.

use bytemuck::{Pod, Zeroable};
use cuzk_device::KernelParams;

/// Lanes of a warp.
pub(crate) const GROUP: usize = 32;
/// Rows among which the short ones are ordered by length.
pub(crate) const WINDOW: usize = 4096;
/// The slot of a lane that has no row.
pub(crate) const NO_SLOT: u16 = u16::MAX;
/// Words of 32 variables whose ranks are counted together.
pub(crate) const CHUNK: usize = 32;
/// Sums of integers up to this one, of either sign, have a table of elements.
pub(crate) const MAX_COUNT: i64 = 32;
/// Groups of zeros that a warp writes.
pub(crate) const ZERO_GROUPS: usize = 8;
/// The entry of a coefficient that is no small integer.
pub(crate) const NOT_INTEGER: u64 = 1 << 63;

/// The classes of 32 variables, lowest bit first, as two bits for each: `(low, high)` is `(0, 0)`
/// for the value 0, `(1, 0)` for 1, `(0, 1)` for a small value and `(1, 1)` for a full one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ClassWord {
    /// The lower bit of each class.
    pub low: u32,
    /// The upper bit of each class.
    pub high: u32,
}

/// Where the first full and the first small value of 32 variables stand among the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RankWord {
    /// The place of the first value of class full.
    pub full: u32,
    /// The place of the first value of class small.
    pub small: u32,
}

/// The work of one warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Item {
    /// The first group of terms.
    pub(crate) first: u32,
    /// A row, a multiple of [`WINDOW`], plus the logarithm of the lanes of a row shifted by 8,
    /// plus the number of groups.
    pub(crate) what: u32,
}

/// A row in several pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Join {
    pub(crate) row: u32,
    pub(crate) pieces: u32,
    /// The first of its partial sums.
    pub(crate) first: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct WitnessView {
    pub(crate) classes: u64,
    pub(crate) ranks: u64,
    pub(crate) values: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MultiplyParams {
    pub(crate) columns: u64,
    pub(crate) codes: u64,
    pub(crate) dictionary: u64,
    pub(crate) integers: u64,
    pub(crate) counts: u64,
    pub(crate) items: u64,
    pub(crate) slots: u64,
    pub(crate) witness: WitnessView,
    pub(crate) out: u64,
    pub(crate) partials: u64,
    pub(crate) pieces: u64,
    pub(crate) slices: u64,
    pub(crate) rows: u64,
    pub(crate) out_len: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct JoinParams {
    pub(crate) partials: u64,
    pub(crate) joins: u64,
    pub(crate) out: u64,
    pub(crate) n: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct CountParams {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) before: u64,
    pub(crate) words: u64,
    pub(crate) chunks: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ScanParams {
    pub(crate) before: u64,
    pub(crate) chunks: u64,
    pub(crate) first_small: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct RankParams {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) before: u64,
    pub(crate) classes: u64,
    pub(crate) ranks: u64,
    pub(crate) words: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct SmallParams {
    pub(crate) small: u64,
    pub(crate) values: u64,
    pub(crate) n: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ExpandParams {
    pub(crate) witness: WitnessView,
    pub(crate) out: u64,
    pub(crate) n: u64,
}

// SAFETY: numbers of 64 bits, as in the structures of these names in `cuzk::spmv`.
unsafe impl KernelParams for MultiplyParams {}
// SAFETY: as above.
unsafe impl KernelParams for JoinParams {}
// SAFETY: as above.
unsafe impl KernelParams for CountParams {}
// SAFETY: as above.
unsafe impl KernelParams for ScanParams {}
// SAFETY: as above.
unsafe impl KernelParams for RankParams {}
// SAFETY: as above.
unsafe impl KernelParams for SmallParams {}
// SAFETY: as above.
unsafe impl KernelParams for ExpandParams {}
