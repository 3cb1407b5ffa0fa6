use std::{path::Path, time::Instant};

use anyhow::Result;
use bellperson::groth16::{self, Parameters, PreparedVerifyingKey, Proof};
use blstrs::{Bls12, Scalar as Fr};

use crate::{
    provers::{Blinding, PROOF_BYTES, Ready, Session, zkcrypto::bind},
    scalar::Scalar,
};

bind!(bellperson, Fr, OnBellperson);

struct Bellperson<C> {
    parameters: Parameters<Bls12>,
    verifying: PreparedVerifyingKey<Bls12>,
    circuit: C,
    public_inputs: Vec<Fr>,
}

impl<C> OnBellperson<C> {
    /// Reads the parameters, without checks of the points, for a circuit of `bellperson`'s own
    /// trait.
    pub(crate) fn ready(parameters: &Path, circuit: C, public_inputs: Vec<Fr>) -> Result<Ready>
    where
        C: bellperson::Circuit<Fr> + Clone + Send + 'static,
    {
        let start = Instant::now();
        let bytes = std::fs::read(parameters)?;
        let parameters = Parameters::read(&bytes[..], false)?;
        let load = start.elapsed();
        let verifying = groth16::prepare_verifying_key(&parameters.vk);
        let prepare = std::time::Duration::ZERO;
        let session = Bellperson {
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

impl<C: bellperson::Circuit<Fr> + Clone + Send> Session for Bellperson<C> {
    fn prove(&self, blinding: Blinding) -> Result<[u8; PROOF_BYTES]> {
        let [r, s] = [blinding.r, blinding.s].map(Fr::from_le_bytes);
        let proof = groth16::create_proof(self.circuit.clone(), &self.parameters, r, s)?;
        let mut bytes = [0; PROOF_BYTES];
        proof.write(&mut bytes[..])?;
        Ok(bytes)
    }

    fn verify(&self, proof: &[u8; PROOF_BYTES]) -> Result<bool> {
        let proof = Proof::read(&proof[..])?;
        let verdict = groth16::verify_proof(&self.verifying, &proof, &self.public_inputs)?;
        Ok(verdict)
    }
}
