//! What the commands share.

use std::{fs::File, io::Read, path::Path};

use cuzk::{DeviceOptions, Prover, ProverBuilder, Tuning, TuningError};
use tracing_subscriber::{EnvFilter, fmt::format::FmtSpan};

use crate::{
    args::Common,
    failure::{Failure, chain},
};

/// The most threads that are started.
const MAX_THREADS: usize = ProverBuilder::MAX_THREADS;

/// The most bytes of a file of switches, which has a line for each.
const MAX_TUNING_BYTES: u64 = 1 << 20;

/// What the options say of the switches: the file first, then the options named after single
/// switches, then --set.
pub(crate) fn tuning(common: &Common) -> Result<Tuning, Failure> {
    let mut tuning = Tuning::new();
    if let Some(path) = &common.tuning_file {
        let refused = |error: TuningError| {
            explain(&error).map_message(|message| format!("{}: {message}", path.display()))
        };
        tuning.apply_toml(&read(path)?).map_err(refused)?;
    }
    if let Some(threads) = common.threads {
        tuning.threads = Some(threads.into());
    }
    tuning.host_memory = common.host_memory.unwrap_or(tuning.host_memory);
    if let Some(bytes) = &common.memory_budget {
        let set = tuning.set("memory-budget", bytes);
        set.map_err(|error| explain(&error))?;
    }
    tuning.lanes = common.lanes.map_or(tuning.lanes, Into::into);
    for pair in &common.set {
        tuning.set_pair(pair).map_err(|error| explain(&error))?;
    }
    Ok(tuning)
}

/// A setting that cannot be used.
pub(crate) fn explain(error: &TuningError) -> Failure {
    Failure::bad_input(chain(error)).with_hint("cuzk doctor lists the switches and their values")
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::file("reading", path, &error);
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    let got = file.take(MAX_TUNING_BYTES + 1).read_to_string(&mut text);
    if got.map_err(failed)? as u64 > MAX_TUNING_BYTES {
        let path = path.display();
        return Err(Failure::bad_input(format!(
            "{path} is too long: expected at most {MAX_TUNING_BYTES} bytes of switches"
        )));
    }
    Ok(text)
}

/// Sends the library's spans and warnings to standard error.
pub(crate) fn init_tracing(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(level))
        .with_writer(std::io::stderr)
        // A closed stream takes the messages, and nothing else is to be said about it.
        .log_internal_errors(false)
        .with_span_events(FmtSpan::CLOSE)
        .init();
}

/// The prover that the options describe, which works in the pool of the program.
pub(crate) fn prover(common: &Common) -> Result<Prover, Failure> {
    start_pool(common)?;
    // The threads are those of the program's pool.
    prover_with(common, common.tuning.with_threads(None))
}

/// A prover with these switches; one that asks for threads gets a pool of its own.
pub(crate) fn prover_with(common: &Common, tuning: Tuning) -> Result<Prover, Failure> {
    let mut builder = Prover::builder()
        .backend(common.backend)
        .devices(common.device.clone(), DeviceOptions::default())
        .tuning(tuning);
    if let Some(folder) = &common.cache {
        builder = builder.cache(folder);
    }
    Ok(builder.build()?)
}

/// Starts the threads that all work of this process shares.
#[expect(
    clippy::disallowed_methods,
    reason = "the pool and the environment belong to the program"
)]
pub(crate) fn start_pool(common: &Common) -> Result<(), Failure> {
    let threads = common.tuning.threads.unwrap_or(0);
    // The pool takes this number by itself, but tens of thousands of threads never start.
    let wanted = std::env::var("RAYON_NUM_THREADS").ok();
    let wanted = wanted.and_then(|number| number.parse::<usize>().ok());
    if let Some(got) = wanted.filter(|&wanted| threads == 0 && wanted > MAX_THREADS) {
        return Err(Failure::bad_input(format!(
            "RAYON_NUM_THREADS is too large: expected at most {MAX_THREADS}, got {got}"
        )));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("cuzk-{i}"))
        .build_global()
        .map_err(|error| {
            Failure::bad_input(format!("starting threads failed: {}", chain(&error)))
                .with_hint("ask for fewer with --threads, or raise the system's limit")
        })
}
