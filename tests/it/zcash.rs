//! The 110 Sapling and Sprout proofs of Zcash blocks, with the keys of their ceremonies.
//!
//! `data/zcash_real_proofs.bin` holds, one after another: the circuit (a byte), the number of
//! public inputs (a byte), the inputs (32 little-endian bytes each) and the proof (192 bytes).

use cuzk_curve::{Fr, decode_scalar};
use cuzk_groth16::{PreparedVerifyingKey, Proof, VerifyError, verify, verify_batch};
use cuzk_params::VerifyingKey;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

const PROOFS: &[u8] = include_bytes!("../data/zcash_real_proofs.bin");

const KEYS: [(&str, &[u8]); 3] = [
    ("spend", include_bytes!("../data/sapling-spend.vk")),
    ("output", include_bytes!("../data/sapling-output.vk")),
    ("sprout", include_bytes!("../data/sprout-groth16.vk")),
];
const COUNTS: [usize; 3] = [40, 63, 7];

type Statement = (Proof, Vec<Fr>);

fn keys() -> Vec<PreparedVerifyingKey> {
    KEYS.iter()
        .map(|(name, bytes)| {
            let key = VerifyingKey::from_bytes(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            PreparedVerifyingKey::new(&key).unwrap_or_else(|e| panic!("{name}: {e}"))
        })
        .collect()
}

/// The statements of the fixture by circuit, in the order of [`KEYS`].
fn statements() -> [Vec<Statement>; 3] {
    let mut statements = [const { Vec::new() }; 3];
    let mut rest = PROOFS;
    while let [circuit, inputs, tail @ ..] = rest {
        let (scalars, tail) = tail.split_at(32 * usize::from(*inputs));
        let (proof, tail) = tail.split_at(Proof::BYTES);
        let scalars = scalars.chunks_exact(32).map(|bytes| {
            decode_scalar(bytes.try_into().expect("32 bytes")).expect("canonical in a block")
        });
        statements[usize::from(*circuit)].push((
            Proof::from_bytes(proof).expect("accepted by the network"),
            scalars.collect(),
        ));
        rest = tail;
    }
    statements
}

#[test]
fn every_proof_verifies_with_its_key_alone() {
    for ((key, statements), (name, _)) in keys().iter().zip(statements()).zip(KEYS) {
        statements
            .par_iter()
            .enumerate()
            .for_each(|(i, (proof, inputs))| {
                assert_eq!(verify(key, proof, inputs), Ok(()), "{name} {i}");
            });
    }
}

#[test]
fn every_circuit_verifies_as_a_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for ((key, statements), count) in keys().iter().zip(statements()).zip(COUNTS) {
        assert_eq!(statements.len(), count);
        assert_eq!(verify_batch(key, &statements, &mut rng), Ok(()));
        for len in [0, 1, 2, 3] {
            assert_eq!(verify_batch(key, &statements[..len], &mut rng), Ok(()));
        }
    }
}

#[test]
fn proofs_are_refused_under_the_keys_of_other_circuits() {
    let keys = keys();
    let [spends, outputs, _] = statements();
    let (proof, inputs) = &spends[0];
    assert_eq!(
        verify(&keys[1], proof, inputs),
        Err(VerifyError::InputCount {
            expected: 5,
            got: 7
        })
    );
    assert_eq!(
        verify(&keys[0], &outputs[0].0, inputs),
        Err(VerifyError::Refused)
    );
}

#[test]
fn a_changed_input_is_refused_and_named_in_a_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (key, statements) in keys().iter().zip(statements()) {
        for position in [0, statements.len() / 2, statements.len() - 1] {
            let mut statements = statements.clone();
            let inputs = &mut statements[position].1;
            let input = rng.next_u64() as usize % inputs.len();
            inputs[input] += Fr::ONE;
            let (proof, inputs) = &statements[position];
            assert_eq!(verify(key, proof, inputs), Err(VerifyError::Refused));
            assert_eq!(
                verify_batch(key, &statements, &mut rng),
                Err(VerifyError::BatchRefused {
                    culprits: vec![position],
                    len: statements.len(),
                })
            );
        }
    }
}

#[test]
fn no_proof_survives_a_changed_input() {
    for (key, statements) in keys().iter().zip(statements()) {
        statements
            .par_iter()
            .enumerate()
            .for_each(|(i, (proof, inputs))| {
                let mut inputs = inputs.clone();
                let changed = i % inputs.len();
                inputs[changed] = -inputs[changed] + Fr::ONE;
                assert_eq!(verify(key, proof, &inputs), Err(VerifyError::Refused));
            });
    }
}

/// Most flips are no encoding of a point of the subgroup; a sign flip is, and gives a proof
/// that does not verify.
#[test]
fn no_proof_survives_a_flipped_bit() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (key, statements) in keys().iter().zip(statements()) {
        for (proof, inputs) in &statements {
            let random = rng.next_u64() as usize % (8 * Proof::BYTES);
            // One bit anywhere, and the sign bits of the three points, third from the top.
            for bit in [random, 2, 8 * 48 + 2, 8 * 144 + 2] {
                let mut bytes = proof.to_bytes();
                bytes[bit / 8] ^= 0x80 >> (bit % 8);
                let refused = match Proof::from_bytes(&bytes) {
                    Err(_) => true,
                    Ok(changed) => verify(key, &changed, inputs).is_err(),
                };
                assert!(refused, "bit {bit}");
            }
        }
    }
}

#[test]
fn a_batch_names_every_proof_with_a_flipped_sign() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let key = &keys()[1];
    let [_, mut outputs, _] = statements();
    outputs.push(outputs[0].clone());
    let culprits = vec![0, 1, 17, 40, 63];
    for &culprit in &culprits {
        let (proof, inputs) = &outputs[culprit];
        let a = -*proof.a();
        let changed = Proof::new(a, *proof.b(), *proof.c()).expect("still a point");
        outputs[culprit] = (changed, inputs.clone());
    }
    let len = outputs.len();
    assert_eq!(len, 64);
    assert_eq!(
        verify_batch(key, &outputs, &mut rng),
        Err(VerifyError::BatchRefused { culprits, len })
    );
}

#[test]
fn a_batch_with_a_row_of_inputs_too_short_names_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let key = &keys()[0];
    let [mut spends, _, _] = statements();
    spends[9].1.pop();
    assert_eq!(
        verify_batch(key, &spends, &mut rng),
        Err(VerifyError::BatchInputCount {
            index: 9,
            expected: 7,
            got: 6,
        })
    );
}

#[test]
fn exchanged_inputs_are_refused_though_their_sum_is_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let key = &keys()[1];
    let [_, mut outputs, _] = statements();
    let inputs = outputs[3].1.clone();
    outputs[3].1 = std::mem::replace(&mut outputs[20].1, inputs);
    let len = outputs.len();
    let culprits = vec![3, 20];
    assert_eq!(
        verify_batch(key, &outputs, &mut rng),
        Err(VerifyError::BatchRefused { culprits, len })
    );
}

#[test]
fn verification_from_64_threads_never_fails() {
    let keys = keys();
    let statements = statements();
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (keys, statements) = (&keys, &statements);
            scope.spawn(move || {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
                pool.build().expect("one thread starts").install(|| {
                    for round in 0..157 {
                        let circuit = (thread + round) % 3;
                        let statements = &statements[circuit];
                        let (proof, inputs) = &statements[(thread + 7 * round) % statements.len()];
                        assert_eq!(verify(&keys[circuit], proof, inputs), Ok(()));
                    }
                });
            });
        }
    });
}

#[test]
fn the_other_keys_are_read_and_written_back() {
    let others: [&[u8]; 3] = [
        include_bytes!("../data/masp-spend.vk"),
        include_bytes!("../data/masp-output.vk"),
        include_bytes!("../data/masp-convert.vk"),
    ];
    for bytes in KEYS.into_iter().map(|(_, bytes)| bytes).chain(others) {
        let key = VerifyingKey::from_bytes(bytes).expect("a real key");
        let mut written = Vec::new();
        key.write(&mut written).expect("memory takes it");
        assert_eq!(written, bytes);
    }
}
