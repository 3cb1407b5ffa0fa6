//! Where and of what a record is made.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args as ClapArgs;
use cuzk_record::{Machine, Record, load, today};
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
        let date = today();
        let machine = Machine::here(device, rayon::current_num_threads());
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
            compiler: None,
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
