#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assemble;
mod batch;
mod blinding;
mod circuit_layout;
mod diagnose;
mod error;
mod folded;
mod key;
mod laps;
mod many;
mod planned;
mod proof;
mod prove;
mod secret;
mod setup;
mod steps;
mod verify;

pub use batch::verify_batch;
pub use blinding::Blinding;
pub use circuit_layout::CircuitLayout;
pub use error::{ProofError, ProveError, SetupError, VerifyError};
pub use folded::FoldedQueries;
pub use key::{ProvingKey, QueryKey};
pub use many::{Job, prove_batch, prove_each};
pub use proof::Proof;
pub use prove::{prove, prove_evaluations};
pub use setup::{Progress, Trapdoor, generate_parameters, with_trapdoor};
pub use verify::{PreparedVerifyingKey, verify};
