//! Whole proofs: the bytes are those of the CPU for the same blinding.

use std::sync::Arc;

use cuzk_backend::ProverBackend;
use cuzk_cpu::Cpu;
use cuzk_cuda::Cuda;
use cuzk_curve::Fr;
use cuzk_groth16::{
    Blinding, FoldedQueries, Proof, ProveError, ProvingKey, generate_parameters, prove,
    prove_batch, prove_evaluations,
};
use cuzk_hostmem::HostAllocator;
use cuzk_params::Parameters;
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::Circuit;
use cuzk_testkit::{RandomSystem, rng};

/// A circuit with a witness and parameters.
pub(crate) struct Case {
    pub(crate) shape: Arc<Shape>,
    pub(crate) witness: PackedWitness,
    pub(crate) parameters: Parameters,
}

pub(crate) fn blinding(seed: u64) -> Blinding {
    Blinding::fixed(Fr::from(1_000_003 + seed), -Fr::from(7 + seed))
}

/// Whole set-ups of circuits of so many constraints, of several values of the randomness.
pub(crate) fn parameters_have_the_bytes_of_the_cpu(cuda: &Cuda, sizes: &[usize]) {
    for &size in sizes {
        let program = RandomSystem::new(size as u64, size).program();
        let shape = cuzk_synth::shape(&program).expect("the circuit is sound");
        let timeline = Timeline::start();
        let seed = 1 + size as u64;
        let got = generate_parameters(cuda, &shape, &mut rng(seed), &timeline, |_| {});
        let report = timeline.finish();
        let row = report.phase(Phase::FixedBase).expect("it occurred");
        assert!(row.device.is_some(), "the device's clock tells of it");
        let timeline = Timeline::start();
        let cpu = Cpu::default();
        let expected = generate_parameters(&cpu, &shape, &mut rng(seed), &timeline, |_| {});
        let [got, expected] = [got, expected].map(|parameters| {
            let mut bytes = Vec::new();
            let parameters = parameters.expect("the circuit is sound");
            parameters.write(&mut bytes).expect("into memory");
            bytes
        });
        assert!(got == expected, "{size} constraints");
    }
}

impl Case {
    pub(crate) fn of(circuit: impl Circuit + Clone) -> Self {
        let shape = cuzk_synth::shape(circuit.clone()).expect("the circuit is sound");
        let parameters = generate_parameters(
            &Cpu::default(),
            &shape,
            &mut rng(0),
            &Timeline::start(),
            |_| {},
        )
        .expect("sound");
        Self {
            witness: cuzk_synth::witness(circuit).expect("values are known"),
            shape: Arc::new(shape),
            parameters,
        }
    }

    pub(crate) fn key<B: ProverBackend>(&self, backend: &B) -> ProvingKey<B> {
        ProvingKey::prepare(backend, Arc::clone(&self.shape), &self.parameters).expect("the key")
    }

    /// Some proofs, one after the other.
    pub(crate) fn proofs<B: ProverBackend>(&self, backend: &B, n: u64) -> Vec<Proof> {
        let key = self.key(backend);
        let proof = |seed| {
            let timeline = Timeline::start();
            prove(backend, &key, &self.witness, &blinding(seed), &timeline)
        };
        let proofs: Result<_, ProveError> = (0..n).map(proof).collect();
        proofs.expect("every proof")
    }

    /// As many proofs in one batch.
    pub(crate) fn batch<B: ProverBackend>(&self, backend: &B, n: u64) -> Vec<Proof> {
        let key = self.key(backend);
        let blindings: Vec<Blinding> = (0..n).map(blinding).collect();
        let witnesses = vec![self.witness.clone(); blindings.len()];
        let timeline = Timeline::start();
        let proofs = prove_batch(backend, &key, &witnesses, &blindings, &timeline);
        let proofs: Result<_, ProveError> = proofs.expect("a batch").into_iter().collect();
        proofs.expect("every proof")
    }
}

pub(crate) fn random_circuits_have_the_bytes_of_the_cpu(cuda: &Cuda, sizes: &[usize]) {
    for (seed, &constraints) in (0..).zip(sizes) {
        for bits_percent in [0, 90] {
            let system = RandomSystem::new(seed, constraints).with_bits_percent(bits_percent);
            let case = Case::of(&system.program());
            let (ours, theirs) = (case.proofs(cuda, 1), case.proofs(&Cpu::default(), 1));
            assert_eq!(
                ours, theirs,
                "{constraints} constraints, {bits_percent} % bits"
            );
        }
    }
}

/// Queries derived on the device, and proofs with a quotient of four transforms.
pub(crate) fn folded_keys_have_the_bytes_of_the_cpu(cuda: &Cuda, sizes: &[usize]) {
    for (seed, &constraints) in (40..).zip(sizes) {
        let case = Case::of(&RandomSystem::new(seed, constraints).program());
        let (shape, memory) = (Arc::clone(&case.shape), HostAllocator::default());
        let folded = FoldedQueries::derive(cuda, &shape, &case.parameters, &memory, &mut rng(1));
        let folded = folded.expect("the key is the circuit's");
        let key = ProvingKey::prepare_folded(cuda, shape, &case.parameters, &folded);
        let timeline = Timeline::start();
        let key = key.expect("the key is the circuit's");
        let proof = prove(cuda, &key, &case.witness, &blinding(0), &timeline);
        let expected = case.proofs(&Cpu::default(), 1);
        assert_eq!(
            proof.expect("a proof"),
            expected[0],
            "{constraints} constraints"
        );
    }
}

pub(crate) fn a_batch_and_a_direct_pass_have_the_bytes_of_the_cpu(cuda: &Cuda, size: usize) {
    let program = RandomSystem::new(9, size).program();
    let case = Case::of(&program);
    let expected = case.proofs(&Cpu::default(), 3);
    assert_eq!(case.batch(cuda, 3), expected);
    let direct = cuzk_synth::direct(&program, &Default::default()).expect("values are known");
    let key = case.key(cuda);
    let timeline = Timeline::start();
    let proof = prove_evaluations(cuda, key.queries(), direct, &blinding(0), &timeline);
    assert_eq!(proof.expect("a proof"), expected[0]);
}

pub(crate) fn repeated_proofs_have_the_bytes_of_the_cpu(
    cuda: &Cuda,
    circuit: impl Circuit + Clone,
) {
    let case = Case::of(circuit);
    assert_eq!(case.proofs(cuda, 3), case.proofs(&Cpu::default(), 3));
}

/// As many threads as seeds, each with a circuit of its own: no result is another's.
pub(crate) fn concurrent_proofs_have_the_bytes_of_the_cpu(cudas: &[&Cuda], seeds: u64) {
    let case = |seed| {
        let size = 1 + usize::try_from(seed).expect("few");
        Case::of(
            &RandomSystem::new(seed, size)
                .with_bits_percent(50)
                .program(),
        )
    };
    let cases: Vec<(Case, Vec<Proof>)> = (0..seeds)
        .map(case)
        .map(|case| {
            let expected = case.proofs(&Cpu::default(), 2);
            (case, expected)
        })
        .collect();
    let begin = std::sync::Barrier::new(cases.len());
    std::thread::scope(|scope| {
        for (i, (case, expected)) in cases.iter().enumerate() {
            let (begin, cuda) = (&begin, cudas[i % cudas.len()]);
            scope.spawn(move || {
                begin.wait();
                assert_eq!(&case.proofs(cuda, 2), expected, "thread {i}");
            });
        }
    });
}
