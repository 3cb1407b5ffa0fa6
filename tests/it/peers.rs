//! The same bytes as `bellman` 0.14 and `bellperson` 0.27: parameters for the same trapdoor,
//! proofs for the same blinding, and their verifiers accept ours.

use std::sync::Arc;

use bls12_381::Bls12;
use cuzk_cpu::Cpu;
use cuzk_curve::{Fr, G1Projective, G2Projective};
use cuzk_groth16::{
    Blinding, Proof, ProvingKey, Trapdoor, generate_parameters, prove, with_trapdoor,
};
use cuzk_params::{Check, Parameters, ReadOptions};
use cuzk_phase::Timeline;
use cuzk_r1cs::Shape;
use cuzk_synth::{Bellman, Bellpepper};
use cuzk_testkit::{Program, RandomSystem};
use ff::Field;
use group::Group;
use proptest::{prelude::*, test_runner::Config};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::foreign::{Foreign, is_sound_elsewhere, to_foreign};

fn program() -> impl Strategy<Value = (u64, Program)> {
    // Sizes at which every domain from 2^1 to 2^7 occurs; the bits decide how many ones a
    // witness has.
    (any::<u64>(), 0usize..100, 0usize..6, 0u32..100).prop_map(
        |(seed, constraints, public_inputs, bits_percent)| {
            let system = RandomSystem {
                seed,
                constraints,
                public_inputs,
                bits_percent,
            };
            (seed, system.program())
        },
    )
}

fn scalars<const N: usize>(seed: u64) -> [Fr; N] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    [(); N].map(|()| Fr::random(&mut rng))
}

fn ours(shape: &Arc<Shape>, program: &Program, parameters: &Parameters, [r, s]: [Fr; 2]) -> Proof {
    let backend = Cpu::default();
    let key = ProvingKey::prepare(&backend, Arc::clone(shape), parameters).expect("fits");
    let witness = cuzk_synth::witness(Bellman::new(Foreign(program))).expect("values are known");
    let blinding = Blinding::fixed(r, s);
    prove(&backend, &key, &witness, &blinding, &Timeline::start()).expect("satisfied")
}

fn written(parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).expect("memory takes it");
    bytes
}

fn read(bytes: &[u8]) -> Parameters {
    let options = ReadOptions {
        check: Check::Subgroup,
        ..ReadOptions::default()
    };
    let loaded = Parameters::from_bytes(bytes, &options).expect("a file of another prover");
    loaded.parameters
}

/// The proof of `bellman` under parameters it read, and whether its verifier takes ours.
fn bellmans(bytes: &[u8], program: &Program, [r, s]: [Fr; 2], ours: &Proof) -> ([u8; 192], bool) {
    use bellman::groth16::{Proof, create_proof, prepare_verifying_key, verify_proof};
    let parameters = bellman::groth16::Parameters::<Bls12>::read(bytes, true).expect("readable");
    let (r, s) = (to_foreign(&r), to_foreign(&s));
    let proof = create_proof(Foreign(program), &parameters, r, s).expect("satisfied");
    let mut encoded = Vec::new();
    proof.write(&mut encoded).expect("memory takes it");
    let key = prepare_verifying_key(&parameters.vk);
    let ours = Proof::read(&ours.to_bytes()[..]).expect("a strict encoding");
    let inputs: Vec<_> = program.public_inputs().iter().map(to_foreign).collect();
    let accepted = verify_proof(&key, &ours, &inputs).is_ok();
    (encoded.try_into().expect("192 bytes"), accepted)
}

proptest! {
    #![proptest_config(Config::with_cases(24))]

    #[test]
    fn proofs_equal_bellmans_under_our_parameters((seed, program) in program()) {
        let shape = Arc::new(cuzk_synth::shape(Bellman::new(Foreign(&program))).expect("sound"));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let parameters = generate_parameters(&Cpu::default(), &shape, &mut rng, &Timeline::start(), |_| {}).expect("sound");
        let blinding = scalars(seed ^ 1);
        let ours = ours(&shape, &program, &parameters, blinding);
        prop_assume!(is_sound_elsewhere(&program, &shape));
        let (theirs, accepted) = bellmans(&written(&parameters), &program, blinding, &ours);
        prop_assert!(accepted);
        prop_assert_eq!(ours.to_bytes(), theirs);
    }

    #[test]
    fn proofs_and_parameters_equal_bellmans_under_its_own((seed, program) in program()) {
        // Its generator panics without auxiliary variables.
        prop_assume!(program.num_aux() > 0);
        let shape = Arc::new(cuzk_synth::shape(Bellman::new(Foreign(&program))).expect("sound"));
        let values = scalars(seed);
        let [alpha, beta, gamma, delta, tau] = values.each_ref().map(to_foreign);
        let parameters = bellman::groth16::generate_parameters::<Bls12, _>(
            Foreign(&program),
            bls12_381::G1Projective::generator(),
            bls12_381::G2Projective::generator(),
            alpha,
            beta,
            gamma,
            delta,
            tau,
        )
        .expect("sound");
        let mut bytes = Vec::new();
        parameters.write(&mut bytes).expect("memory takes it");
        let [alpha, beta, gamma, delta, tau] = values;
        let trapdoor = Trapdoor::new(alpha, beta, gamma, delta, tau).expect("not zero");
        let generated = with_trapdoor(&Cpu::default(), &shape, &trapdoor, &Timeline::start(), |_| {}).expect("sound");
        prop_assert_eq!(written(&generated), bytes.clone());

        let blinding = scalars(seed ^ 1);
        let ours = ours(&shape, &program, &read(&bytes), blinding);
        prop_assume!(is_sound_elsewhere(&program, &shape));
        let (theirs, accepted) = bellmans(&bytes, &program, blinding, &ours);
        prop_assert!(accepted);
        prop_assert_eq!(ours.to_bytes(), theirs);
    }

    #[test]
    fn proofs_and_parameters_equal_bellpersons((seed, program) in program()) {
        use bellperson::groth16::{
            Parameters, Proof, create_proof, prepare_verifying_key, verify_proof,
        };
        let circuit = Bellpepper(Foreign(&program));
        let shape = Arc::new(cuzk_synth::shape(circuit.clone()).expect("sound"));
        let witness = cuzk_synth::witness(circuit).expect("values are known");
        let [alpha, beta, gamma, delta, tau, r, s] = scalars(seed);
        let trapdoor = Trapdoor::new(alpha, beta, gamma, delta, tau).expect("not zero");
        let parameters = with_trapdoor(&Cpu::default(), &shape, &trapdoor, &Timeline::start(), |_| {}).expect("sound");
        let bytes = written(&parameters);
        let generated = bellperson::groth16::generate_parameters::<blstrs::Bls12, _>(
            Foreign(&program),
            G1Projective::generator(),
            G2Projective::generator(),
            alpha,
            beta,
            gamma,
            delta,
            tau,
        )
        .expect("sound");
        let mut theirs = Vec::new();
        generated.write(&mut theirs).expect("memory takes it");
        prop_assert_eq!(&theirs, &bytes);

        let backend = Cpu::default();
        let key = ProvingKey::prepare(&backend, shape.clone(), &parameters).expect("fits");
        let blinding = Blinding::fixed(r, s);
        let ours = prove(&backend, &key, &witness, &blinding, &Timeline::start())
            .expect("satisfied");
        prop_assume!(is_sound_elsewhere(&program, &shape));
        let read = Parameters::<blstrs::Bls12>::read(&bytes[..], true).expect("readable");
        let theirs = create_proof(Foreign(&program), &read, r, s).expect("satisfied");
        let mut encoded = Vec::new();
        theirs.write(&mut encoded).expect("memory takes it");
        prop_assert_eq!(&ours.to_bytes()[..], &encoded);
        let proof = Proof::read(&ours.to_bytes()[..]).expect("a strict encoding");
        let key = prepare_verifying_key(&read.vk);
        prop_assert!(verify_proof(&key, &proof, &program.public_inputs()).expect("inputs fit"));
    }
}
