use cuzk_groth16::{ProofError, ProveError, SetupError, VerifyError};
use cuzk_params::ParamsError;
use cuzk_synth::{CheckError, SynthesisError};
use thiserror::Error;

/// Whatever can go wrong between a circuit and its proof.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The number of threads cannot be had.
    #[error("no pool of {threads} threads")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the pool says.
        source: rayon::ThreadPoolBuildError,
    },
    /// More threads were asked for than a prover takes.
    #[error("too many threads: expected at most {max}, got {got}")]
    TooManyThreads {
        /// The most there may be, [`ProverBuilder::MAX_THREADS`](crate::ProverBuilder::MAX_THREADS).
        max: usize,
        /// Threads asked for.
        got: usize,
    },
    /// A thread does not start.
    #[error("no thread can be started")]
    Spawn {
        /// What the system says.
        source: std::io::Error,
    },
    /// A witness may be larger than all that a pipeline may hold.
    #[error(
        "the circuit's witness may be larger than the pipeline's budget: expected at most \
         {budget_bytes} bytes, got {needed_bytes}"
    )]
    JobTooLarge {
        /// Bytes that a witness of the circuit may have.
        needed_bytes: usize,
        /// Bytes of the budget, [`PipelineOptions::witness_budget_bytes`].
        ///
        /// [`PipelineOptions::witness_budget_bytes`]: crate::PipelineOptions::witness_budget_bytes
        budget_bytes: usize,
    },
    /// A pipeline makes witnesses, and no direct passes.
    #[error(
        "a pipeline makes witnesses by a pass of their own: expected synthesis=compiled, got synthesis=direct"
    )]
    PipelinePass,
    /// A pipeline has no room now.
    #[error(
        "the pipeline is full: {needed_bytes} bytes are needed, {free_bytes} of {budget_bytes} \
         are free, and others may wait for them"
    )]
    PipelineFull {
        /// Bytes that a witness of the circuit may have.
        needed_bytes: usize,
        /// Bytes that nobody has.
        free_bytes: usize,
        /// Bytes of the budget.
        budget_bytes: usize,
    },
    /// The ticket was cancelled.
    #[error("the proof was cancelled")]
    Cancelled,
    /// The pipeline was dropped before the proof was begun.
    #[error("the pipeline was dropped before the proof was begun")]
    Closed,
    /// The outcome of a ticket was taken before.
    #[error("the outcome of the ticket was taken before")]
    TicketSpent,
    /// The code of a circuit panicked.
    #[error("the circuit panicked: {message}")]
    CircuitPanicked {
        /// What the panic said.
        message: String,
    },
    /// The prover panicked, which is a fault of this library.
    #[error("the prover panicked: {message}")]
    ProverPanicked {
        /// What the panic said.
        message: String,
    },
    /// A switch has a value that it does not take.
    #[error("the tuning cannot be used")]
    Tuning(#[from] crate::TuningError),
    /// The backend was left out when this library was built.
    #[error("the backend {backend} is not built in: build with the feature of this name")]
    NotBuilt {
        /// The backend asked for.
        backend: crate::Backend,
    },
    /// The CUDA device cannot be used.
    #[cfg(feature = "cuda")]
    #[error("the CUDA device cannot be used")]
    Cuda(#[from] cuzk_cuda::CudaError),
    /// A device was asked for twice.
    #[cfg(feature = "cuda")]
    #[error("the device {uuid} was asked for twice")]
    DeviceTwice {
        /// Its UUID.
        uuid: String,
    },
    /// A list of devices names none.
    #[cfg(feature = "cuda")]
    #[error("devices to prove on: expected one at least, got none")]
    NoDevices,
    /// The device proves something else than the processor.
    #[cfg(feature = "cuda")]
    #[error("the device gave another proof than the processor for the same blinding")]
    KnownAnswer,
    /// The circuit could not be synthesized.
    #[error("synthesis failed")]
    Synthesis(#[from] SynthesisError),
    /// A constraint does not hold.
    #[error("the circuit is not satisfied")]
    Check(#[from] CheckError),
    /// The parameters could not be read.
    #[error("reading parameters failed")]
    Params(#[from] ParamsError),
    /// No parameters were generated.
    #[error("set-up failed")]
    Setup(#[from] SetupError),
    /// No proof was made.
    #[error("proving failed")]
    Prove(#[from] ProveError),
    /// Bytes are not a proof.
    #[error("decoding a proof failed")]
    Proof(#[from] ProofError),
    /// A proof was refused.
    #[error("verification failed")]
    Verify(#[from] VerifyError),
}
