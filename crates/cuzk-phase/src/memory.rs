//! Memory of the process.

use std::sync::OnceLock;

use crate::counters::Counters;

/// The most bytes of memory this process ever had resident, if the system tells.
///
/// On Linux this is `VmHWM` of `/proc/self/status`; elsewhere `None`.
/// It covers the whole process since its start, and so never falls.
#[must_use]
pub fn peak_rss_bytes() -> Option<u64> {
    if cfg!(target_os = "linux") {
        parse_high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
    } else {
        None
    }
}

/// The peak that goes with a reading of the counters, which cost one call of the system where
/// `/proc` costs twenty.
///
/// The counters of a process go back beyond the program that it runs now: one that was started by
/// a larger program has that one's peak. Whether it is so is asked once; then `/proc` is read, but
/// only if `ask`.
pub(crate) fn peak_rss_with(counters: Counters, ask: bool) -> Option<u64> {
    static COUNTERS_ARE_OURS: OnceLock<bool> = OnceLock::new();
    let ours = *COUNTERS_ARE_OURS.get_or_init(|| {
        let counted = Counters::now().map(|now| now.peak_rss_bytes);
        counted.is_some_and(|bytes| bytes > 0) && peak_rss_bytes() >= counted
    });
    match ours {
        true => Some(counters.peak_rss_bytes),
        false => ask.then(peak_rss_bytes)?,
    }
}

/// The bytes that are resident now, if the system tells.
pub(crate) fn rss_bytes() -> Option<u64> {
    if cfg!(target_os = "linux") {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        parse_resident_pages(&statm)?.checked_mul(page_bytes()?)
    } else {
        None
    }
}

#[cfg(unix)]
fn page_bytes() -> Option<u64> {
    use nix::unistd::{SysconfVar, sysconf};
    u64::try_from(sysconf(SysconfVar::PAGE_SIZE).ok()??).ok()
}

#[cfg(not(unix))]
fn page_bytes() -> Option<u64> {
    None
}

/// The second number of `/proc/self/statm`.
fn parse_resident_pages(statm: &str) -> Option<u64> {
    statm.split_whitespace().nth(1)?.parse().ok()
}

/// Finds `VmHWM:   1234 kB` (the kernel's kB are KiB).
fn parse_high_water_mark(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read_in_bytes() {
        let status = "Name:\tcuzk\nVmPeak:\t  900 kB\nVmHWM:\t     512 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(parse_high_water_mark(status), Some(512 * 1024));
    }

    #[test]
    fn a_status_without_the_line_gives_none() {
        assert_eq!(parse_high_water_mark("Name:\tcuzk\n"), None);
        assert_eq!(parse_high_water_mark("VmHWM:\t many kB\n"), None);
        assert_eq!(
            parse_high_water_mark("VmHWM:\t 99999999999999999999 kB\n"),
            None
        );
        assert_eq!(
            parse_high_water_mark("VmHWM:\t 18446744073709551615 kB\n"),
            None
        );
    }

    #[test]
    fn what_is_resident_is_the_second_number() {
        assert_eq!(parse_resident_pages("900 512 3 4 0 5 0\n"), Some(512));
        assert_eq!(parse_resident_pages("12"), None);
        assert_eq!(parse_resident_pages(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn touched_memory_is_resident() {
        let touched = std::hint::black_box(vec![1u8; 32 << 20]);
        let now = rss_bytes().expect("linux tells");
        assert!(now >= touched.len() as u64, "{now}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_counters_peak_is_that_of_the_system_or_is_not_used() {
        let now = || Counters::now().expect("linux counts");
        let touched = std::hint::black_box(vec![1u8; 48 << 20]);
        let peak = peak_rss_with(now(), true).expect("linux tells");
        assert!(peak >= touched.len() as u64, "{peak}");
        // Nobody is asked a second time for what the counters have.
        let unasked = peak_rss_with(now(), false);
        assert!(unasked.is_none_or(|unasked| unasked >= peak), "{unasked:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_peak() {
        let before = peak_rss_bytes().expect("linux tells");
        assert!(before > 100 * 1024, "{before}");
        let touched = vec![1u8; 32 << 20];
        let after = peak_rss_bytes().expect("linux tells");
        assert!(
            after >= before && after >= touched.len() as u64,
            "{before} {after}"
        );
    }
}
