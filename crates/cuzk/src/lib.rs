#![doc = include_str!("../README.md")]
#![doc = include_str!("tutorial.md")]
#![forbid(unsafe_code)]

mod backend;
mod board;
mod compiled;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
mod devices;
mod error;
mod held;
mod machine;
mod machines;
mod once;
mod pipeline;
mod preparation;
mod prover;
#[cfg(feature = "cuda")]
mod seats;
#[cfg(feature = "cuda")]
mod several;
mod tuning;
mod turns;
mod waiting;

/// The crates beneath, for whoever needs one layer of them.
pub mod layers {
    pub use {
        cuzk_backend as backend, cuzk_cpu as cpu, cuzk_curve as curve, cuzk_groth16 as groth16,
        cuzk_hostmem as hostmem, cuzk_lanes as lanes, cuzk_params as params, cuzk_phase as phase,
        cuzk_r1cs as r1cs, cuzk_synth as synth,
    };
    #[cfg(feature = "cuda")]
    pub use {cuzk_cuda as cuda, cuzk_device as device};
}

pub use backend::{Backend, ParseBackendError};
pub use compiled::{Compiled, Proved};
pub use cuzk_backend::{Ones, WindowBits, WitnessSchedule};
pub use cuzk_curve::Fr;
#[cfg(feature = "cuda")]
pub use cuzk_device::{DeviceOptions, DeviceSelector};
pub use cuzk_groth16::{
    Blinding, PreparedVerifyingKey, Progress, Proof, ProofError, ProveError, SetupError,
    VerifyError, verify, verify_batch,
};
pub use cuzk_hostmem::HostMemory;
pub use cuzk_lanes::Lanes;
pub use cuzk_params::{
    Check, Digest, Loaded, ParameterFile, Parameters, ParamsError, ReadOptions, Trailing,
    VerifyingKey,
};
pub use cuzk_phase::{Measure, Phase, Report, Timeline};
pub use cuzk_r1cs::{PackedWitness, Shape};
#[cfg(feature = "bellman")]
pub use cuzk_synth::Bellman;
#[cfg(feature = "bellpepper")]
pub use cuzk_synth::Bellpepper;
pub use cuzk_synth::{
    CheckError, Circuit, ConstraintSystem, Counts, LinearCombination, SynthesisError, Unsatisfied,
    Variable,
};
#[cfg(feature = "cuda")]
pub use devices::Devices;
pub use error::Error;
pub use pipeline::{Finished, Pipeline, PipelineOptions, PipelineStatus, Refused, Ticket};
pub use prover::{Prover, ProverBuilder};
pub use tuning::{MsmMethod, Precompute, Quotient, Switch, Synthesis, Tuning, TuningError};

/// The code of the repository's README, so that it keeps compiling.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
