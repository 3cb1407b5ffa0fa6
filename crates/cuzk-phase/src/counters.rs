//! What the system counts for the process.

/// Processor time and page faults of the whole process since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) cpu_ns: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    /// The most bytes that were resident, which is not counted from zero where the program
    /// replaced another one of the same process: see [`crate::memory`].
    pub(crate) peak_rss_bytes: u64,
}

impl Counters {
    /// The counters as they stand, if the system tells; one call of the system.
    #[cfg(unix)]
    pub(crate) fn now() -> Option<Self> {
        use nix::sys::{
            resource::{UsageWho, getrusage},
            time::{TimeVal, TimeValLike},
        };
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let microseconds = |time: TimeVal| u64::try_from(time.num_microseconds()).unwrap_or(0);
        let cpu = microseconds(usage.user_time()) + microseconds(usage.system_time());
        Some(Self {
            cpu_ns: cpu.saturating_mul(1000),
            minor_faults: u64::try_from(usage.minor_page_faults()).unwrap_or(0),
            major_faults: u64::try_from(usage.major_page_faults()).unwrap_or(0),
            peak_rss_bytes: u64::try_from(usage.max_rss()).map_or(0, |n| n.saturating_mul(1024)),
        })
    }

    /// The system is not asked.
    #[cfg(not(unix))]
    pub(crate) fn now() -> Option<Self> {
        None
    }

    /// What was added since an earlier reading; the peak is that of now.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            ..self
        }
    }

    /// The sum of two amounts, and the larger peak.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_add(other.cpu_ns),
            minor_faults: self.minor_faults.saturating_add(other.minor_faults),
            major_faults: self.major_faults.saturating_add(other.major_faults),
            peak_rss_bytes: self.peak_rss_bytes.max(other.peak_rss_bytes),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn touched_pages_and_work_are_counted() {
        let before = Counters::now().expect("the system counts");
        let pages = black_box(vec![1u8; 16 << 20]);
        let mut sum = 0u64;
        let started = std::time::Instant::now();
        while started.elapsed() < std::time::Duration::from_millis(30) {
            sum = black_box(sum + u64::from(pages[sum as usize % pages.len()]));
        }
        let spent = Counters::now().expect("the system counts").since(before);
        assert!(spent.cpu_ns > 0, "{spent:?}");
        // Huge pages may make them few.
        assert!(spent.minor_faults > 0, "{spent:?}");
    }

    #[test]
    fn an_earlier_reading_is_taken_off() {
        let early = Counters {
            cpu_ns: 5,
            minor_faults: 7,
            major_faults: 1,
            peak_rss_bytes: 4096,
        };
        let late = Counters {
            cpu_ns: 9,
            minor_faults: 10,
            major_faults: 1,
            peak_rss_bytes: 8192,
        };
        let spent = late.since(early);
        assert_eq!(
            (spent.cpu_ns, spent.minor_faults, spent.major_faults),
            (4, 3, 0)
        );
        assert_eq!(early.plus(spent), late);
    }
}
