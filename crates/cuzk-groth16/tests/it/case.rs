//! What most tests start from: a random circuit, its witness and parameters.

use std::sync::Arc;

use cuzk_backend::ProverBackend;
use cuzk_cpu::Cpu;
use cuzk_curve::Fr;
use cuzk_groth16::{
    Blinding, FoldedQueries, Proof, ProveError, ProvingKey, generate_parameters, prove,
    prove_evaluations,
};
use cuzk_hostmem::HostAllocator;
use cuzk_params::Parameters;
use cuzk_phase::Timeline;
use cuzk_r1cs::{PackedWitness, Shape, WitnessBuilder};
use cuzk_testkit::{Program, RandomSystem};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

pub(crate) struct Case {
    pub(crate) program: Program,
    pub(crate) shape: Arc<Shape>,
    pub(crate) witness: PackedWitness,
    pub(crate) parameters: Parameters,
}

impl Case {
    pub(crate) fn random(seed: u64, constraints: usize) -> Self {
        Self::of(RandomSystem::new(seed, constraints).program())
    }

    pub(crate) fn of(program: Program) -> Self {
        let shape = cuzk_synth::shape(&program).expect("the program is sound");
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let parameters = generate_parameters(
            &Cpu::default(),
            &shape,
            &mut rng,
            &Timeline::start(),
            |_| {},
        )
        .expect("the shape is sound");
        Self {
            witness: cuzk_synth::witness(&program).expect("values are known"),
            shape: Arc::new(shape),
            program,
            parameters,
        }
    }

    pub(crate) fn key<B: ProverBackend>(&self, backend: &B) -> ProvingKey<B> {
        ProvingKey::prepare(backend, Arc::clone(&self.shape), &self.parameters)
            .expect("the key is the circuit's")
    }

    pub(crate) fn folded(&self) -> FoldedQueries {
        let (memory, mut rng) = (HostAllocator::default(), ChaCha8Rng::seed_from_u64(1));
        FoldedQueries::derive(
            &Cpu::default(),
            &self.shape,
            &self.parameters,
            &memory,
            &mut rng,
        )
        .expect("the key is the circuit's")
    }

    /// A key whose quotient takes four transforms.
    pub(crate) fn folded_key<B: ProverBackend>(&self, backend: &B) -> ProvingKey<B> {
        let (shape, folded) = (Arc::clone(&self.shape), self.folded());
        ProvingKey::prepare_folded(backend, shape, &self.parameters, &folded)
            .expect("the key is the circuit's")
    }

    pub(crate) fn prove<B: ProverBackend>(&self, backend: &B) -> Result<Proof, ProveError> {
        self.prove_witness(backend, &self.witness)
    }

    pub(crate) fn prove_witness<B: ProverBackend>(
        &self,
        backend: &B,
        witness: &PackedWitness,
    ) -> Result<Proof, ProveError> {
        let key = self.key(backend);
        prove(backend, &key, witness, &blinding(), &Timeline::start())
    }

    pub(crate) fn prove_directly<B: ProverBackend>(
        &self,
        backend: &B,
    ) -> Result<Proof, ProveError> {
        let evaluations =
            cuzk_synth::direct(&self.program, &Default::default()).expect("values are known");
        let key = self.key(backend);
        let timeline = Timeline::start();
        prove_evaluations(backend, key.queries(), evaluations, &blinding(), &timeline)
    }

    /// The first constraint that an assignment breaks, by the definition.
    pub(crate) fn first_broken(&self, values: &[Fr]) -> Option<usize> {
        let product = |matrix: &cuzk_r1cs::CsrMatrix, row| -> Fr {
            matrix.row_terms(row).map(|(j, k)| k * values[j]).sum()
        };
        let shape = &self.shape;
        (0..shape.num_constraints()).find(|&row| {
            product(shape.a(), row) * product(shape.b(), row) != product(shape.c(), row)
        })
    }
}

pub(crate) fn blinding() -> Blinding {
    Blinding::fixed(Fr::from(1_000_003), -Fr::from(7))
}

/// An assignment as a packed witness.
pub(crate) fn packed(num_inputs: usize, values: &[Fr]) -> PackedWitness {
    let mut builder = WitnessBuilder::new();
    let (inputs, aux) = values.split_at(num_inputs);
    inputs.iter().for_each(|&value| builder.push_input(value));
    aux.iter().for_each(|&value| builder.push_aux(value));
    builder.finish().expect("the first input is one")
}
