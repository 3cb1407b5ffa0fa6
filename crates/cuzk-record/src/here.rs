//! The machine and the moment of a measurement.

use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::Machine;

impl Machine {
    /// This machine, with so many threads of work and the card that a report names as
    /// `cuda, NAME, UUID`.
    #[must_use]
    pub fn here(device: &str, threads: usize) -> Self {
        let mut words = device.split(", ");
        let gpu = match words.next() {
            Some("cuda") => words.next(),
            _ => None,
        };
        Self {
            processor: line("/proc/cpuinfo", "model name")
                .map(|model| model.trim_start_matches([' ', '\t', ':']).to_owned()),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            threads: Some(threads),
            memory_bytes: line("/proc/meminfo", "MemTotal:")
                .and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok())
                .map(|kibibytes| kibibytes * 1024),
            driver: gpu.and_then(|_| driver()),
            gpu: gpu.map(str::to_owned),
        }
    }
}

/// The version of the card's driver, as its kernel module says it.
fn driver() -> Option<String> {
    let text = fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_version =
        |word: &&str| word.contains('.') && word.chars().all(|l| l.is_ascii_digit() || l == '.');
    let mut words = text.split_whitespace();
    words.find(is_version).map(str::to_owned)
}

/// What stands behind a key at the beginning of a line of a file.
fn line(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let found = text.lines().find_map(|line| line.strip_prefix(key));
    found.map(str::to_owned)
}

/// The load over one, five and fifteen minutes, if the system tells.
#[must_use]
pub fn load() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// The day in UTC, as 2026-11-30.
#[must_use]
pub fn today() -> String {
    date(SystemTime::now())
}

/// The day in UTC.
///
/// # Source
/// Days by eras of 400 years that begin in March.
fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = match month {
        0..=9 => (month + 3, 0),
        _ => (month - 9, 1),
    };
    let year = 400 * era + year + later;
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_761_599, "2026-12-31"),
            (1_798_761_600, "2027-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            let now = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(date(now), expected, "{seconds}");
        }
    }

    #[test]
    fn a_card_is_the_one_that_the_report_names() {
        assert_eq!(Machine::here("cpu, 2 threads, portable", 2).gpu, None);
        let card = Machine::here("cuda, NVIDIA H200, GPU-1234", 2).gpu;
        assert_eq!(card.as_deref(), Some("NVIDIA H200"));
    }
}
