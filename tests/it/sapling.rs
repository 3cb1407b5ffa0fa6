//! The circuits of Zcash Sapling with the parameters of their ceremony.

use std::sync::Arc;

use bls12_381::Bls12;
use cuzk_cpu::Cpu;
use cuzk_curve::Fr;
use cuzk_groth16::{
    Blinding, CircuitLayout, Proof, ProveError, ProvingKey, QueryKey, prove, prove_evaluations,
    verify,
};
use cuzk_params::{Parameters, ReadOptions, Trailing};
use cuzk_phase::Timeline;
use cuzk_r1cs::{PackedWitness, WitnessBuilder};
use cuzk_sapling::Circuit;
use ff::{Field, PrimeField};

use crate::foreign::to_foreign;

fn read(bytes: &[u8]) -> Parameters {
    let options = ReadOptions {
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    };
    Parameters::from_bytes(bytes, &options)
        .expect("the ceremony's file")
        .parameters
}

fn changed(witness: &PackedWitness, variable: usize) -> PackedWitness {
    let mut values = witness.unpack();
    values[variable] += Fr::ONE;
    let mut builder = WitnessBuilder::new();
    let (inputs, aux) = values.split_at(witness.num_inputs());
    inputs.iter().for_each(|&value| builder.push_input(value));
    aux.iter().for_each(|&value| builder.push_aux(value));
    builder.finish().expect("the first input is one")
}

/// Ours by both ways, under one reading of the file.
fn prove_both_ways(circuit: Circuit, bytes: &[u8], seed: u64, blinding: &Blinding) -> Proof {
    let backend = Cpu::default();
    let parameters = read(bytes);
    let shape = Arc::new(cuzk_synth::shape(circuit.blank()).expect("the circuit is sound"));
    let key = ProvingKey::prepare(&backend, shape, &parameters).expect("the file is the circuit's");
    let statement = circuit.statement(seed);
    let witness = cuzk_synth::witness(statement.instance.clone()).expect("values are known");
    assert_eq!(witness.public_inputs(), statement.public_inputs);
    let proof = prove(&backend, &key, &witness, blinding, &Timeline::start()).expect("satisfied");
    assert_eq!(
        verify(key.verifying_key(), &proof, &statement.public_inputs),
        Ok(())
    );

    let evaluations = cuzk_synth::direct(statement.instance, &Default::default()).expect("known");
    let layout = CircuitLayout::of_evaluations(&evaluations).expect("few rows");
    let queries = QueryKey::prepare(&backend, layout, &parameters);
    let queries = queries.expect("the file is the circuit's");
    let timeline = Timeline::start();
    let direct = prove_evaluations(&backend, &queries, evaluations, blinding, &timeline);
    assert_eq!(direct.expect("satisfied"), proof);

    // The last variable of the witness, and a public input.
    for variable in [witness.len() - 1, 1] {
        let witness = changed(&witness, variable);
        let refused = prove(&backend, &key, &witness, blinding, &Timeline::start());
        assert!(matches!(refused, Err(ProveError::Unsatisfied { .. })));
    }
    proof
}

fn equals_bellman(circuit: Circuit, seed: u64) {
    use bellman::groth16::{Proof, create_proof, prepare_verifying_key, verify_proof};
    let bytes = circuit.parameters_bytes();
    let (r, s) = (Fr::from(seed) + Fr::MULTIPLICATIVE_GENERATOR, -Fr::from(3));
    let ours = prove_both_ways(circuit, &bytes, seed, &Blinding::fixed(r, s));

    let theirs = bellman::groth16::Parameters::<Bls12>::read(&bytes[..], false).expect("readable");
    let statement = circuit.statement(seed);
    let proof = create_proof(statement.instance, &theirs, to_foreign(&r), to_foreign(&s));
    let mut encoded = Vec::new();
    proof
        .expect("satisfied")
        .write(&mut encoded)
        .expect("memory takes it");
    assert_eq!(ours.to_bytes()[..], encoded[..]);

    let key = prepare_verifying_key(&theirs.vk);
    let ours = Proof::read(&ours.to_bytes()[..]).expect("a strict encoding");
    let mut inputs: Vec<_> = statement.public_inputs.iter().map(to_foreign).collect();
    assert!(verify_proof(&key, &ours, &inputs).is_ok());
    inputs[0] += bls12_381::Scalar::ONE;
    assert!(verify_proof(&key, &ours, &inputs).is_err());
}

#[test]
fn output_proofs_equal_bellmans_and_its_verifier_accepts_them() {
    for seed in [1, 2] {
        equals_bellman(Circuit::Output, seed);
    }
}

#[test]
fn spend_proofs_equal_bellmans_and_its_verifier_accepts_them() {
    equals_bellman(Circuit::Spend, 1);
}
