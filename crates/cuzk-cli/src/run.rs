//! What the commands share.

use cuzk::{DeviceOptions, Prover, ProverBuilder, Tuning};
use tracing_subscriber::{EnvFilter, fmt::format::FmtSpan};

use crate::{
    args::Common,
    failure::{Failure, chain},
};

/// The most threads that are started.
const MAX_THREADS: usize = ProverBuilder::MAX_THREADS;

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
    let prover = Prover::builder()
        .backend(common.backend)
        .device(common.device.clone(), DeviceOptions::default())
        .host_memory(common.host_memory)
        .tuning(Tuning::new().with_lanes(common.lanes.into()))
        .build();
    Ok(prover?)
}

/// Starts the threads that all work of this process shares.
#[expect(
    clippy::disallowed_methods,
    reason = "the pool and the environment belong to the program"
)]
pub(crate) fn start_pool(common: &Common) -> Result<(), Failure> {
    let threads = common.threads.map_or(0, usize::from);
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
