use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use cuzk_measure::{Cost, confine, measured, peak_rss_bytes, reset_peak_rss, rss_bytes};
use serde::{Deserialize, Serialize};

use crate::{
    circuits::CircuitName,
    provers::{Blinding, GetReady, Prover},
};

/// One prover in a process of its own.
#[derive(Debug, Clone, Args)]
pub(crate) struct Job {
    #[arg(long)]
    pub(crate) prover: Prover,
    #[arg(long)]
    pub(crate) circuit: CircuitName,
    #[arg(long)]
    pub(crate) parameters: PathBuf,
    #[arg(long)]
    pub(crate) threads: usize,
    #[arg(long)]
    pub(crate) seed: u64,
    /// Proofs that are not counted.
    #[arg(long)]
    pub(crate) warm_up: usize,
    /// Proofs that are counted.
    #[arg(long)]
    pub(crate) proofs: usize,
}

/// What a child reports: one line of JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) prover: Prover,
    pub(crate) version: String,
    pub(crate) constraints: Option<usize>,
    pub(crate) load_ms: f64,
    pub(crate) prepare_ms: f64,
    /// The counted proofs in their order.
    pub(crate) proofs: Vec<Cost>,
    /// Resident before the first proof.
    pub(crate) loaded_rss_bytes: u64,
    /// The most that was resident while proving.
    pub(crate) peak_rss_bytes: u64,
    /// The phases of the last proof, where the prover tells.
    pub(crate) phases: Option<serde_json::Value>,
    /// The proof in hexadecimal.
    pub(crate) proof: String,
}

impl Job {
    /// Runs the job in this process.
    pub(crate) fn run(&self) -> Result<Outcome> {
        confine(self.threads)?;
        let blinding = blinding(self.seed);
        let task = GetReady {
            prover: self.prover,
            parameters: &self.parameters,
        };
        let ready = self.circuit.with(self.seed, task)?;
        let loaded_rss_bytes = rss_bytes()?;
        reset_peak_rss()?;
        let mut bytes = None;
        let mut proofs = Vec::with_capacity(self.proofs);
        for run in 0..self.warm_up + self.proofs {
            let (proof, cost) = measured(|| ready.session.prove(blinding));
            let proof = proof?;
            ensure!(
                *bytes.get_or_insert(proof) == proof,
                "two proofs with the same blinding differ"
            );
            if run >= self.warm_up {
                proofs.push(cost);
            }
        }
        let peak_rss_bytes = peak_rss_bytes()?;
        let phases = ready.session.report();
        let proof = bytes.ok_or_else(|| anyhow::anyhow!("no proof was asked for"))?;
        ensure!(
            ready.session.verify(&proof)?,
            "the prover's own verifier refuses the proof"
        );
        Ok(Outcome {
            prover: self.prover,
            version: self.prover.version().to_owned(),
            constraints: ready.constraints,
            load_ms: ready.load.as_secs_f64() * 1e3,
            prepare_ms: ready.prepare.as_secs_f64() * 1e3,
            proofs,
            loaded_rss_bytes,
            peak_rss_bytes,
            phases,
            proof: hex(&proof),
        })
    }
}

/// The same blinding for every prover; far from zero, below the modulus.
fn blinding(seed: u64) -> Blinding {
    use sha2::{Digest, Sha256};
    let scalar = |label: &str| {
        let digest = Sha256::new()
            .chain_update(label)
            .chain_update(seed.to_le_bytes())
            .finalize();
        let mut bytes: [u8; 32] = digest.into();
        bytes[31] = 0;
        bytes
    };
    Blinding {
        r: scalar("r"),
        s: scalar("s"),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
