mod ark;
mod bellman;
mod bellperson;
mod cuzk;
mod zkcrypto;

use std::{fmt, path::Path, time::Duration};

use anyhow::Result;
use clap::ValueEnum;
use cuzk_lanes::Lanes;
use cuzk_sapling::Statement;
use serde::{Deserialize, Serialize};

use crate::{
    circuits::{Task, recorded},
    scalar::Scalar,
    system::Circuit,
};

pub(crate) use self::{ark::OnArk, bellman::OnBellman, bellperson::OnBellperson, cuzk::OnCuzk};

/// Bytes of a proof: A and C compressed in G1, B in G2.
pub(crate) const PROOF_BYTES: usize = 192;

/// The provers that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Prover {
    Bellman,
    Bellperson,
    Ark,
    /// On the arithmetic that any processor has.
    CuzkPortable,
    Cuzk,
}

impl Prover {
    /// Those that take turns unless the caller says otherwise, in their order.
    pub(crate) const DEFAULT: [Self; 4] = [Self::Bellman, Self::Bellperson, Self::Ark, Self::Cuzk];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bellman => "bellman",
            Self::Bellperson => "bellperson",
            Self::Ark => "ark",
            Self::CuzkPortable => "cuzk-portable",
            Self::Cuzk => "cuzk",
        }
    }

    /// The released version that this program is pinned to.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Bellman => "bellman 0.14.0 (multicore)",
            Self::Bellperson => "bellperson 0.27.0 (CPU)",
            Self::Ark => "ark-groth16 0.6.0 (std, parallel)",
            Self::CuzkPortable | Self::Cuzk => concat!("cuzk ", env!("CARGO_PKG_VERSION")),
        }
    }
}

impl fmt::Display for Prover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The two random numbers of a proof, as little-endian bytes; fixed, so that the proofs of
/// all provers can be compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blinding {
    pub(crate) r: [u8; 32],
    pub(crate) s: [u8; 32],
}

/// A prover that has its key and its circuit.
pub(crate) trait Session {
    /// Proves once; this call is what is timed.
    fn prove(&self, blinding: Blinding) -> Result<[u8; PROOF_BYTES]>;

    /// The phases of the last proof, where the prover tells.
    fn report(&self) -> Option<serde_json::Value> {
        None
    }

    /// Whether the prover's own verifier accepts.
    fn verify(&self, proof: &[u8; PROOF_BYTES]) -> Result<bool>;
}

/// A session and what it took to get there.
pub(crate) struct Ready {
    pub(crate) session: Box<dyn Session>,
    /// Reading the parameters.
    pub(crate) load: Duration,
    /// What is done once per circuit and key.
    pub(crate) prepare: Duration,
    /// Constraints, where the prover knows before it proves.
    pub(crate) constraints: Option<usize>,
}

/// Brings a prover to where it only has to prove: its key read, its circuit at hand.
pub(crate) struct GetReady<'a> {
    pub(crate) prover: Prover,
    pub(crate) parameters: &'a Path,
}

impl Task for GetReady<'_> {
    type Output = Ready;

    fn generic<C: Circuit + 'static>(self, circuit: C) -> Result<Ready> {
        let Self { prover, parameters } = self;
        match prover {
            Prover::Bellman => {
                let public_inputs = circuit.public_inputs();
                OnBellman::ready(parameters, OnBellman(circuit), public_inputs)
            }
            Prover::Bellperson => {
                let public_inputs = circuit.public_inputs();
                OnBellperson::ready(parameters, OnBellperson(circuit), public_inputs)
            }
            Prover::Ark => OnArk::ready(parameters, circuit),
            Prover::CuzkPortable => cuzk::ready(parameters, Lanes::Portable, OnCuzk(circuit)),
            Prover::Cuzk => cuzk::ready(parameters, Lanes::Detect, OnCuzk(circuit)),
        }
    }

    fn sapling(self, statement: Statement) -> Result<Ready> {
        let Self { prover, parameters } = self;
        match prover {
            Prover::Bellman => {
                let inputs = statement.public_inputs.into_iter();
                let inputs = inputs.map(Scalar::from_other).collect();
                OnBellman::ready(parameters, statement.instance, inputs)
            }
            Prover::Bellperson | Prover::Ark => self.generic(recorded(&statement.instance)?),
            Prover::CuzkPortable => cuzk::ready(parameters, Lanes::Portable, statement.instance),
            Prover::Cuzk => cuzk::ready(parameters, Lanes::Detect, statement.instance),
        }
    }
}
