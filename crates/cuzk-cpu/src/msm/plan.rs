use std::ops::RangeInclusive;

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
    /// Points that are summed at a time.
    pub points_at_once: usize,
    /// Bits of a window.
    pub window_bits: u32,
    /// Windows of a scalar.
    pub windows: u32,
    /// Windows whose points are sorted at the same time.
    pub windows_at_once: u32,
    /// Scalars that one task sorts at a time.
    pub share: usize,
}

impl MsmPlan {
    /// The narrowest window that can be asked for.
    pub const MIN_WINDOW_BITS: u32 = 1;
    /// The widest window that can be asked for, which is the widest that is ever the cheapest:
    /// the buckets of a wider one would take gigabytes for any number of points.
    pub const MAX_WINDOW_BITS: u32 = 20;

    /// The most points that are summed at a time: laid out, they take 512 MiB in G1.
    const POINTS: usize = 1 << 22;

    /// The windows that are chosen among; the buckets of the widest take 50 MB in G1.
    const CHOICES: RangeInclusive<u32> = 3..=Self::MAX_WINDOW_BITS;

    /// Bytes that sorted points may take at a time; the digits they are sorted by take as
    /// many again.
    const SORTED_BYTES: usize = 1 << 29;

    /// Scalars that a task sorts at a time, where there are enough: 1 MiB.
    const SHARE: usize = 1 << 15;

    /// Sorting tasks for each thread, so that none waits long for the last.
    const TASKS_PER_THREAD: usize = 4;

    /// A plan for `n` points on `threads` threads, with the width of a window given or found.
    /// A width out of range becomes the nearest in range.
    #[must_use]
    pub fn new(n: usize, threads: usize, window_bits: Option<u32>) -> Self {
        let points_at_once = n.div_ceil(n.div_ceil(Self::POINTS).max(1)).max(1);
        let n = points_at_once;
        let window_bits = match window_bits {
            Some(bits) => bits.clamp(Self::MIN_WINDOW_BITS, Self::MAX_WINDOW_BITS),
            None => Self::cheapest_window(n),
        };
        let windows = SCALAR_BITS.div_ceil(window_bits);
        let fitting = (Self::SORTED_BYTES / 4 / n).max(1);
        let windows_at_once = u32::try_from(fitting).unwrap_or(u32::MAX).min(windows);
        Self {
            points_at_once,
            window_bits,
            windows,
            windows_at_once,
            share: Self::share(n, threads, window_bits, windows_at_once as usize),
        }
    }

    fn cheapest_window(n: usize) -> u32 {
        let additions = |window_bits: u32| {
            let windows = u64::from(SCALAR_BITS.div_ceil(window_bits));
            windows.saturating_mul((n as u64).saturating_add(1 << window_bits))
        };
        Self::CHOICES
            .min_by_key(|&window_bits| additions(window_bits))
            .expect("the range is not empty")
    }

    /// Small enough to occupy all threads, but no smaller than the counts of its digits.
    fn share(n: usize, threads: usize, window_bits: u32, windows: usize) -> usize {
        let tasks = threads.saturating_mul(Self::TASKS_PER_THREAD);
        let busy = n.div_ceil(tasks.div_ceil(windows).max(1)).max(1);
        busy.min(Self::SHARE).max(1 << window_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 10] = [
        0,
        1,
        2,
        100,
        1 << 10,
        1 << 16,
        1 << 18,
        1 << 22,
        1 << 27,
        1 << 31,
    ];

    #[test]
    fn every_size_width_and_number_of_threads_has_a_plan() {
        for n in SIZES {
            for threads in [0, 1, 1000, usize::MAX] {
                for bits in [0, 1, 20, 21, 64, u32::MAX] {
                    let plan = MsmPlan::new(n, threads, Some(bits));
                    assert_eq!(plan.window_bits, bits.clamp(1, 20));
                    assert!(plan.share > 0 && plan.windows_at_once > 0);
                }
            }
        }
    }

    #[test]
    fn windows_cover_a_scalar_without_one_too_many() {
        for bits in MsmPlan::MIN_WINDOW_BITS..=MsmPlan::MAX_WINDOW_BITS {
            let plan = MsmPlan::new(1000, 2, Some(bits));
            assert_eq!(plan.window_bits, bits);
            assert!(plan.windows * bits >= SCALAR_BITS);
            assert!((plan.windows - 1) * bits < SCALAR_BITS);
        }
    }

    #[test]
    fn a_chosen_window_is_cheaper_than_its_neighbours_and_grows_with_the_sum() {
        let cost = |plan: MsmPlan| {
            u64::from(plan.windows) * (plan.points_at_once as u64 + (1 << plan.window_bits))
        };
        let mut last = 0;
        for n in SIZES {
            let plan = MsmPlan::new(n, 2, None);
            assert!(plan.window_bits >= last);
            last = plan.window_bits;
            for bits in [plan.window_bits - 1, plan.window_bits + 1] {
                if MsmPlan::CHOICES.contains(&bits) {
                    assert!(cost(plan) <= cost(MsmPlan::new(n, 2, Some(bits))));
                }
            }
        }
        assert_eq!(MsmPlan::new(1 << 18, 2, None).window_bits, 15);
    }

    #[test]
    fn sorted_points_stay_within_their_memory_or_come_one_window_at_a_time() {
        for n in SIZES {
            for threads in [1, 2, 64, 1024] {
                let plan = MsmPlan::new(n, threads, None);
                assert!((1..=plan.windows).contains(&plan.windows_at_once));
                let bytes = plan.points_at_once * 4 * plan.windows_at_once as usize;
                assert!(bytes <= MsmPlan::SORTED_BYTES || plan.windows_at_once == 1);
            }
        }
    }

    #[test]
    fn large_sums_go_in_equal_parts() {
        for n in SIZES {
            let plan = MsmPlan::new(n, 2, None);
            assert!((1..=MsmPlan::POINTS).contains(&plan.points_at_once));
            let parts = n.div_ceil(plan.points_at_once);
            assert_eq!(parts, n.div_ceil(MsmPlan::POINTS));
        }
    }

    #[test]
    fn shares_are_never_empty_and_counts_never_outweigh_digits() {
        for n in SIZES {
            for threads in [1, 3, 256, usize::MAX] {
                let plan = MsmPlan::new(n, threads, None);
                assert!(plan.share >= 1 << plan.window_bits);
            }
        }
        assert_eq!(MsmPlan::new(1 << 18, 2, None).share, 1 << 15);
    }
}
