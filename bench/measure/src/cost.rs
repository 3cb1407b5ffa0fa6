use std::{fs, time::Instant};

use anyhow::{Context, Result};
use rustix::{
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
    time::{ClockId, clock_gettime},
};
use serde::{Deserialize, Serialize};

/// What one call took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Cost {
    /// Wall time.
    pub wall_ms: f64,
    /// Processor time of all threads of the process.
    pub cpu_ms: f64,
}

/// Runs `work` and says what it took.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let cpu = processor_ms();
    let wall = Instant::now();
    let result = work();
    let cost = Cost {
        wall_ms: wall.elapsed().as_secs_f64() * 1e3,
        cpu_ms: processor_ms() - cpu,
    };
    (result, cost)
}

fn processor_ms() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Confines the process, and all threads that it will have, to `threads` processors.
///
/// Thread pools that ask for the number of processors then make as many threads.
///
/// # Errors
/// Where the process may run on fewer processors than that.
pub fn confine(threads: usize) -> Result<()> {
    let allowed = sched_getaffinity(None)?;
    let mut chosen = CpuSet::new();
    let mut left = threads;
    for cpu in (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)) {
        if left == 0 {
            break;
        }
        chosen.set(cpu);
        left -= 1;
    }
    anyhow::ensure!(
        left == 0,
        "this machine lacks {left} of {threads} processors"
    );
    sched_setaffinity(None, &chosen).context("confining the process to some processors")
}

/// The largest resident set so far, in bytes.
///
/// # Errors
/// Where the system does not say.
pub fn peak_rss_bytes() -> Result<u64> {
    status_bytes("VmHWM:")
}

/// The resident set, in bytes.
///
/// # Errors
/// Where the system does not say.
pub fn rss_bytes() -> Result<u64> {
    status_bytes("VmRSS:")
}

/// Lets the peak begin anew at the present resident set.
///
/// # Errors
/// Where the system does not allow it.
pub fn reset_peak_rss() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("resetting the peak of resident memory")
}

fn status_bytes(key: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kib: u64 = kib
        .with_context(|| format!("{key} in the process status"))?
        .parse()?;
    Ok(kib * 1024)
}

/// The middle of the values; of an even number of them, the mean of the two in the middle.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        _ => f64::NAN,
    }
}

/// The least of the values.
pub fn minimum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median([4.0, 1.0, 3.0]), 3.0);
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(minimum([4.0, 1.0, 3.0]), 1.0);
    }

    #[test]
    fn processor_time_counts_all_threads() {
        let spin = || {
            let start = Instant::now();
            while start.elapsed().as_millis() < 50 {
                std::hint::spin_loop();
            }
        };
        let ((), cost) = measured(|| {
            std::thread::scope(|scope| {
                scope.spawn(spin);
            });
        });
        assert!(cost.wall_ms >= 50.0);
        assert!(cost.cpu_ms > 5.0);
    }
}
