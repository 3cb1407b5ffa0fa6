//! Where and of what a record is made.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use clap::Args as ClapArgs;
use cuzk_record::{Machine, Record};
use serde::Serialize;

use crate::failure::Failure;

/// Where records are kept, below the folder in which the program is started.
const RECORDS: &str = "benchmarks/record";

/// Options of the commands whose results are kept.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct RecordArgs {
    /// Keep the result as MACHINE/DATE-NAME.json in the folder of records.
    #[arg(long, value_name = "NAME")]
    record: Option<String>,
    /// The folder of records, where it is not that of the repository.
    #[arg(long, value_name = "FOLDER", default_value = RECORDS, requires = "record")]
    records: PathBuf,
}

/// A record that will be written: what is looked at before the work.
#[derive(Debug)]
pub(crate) struct NewRecord {
    name: String,
    folder: PathBuf,
    load_before: Option<[f64; 3]>,
}

impl RecordArgs {
    /// Prepares the record that is asked for, so that no work is lost to a missing folder.
    pub(crate) fn create(&self) -> Result<Option<NewRecord>, Failure> {
        let record = self.record.as_deref();
        record
            .map(|name| NewRecord::create(name, &self.records))
            .transpose()
    }
}

impl NewRecord {
    fn create(name: &str, folder: &Path) -> Result<Self, Failure> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(Failure::bad_input(format!(
                "expected a name of letters, digits and dashes for a record, got {name:?}"
            )));
        }
        if !folder.is_dir() {
            let folder = folder.display();
            return Err(
                Failure::bad_input(format!("there is no folder {folder} here")).with_hint(
                    "records are kept in the repository: start the program at its root, or name \
                     a folder with --records",
                ),
            );
        }
        Ok(Self {
            name: name.to_owned(),
            folder: folder.to_owned(),
            load_before: load(),
        })
    }

    /// Writes it, and says where; `device` is where a report says that the work ran.
    pub(crate) fn write(
        self,
        what: String,
        device: &str,
        result: impl Serialize,
    ) -> Result<PathBuf, Failure> {
        let date = date(SystemTime::now());
        let machine = machine(device);
        let folder = self.folder.join(machine.folder());
        let path = folder.join(format!("{date}-{}.json", self.name));
        let record = Record {
            what,
            program: command(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            commit: match env!("CUZK_COMMIT") {
                "" => "unknown".to_owned(),
                commit => commit.to_owned(),
            },
            modified: env!("CUZK_MODIFIED").parse().ok(),
            date,
            machine,
            load_before: self.load_before,
            load_after: load(),
            result,
        };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text));
        written.map_err(|error| Failure::file("writing", &path, &error))?;
        Ok(path)
    }
}

/// Where a result was kept, for the end of its text; a record that could not be written is told
/// of once the result is.
pub(crate) fn kept(record: Option<&Result<PathBuf, Failure>>) -> String {
    match record {
        Some(Ok(path)) => format!("recorded in {}\n", path.display()),
        _ => String::new(),
    }
}

/// The command as it was typed, without the place of the program.
fn command() -> String {
    let arguments = std::env::args().skip(1);
    let words: Vec<String> = ["cuzk".to_owned()].into_iter().chain(arguments).collect();
    words.join(" ")
}

/// The machine, with the card that a report names as `cuda, NAME, UUID`.
fn machine(device: &str) -> Machine {
    let mut words = device.split(", ");
    let gpu = match words.next() {
        Some("cuda") => words.next(),
        _ => None,
    };
    Machine {
        processor: line("/proc/cpuinfo", "model name")
            .map(|model| model.trim_start_matches([' ', '\t', ':']).to_owned()),
        cores: std::thread::available_parallelism().ok().map(usize::from),
        threads: Some(rayon::current_num_threads()),
        memory_bytes: line("/proc/meminfo", "MemTotal:")
            .and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok())
            .map(|kibibytes| kibibytes * 1024),
        driver: gpu.and_then(|_| driver()),
        gpu: gpu.map(str::to_owned),
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

fn load() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
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
        assert_eq!(machine("cpu, 2 threads, portable").gpu, None);
        let card = machine("cuda, NVIDIA H200, GPU-1234").gpu;
        assert_eq!(card.as_deref(), Some("NVIDIA H200"));
    }
}
