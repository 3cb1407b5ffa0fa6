use std::{path::Path, time::Instant};

use anyhow::Result;
use bellman::groth16::{self, Parameters, PreparedVerifyingKey, Proof};
use bls12_381::{Bls12, Scalar as Fr};

use crate::{
    provers::{Blinding, PROOF_BYTES, Ready, Session, zkcrypto::bind},
    scalar::Scalar,
};

bind!(bellman, Fr, OnBellman);

struct Bellman<C> {
    parameters: Parameters<Bls12>,
    verifying: PreparedVerifyingKey<Bls12>,
    circuit: C,
    public_inputs: Vec<Fr>,
}

impl<C> OnBellman<C> {
    /// Reads the parameters, without checks of the points, for a circuit of `bellman`'s own
    /// trait.
    pub(crate) fn ready(parameters: &Path, circuit: C, public_inputs: Vec<Fr>) -> Result<Ready>
    where
        C: bellman::Circuit<Fr> + Clone + 'static,
    {
        let start = Instant::now();
        let bytes = std::fs::read(parameters)?;
        let parameters = Parameters::read(&bytes[..], false)?;
        let load = start.elapsed();
        let verifying = groth16::prepare_verifying_key(&parameters.vk);
        let prepare = std::time::Duration::ZERO;
        let session = Bellman {
            parameters,
            verifying,
            circuit,
            public_inputs,
        };
        Ok(Ready {
            session: Box::new(session),
            load,
            prepare,
            constraints: None,
        })
    }
}

impl<C: bellman::Circuit<Fr> + Clone> Session for Bellman<C> {
    fn prove(&self, blinding: Blinding) -> Result<[u8; PROOF_BYTES]> {
        let [r, s] = [blinding.r, blinding.s].map(Fr::from_le_bytes);
        let proof = groth16::create_proof(self.circuit.clone(), &self.parameters, r, s)?;
        let mut bytes = [0; PROOF_BYTES];
        proof.write(&mut bytes[..])?;
        Ok(bytes)
    }

    fn verify(&self, proof: &[u8; PROOF_BYTES]) -> Result<bool> {
        let proof = Proof::read(&proof[..])?;
        let verdict = groth16::verify_proof(&self.verifying, &proof, &self.public_inputs);
        Ok(verdict.is_ok())
    }
}
