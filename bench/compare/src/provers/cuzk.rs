use std::{cell::Cell, path::Path, sync::Arc, time::Instant};

use anyhow::Result;
use blstrs::Scalar as Fr;
use cuzk_cpu::Cpu;
use cuzk_groth16::{Proof, ProvingKey, prove, verify};
use cuzk_lanes::Lanes;
use cuzk_params::{ParameterFile, ReadOptions, Trailing};
use cuzk_phase::{Phase, Report, Timeline};
use cuzk_synth::{ConstraintSystem, LinearCombination, SynthesisError, Variable};

use crate::{
    provers::{Blinding, PROOF_BYTES, Ready, Session},
    scalar::Scalar,
    system::{Circuit, System, Terms},
};

struct OnSystem<'a, CS>(&'a mut CS);

impl Terms<Fr, Variable> for LinearCombination {
    fn plus(self, coefficient: Fr, variable: Variable) -> Self {
        self + (coefficient, variable)
    }
}

impl<CS: ConstraintSystem> System for OnSystem<'_, CS> {
    type Scalar = Fr;
    type Variable = Variable;
    type Terms = LinearCombination;
    type Error = SynthesisError;

    fn one() -> Variable {
        Variable::ONE
    }

    fn alloc(&mut self, value: impl FnOnce() -> Fr) -> Result<Variable, SynthesisError> {
        self.0.alloc(|| "", || Ok(value()))
    }

    fn alloc_bit(&mut self, value: impl FnOnce() -> bool) -> Result<Variable, SynthesisError> {
        self.0.alloc_bit(|| "", || Ok(value()))
    }

    fn alloc_input(&mut self, value: impl FnOnce() -> Fr) -> Result<Variable, SynthesisError> {
        self.0.alloc_input(|| "", || Ok(value()))
    }

    fn enforce(
        &mut self,
        a: impl FnOnce(Self::Terms) -> Self::Terms,
        b: impl FnOnce(Self::Terms) -> Self::Terms,
        c: impl FnOnce(Self::Terms) -> Self::Terms,
    ) -> Result<(), SynthesisError> {
        self.0.enforce(|| "", a, b, c);
        Ok(())
    }
}

/// A circuit of this program as a circuit of `cuzk`'s.
#[derive(Debug, Clone)]
pub(crate) struct OnCuzk<C>(pub(crate) C);

impl<C: Circuit> cuzk_synth::Circuit for OnCuzk<C> {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.0.synthesize(&mut OnSystem(cs))
    }
}
struct Cuzk<C> {
    backend: Cpu,
    key: ProvingKey<Cpu>,
    circuit: C,
    public_inputs: Vec<Fr>,
    last: Cell<Option<Report>>,
}

/// Reads the parameters, with the points' check that is cuzk's default, and does what is done
/// once per circuit: the matrices, and the key on the machine.
pub(super) fn ready<C>(parameters: &Path, lanes: Lanes, circuit: C) -> Result<Ready>
where
    C: cuzk_synth::Circuit + Clone + 'static,
{
    let start = Instant::now();
    // Ceremony files carry their transcript after the parameters.
    let options = ReadOptions {
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    };
    let parameters = ParameterFile::open(parameters)?.read(&options)?.parameters;
    let load = start.elapsed();
    let start = Instant::now();
    let backend = Cpu::new(lanes);
    let shape = Arc::new(cuzk_synth::shape(circuit.clone())?);
    let key = ProvingKey::prepare(&backend, Arc::clone(&shape), &parameters)?;
    let prepare = start.elapsed();
    let session = Cuzk {
        backend,
        key,
        public_inputs: cuzk_synth::witness(circuit.clone())?.public_inputs(),
        circuit,
        last: Cell::new(None),
    };
    Ok(Ready {
        session: Box::new(session),
        load,
        prepare,
        constraints: Some(shape.num_constraints()),
    })
}

impl<C: cuzk_synth::Circuit + Clone> Session for Cuzk<C> {
    fn prove(&self, blinding: Blinding) -> Result<[u8; PROOF_BYTES]> {
        let [r, s] = [blinding.r, blinding.s].map(Fr::from_le_bytes);
        let timeline = Timeline::start();
        let witness = timeline.measure(Phase::Synthesize, || {
            cuzk_synth::witness(self.circuit.clone())
        })?;
        let blinding = cuzk_groth16::Blinding::fixed(r, s);
        let proof = prove(&self.backend, &self.key, &witness, &blinding, &timeline)?;
        self.last.set(Some(timeline.finish()));
        Ok(proof.to_bytes())
    }

    fn report(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self.last.take()?).ok()
    }

    fn verify(&self, proof: &[u8; PROOF_BYTES]) -> Result<bool> {
        let proof = Proof::from_bytes(proof)?;
        Ok(verify(self.key.verifying_key(), &proof, &self.public_inputs).is_ok())
    }
}
