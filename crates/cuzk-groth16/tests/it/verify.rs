use cuzk_cpu::Naive;
use cuzk_curve::{Fr, G1Affine, G1Projective};
use cuzk_groth16::{
    Blinding, PreparedVerifyingKey, Proof, ProvingKey, VerifyError, prove, verify, verify_batch,
};
use cuzk_phase::Timeline;
use ff::Field;
use group::{Curve, prime::PrimeCurveAffine};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::case::Case;

fn case() -> (Case, PreparedVerifyingKey, Proof, Vec<Fr>) {
    let case = Case::random(1, 8);
    let proof = case.prove(&Naive).expect("a proof");
    let key = PreparedVerifyingKey::new(&case.parameters.vk).expect("a good key");
    let inputs = case.program.public_inputs();
    (case, key, proof, inputs)
}

#[test]
fn too_few_and_too_many_inputs_are_refused() {
    let (_, key, proof, inputs) = case();
    assert_eq!(key.num_public_inputs(), 3);
    let mut longer = inputs.clone();
    longer.push(Fr::ZERO);
    for wrong in [&inputs[..2], &longer, &[]] {
        let refused = VerifyError::InputCount {
            expected: 3,
            got: wrong.len(),
        };
        assert_eq!(verify(&key, &proof, wrong), Err(refused));
    }
    assert_eq!(verify(&key, &proof, &inputs), Ok(()));
}

#[test]
fn every_point_and_every_input_is_bound() {
    let (_, key, proof, inputs) = case();
    let (a, b, c) = (*proof.a(), *proof.b(), *proof.c());
    let one_more = |p: G1Affine| (p.to_curve() + a).to_affine();
    let changed = [
        Proof::new(one_more(a), b, c),
        Proof::new(a, -b, c),
        Proof::new(a, b, one_more(c)),
        Proof::new(c, b, a),
    ];
    for proof in changed {
        let proof = proof.expect("points of the subgroup");
        assert_eq!(verify(&key, &proof, &inputs), Err(VerifyError::Refused));
    }
    for i in 0..inputs.len() {
        let mut inputs = inputs.clone();
        inputs[i] += Fr::ONE;
        assert_eq!(verify(&key, &proof, &inputs), Err(VerifyError::Refused));
    }
    let other = Case::random(2, 8);
    let other = PreparedVerifyingKey::new(&other.parameters.vk).expect("a good key");
    assert_eq!(verify(&other, &proof, &inputs), Err(VerifyError::Refused));
}

/// Anyone can make another proof of the same statement, which the documentation says.
#[test]
fn a_proof_is_malleable() {
    let (_, key, proof, inputs) = case();
    let k = Fr::from(31337);
    let inverse = k.invert().expect("not zero");
    let scaled = Proof::new(
        (proof.a() * k).to_affine(),
        (proof.b() * inverse).to_affine(),
        *proof.c(),
    )
    .expect("points of the subgroup");
    assert_ne!(scaled, proof);
    assert_eq!(verify(&key, &scaled, &inputs), Ok(()));
}

#[test]
fn batches_of_any_number_verify_and_name_their_culprits() {
    let (case, key, _, inputs) = case();
    let proving_key = ProvingKey::prepare(&Naive, case.shape.clone(), &case.parameters)
        .expect("the key is the circuit's");
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let statements: Vec<_> = (0..9)
        .map(|_| {
            let blinding = Blinding::random(&mut rng);
            let timeline = Timeline::start();
            let proof = prove(&Naive, &proving_key, &case.witness, &blinding, &timeline);
            (proof.expect("a proof"), inputs.clone())
        })
        .collect();
    for n in [0, 1, 2, 3, 5, 8, 9] {
        assert_eq!(verify_batch(&key, &statements[..n], &mut rng), Ok(()));
        for culprits in [vec![0], vec![n / 2], vec![0, 1], (0..n).collect()] {
            if n == 0 || culprits.iter().any(|&culprit| culprit >= n) {
                continue;
            }
            let mut statements = statements[..n].to_vec();
            for &culprit in &culprits {
                statements[culprit].1[0] += Fr::ONE;
            }
            let refused = VerifyError::BatchRefused { culprits, len: n };
            assert_eq!(verify_batch(&key, &statements, &mut rng), Err(refused));
        }
    }
}

/// Two wrong proofs whose errors cancel in an unweighted sum.
#[test]
fn errors_that_cancel_each_other_are_found() {
    let (_, key, proof, inputs) = case();
    let shift = *proof.a();
    let c = proof.c().to_curve();
    let with_c = |c: G1Projective| {
        let proof = Proof::new(*proof.a(), *proof.b(), c.to_affine());
        (proof.expect("points of the subgroup"), inputs.clone())
    };
    let pair = [with_c(c + shift), with_c(c - shift)];
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    assert_eq!(
        verify_batch(&key, &pair, &mut rng),
        Err(VerifyError::BatchRefused {
            culprits: vec![0, 1],
            len: 2
        })
    );
}
