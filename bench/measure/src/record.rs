use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result};
use cuzk_record::{Machine, Record, load, today};
use serde::Serialize;

/// Where and of what a measurement is made, looked at before it.
#[derive(Debug, Clone)]
pub struct Provenance {
    commit: String,
    modified: bool,
    compiler: String,
    date: String,
    machine: Machine,
    load_before: Option<[f64; 3]>,
}

impl Provenance {
    /// Looks at machine and repository; `threads` are those of what is measured.
    ///
    /// # Errors
    /// Where git or the compiler does not answer.
    pub fn begin(threads: usize) -> Result<Self> {
        Ok(Self {
            commit: output("git", &["rev-parse", "HEAD"])?,
            modified: !output("git", &["status", "--porcelain", "--untracked-files=no"])?
                .is_empty(),
            compiler: output("rustc", &["--version"])?,
            date: today(),
            machine: Machine::here("cpu", threads),
            load_before: load(),
        })
    }

    /// A result with all that, and the load once more.
    #[must_use]
    pub fn of<T>(self, what: &str, result: T) -> Record<T> {
        let arguments = std::env::args().skip(1);
        let program = [env!("CARGO_PKG_NAME").to_owned()].into_iter();
        Record {
            what: what.to_owned(),
            program: program.chain(arguments).collect::<Vec<_>>().join(" "),
            version: None,
            commit: self.commit,
            modified: Some(self.modified),
            compiler: Some(self.compiler),
            date: self.date,
            machine: self.machine,
            load_before: self.load_before,
            load_after: load(),
            result,
        }
    }
}

/// Writes a record where the records are kept, and says where that is.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_record(name: &str, record: &Record<impl Serialize>) -> Result<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/record");
    let directory = PathBuf::from(root).join(record.machine.folder());
    fs::create_dir_all(&directory)?;
    let directory = directory.canonicalize()?;
    let path = directory.join(format!("{}-{name}.json", record.date));
    fs::write(&path, serde_json::to_string_pretty(record)? + "\n")?;
    Ok(path)
}

fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .with_context(|| format!("running {program}"))?;
    anyhow::ensure!(output.status.success(), "{program} {arguments:?} failed");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
