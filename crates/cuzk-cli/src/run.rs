//! What the commands share.

use cuzk::{Prover, Tuning};
use tracing_subscriber::{EnvFilter, fmt::format::FmtSpan};

use crate::{args::Common, failure::Failure};

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
        .with_span_events(FmtSpan::CLOSE)
        .init();
}

/// The prover that the options describe.
pub(crate) fn prover(common: &Common) -> Result<Prover, Failure> {
    let mut builder = Prover::builder()
        .backend(common.backend)
        .host_memory(common.host_memory)
        .tuning(Tuning::new().with_lanes(common.lanes.into()));
    if let Some(threads) = common.threads {
        builder = builder.threads(threads.into());
    }
    Ok(builder.build()?)
}
