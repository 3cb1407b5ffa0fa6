use super::digits::SCALAR_BITS;

/// How a multi-scalar multiplication is carried out: a pure function of its size and of the
/// settings.
///
/// # Cost
/// Every window adds each point to a bucket, and each bucket twice to the window's sum:
/// about ⌈255/c⌉·(n + 2^c) affine additions of 5M + 1S for windows of c bits. The planner
/// takes the c with the fewest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MsmPlan {
    /// Bits of a window.
    pub window_bits: u32,
    /// Windows of a scalar.
    pub windows: u32,
    /// Windows whose points are sorted at the same time.
    pub windows_at_once: u32,
}

impl MsmPlan {
    /// The narrowest window that can be asked for.
    pub const MIN_WINDOW_BITS: u32 = 1;
    /// The widest window that can be asked for.
    pub const MAX_WINDOW_BITS: u32 = 26;

    /// Bytes that sorted indices may take at a time; half as much again is needed for
    /// the digits they are sorted by.
    const SORTED_BYTES: usize = 1 << 30;

    /// A plan for `n` points on `threads` threads, with the width of a window given or found.
    #[must_use]
    pub fn new(n: usize, threads: usize, window_bits: Option<u32>) -> Self {
        let window_bits = window_bits.unwrap_or_else(|| Self::cheapest_window(n));
        let windows = SCALAR_BITS.div_ceil(window_bits);
        let window_bytes = n.saturating_mul(4).max(1);
        let fitting = (Self::SORTED_BYTES / window_bytes).max(1);
        let windows_at_once = u32::try_from(fitting).unwrap_or(u32::MAX).min(windows);
        let _ = threads;
        Self {
            window_bits,
            windows,
            windows_at_once,
        }
    }

    fn cheapest_window(n: usize) -> u32 {
        let additions = |window_bits: u32| {
            let windows = u64::from(SCALAR_BITS.div_ceil(window_bits));
            windows.saturating_mul((n as u64).saturating_add(1 << window_bits))
        };
        (3..=22)
            .min_by_key(|&window_bits| additions(window_bits))
            .expect("the range is not empty")
    }
}
