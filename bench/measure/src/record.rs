use std::{fs, path::PathBuf, process::Command, time::SystemTime};

use anyhow::{Context, Result};
use serde::Serialize;

/// Where and of what a measurement was made.
#[derive(Debug, Clone, Serialize)]
pub struct Provenance {
    /// The time at the start, UTC.
    pub date: String,
    /// The commit that is checked out.
    pub commit: String,
    /// Whether tracked files differed from the commit.
    pub modified: bool,
    /// The compiler's version.
    pub compiler: String,
    /// The processor's model.
    pub cpu: String,
    /// Processors that the process may use.
    pub cores: usize,
    /// The machine's memory.
    pub memory_bytes: u64,
    /// Threads of what is measured.
    pub threads: usize,
    /// Averages over one, five and fifteen minutes, at the start.
    pub load_average_before: [f64; 3],
    /// The same at the end.
    pub load_average_after: [f64; 3],
}

impl Provenance {
    /// Looks at machine and repository.
    ///
    /// # Errors
    /// Where one of them does not answer.
    pub fn begin(threads: usize) -> Result<Self> {
        Ok(Self {
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            commit: output("git", &["rev-parse", "HEAD"])?,
            modified: !output("git", &["status", "--porcelain", "--untracked-files=no"])?
                .is_empty(),
            compiler: output("rustc", &["--version"])?,
            cpu: cpu_model()?,
            cores: std::thread::available_parallelism()?.get(),
            memory_bytes: memory_bytes()?,
            threads,
            load_average_before: load_average()?,
            load_average_after: [0.0; 3],
        })
    }

    /// Looks at the load once more.
    ///
    /// # Errors
    /// Where the system does not answer.
    pub fn end(&mut self) -> Result<()> {
        self.load_average_after = load_average()?;
        Ok(())
    }

    /// A directory name for the machine.
    fn machine(&self) -> String {
        let words = self.cpu.split(|c: char| !c.is_ascii_alphanumeric());
        let noise = ["", "r", "tm", "cpu", "processor"];
        let name: Vec<String> = words
            .map(str::to_ascii_lowercase)
            .filter(|word| !noise.contains(&word.as_str()))
            .collect();
        format!("{}-{}-cores", name.join("-"), self.cores)
    }
}

/// Writes a record where the records are kept, and says where that is.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_record(
    provenance: &Provenance,
    what: &str,
    record: &impl Serialize,
) -> Result<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/record");
    let directory = PathBuf::from(root).join(provenance.machine());
    fs::create_dir_all(&directory)?;
    let directory = directory.canonicalize()?;
    let day = provenance.date.split('T').next().unwrap_or_default();
    let path = directory.join(format!("{day}-{what}.json"));
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

fn cpu_model() -> Result<String> {
    let info = fs::read_to_string("/proc/cpuinfo")?;
    let line = info.lines().find(|line| line.starts_with("model name"));
    let (_, model) = line
        .and_then(|line| line.split_once(':'))
        .context("the processor's model")?;
    Ok(model.trim().to_owned())
}

fn memory_bytes() -> Result<u64> {
    let info = fs::read_to_string("/proc/meminfo")?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kib.context("the machine's memory")?.parse::<u64>()? * 1024)
}

fn load_average() -> Result<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg")?;
    let mut values = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || anyhow::Ok(values.next().context("the load average")??);
    Ok([next()?, next()?, next()?])
}
