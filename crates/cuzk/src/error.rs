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
