//! Keys whose quotient takes four transforms prove the same as those whose takes seven.

use std::sync::Arc;

use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::{Fr, G1};
use cuzk_groth16::{
    Blinding, FoldedQueries, ProveError, ProvingKey, prove, prove_batch, prove_evaluations,
};
use cuzk_hostmem::HostAllocator;
use cuzk_params::Query;
use cuzk_phase::Timeline;
use cuzk_testkit::{RandomSystem, any_fr};
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use proptest::{prelude::*, test_runner::Config};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::case::{Case, blinding, packed};

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(3)
}

fn assert_same_proofs(case: &Case, blinding: &Blinding, context: &str) {
    let cpu = Cpu::default();
    let timeline = Timeline::start();
    let (standard, folded) = (case.key(&cpu), case.folded_key(&cpu));
    assert!(folded.queries().is_folded() && !standard.queries().is_folded());
    let expected = prove(&cpu, &standard, &case.witness, blinding, &timeline).expect(context);
    let got = prove(&cpu, &folded, &case.witness, blinding, &timeline).expect(context);
    assert_eq!(got.to_bytes(), expected.to_bytes(), "{context}");
    let evaluations = cuzk_synth::direct(&case.program, &Default::default()).expect(context);
    let got = prove_evaluations(&cpu, folded.queries(), evaluations, blinding, &timeline);
    assert_eq!(got.expect(context), expected, "{context}, directly");
}

proptest! {
    #![proptest_config(Config::with_cases(24))]

    #[test]
    fn proofs_have_the_same_bytes(
        seed in any::<u64>(),
        constraints in 1usize..100,
        public_inputs in 0usize..=5,
        bits_percent in 0u32..=100,
        r in any_fr(),
        s in any_fr(),
    ) {
        let system = RandomSystem { seed, constraints, public_inputs, bits_percent };
        let case = Case::of(system.program());
        assert_same_proofs(&case, &Blinding::fixed(r, s), "random");
    }
}

#[test]
fn domains_that_are_full_and_those_that_just_are_not_prove_the_same() {
    for log_rows in 1..=6 {
        for rows in [(1 << log_rows) - 1, 1 << log_rows, (1 << log_rows) + 1] {
            for public_inputs in [0, 3] {
                let Some(constraints) = usize::checked_sub(rows, 1 + public_inputs) else {
                    continue;
                };
                let system = RandomSystem::new(rows as u64, constraints);
                let case = Case::of(system.with_public_inputs(public_inputs).program());
                assert_eq!(case.shape.num_rows(), rows);
                let context = format!("{rows} rows, {public_inputs} inputs");
                assert_same_proofs(&case, &blinding(), &context);
            }
        }
    }
}

#[test]
fn three_hundred_constraints_prove_the_same() {
    let case = Case::of(RandomSystem::new(9, 300).with_public_inputs(5).program());
    assert_same_proofs(&case, &blinding(), "300 constraints");
}

#[test]
fn a_batch_has_the_proofs_of_the_standard_form() {
    let case = Case::random(21, 30);
    let cpu = Cpu::default();
    let witnesses = vec![case.witness.clone(); 3];
    let blindings: Vec<_> = (1..4)
        .map(|i| Blinding::fixed(Fr::from(i), Fr::ONE))
        .collect();
    let [standard, folded] = [case.key(&cpu), case.folded_key(&cpu)].map(|key| {
        let proofs = prove_batch(&cpu, &key, &witnesses, &blindings, &Timeline::start());
        let proofs = proofs.expect("as many blindings as witnesses");
        proofs
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .expect("satisfied")
    });
    assert_eq!(standard, folded);
}

#[test]
fn both_backends_derive_the_same_queries() {
    let case = Case::random(12, 9);
    let memory = HostAllocator::default();
    let naive = FoldedQueries::derive(&Naive, &case.shape, &case.parameters, &memory, &mut rng());
    assert_eq!(naive.expect("folds"), case.folded());
    let proof = {
        let key = case.folded_key(&Naive);
        prove(&Naive, &key, &case.witness, &blinding(), &Timeline::start())
    };
    assert_eq!(
        proof.expect("satisfied"),
        case.prove(&Cpu::default()).expect("satisfied")
    );
}

#[test]
fn a_broken_witness_is_named_as_in_the_standard_form() {
    let case = Case::random(11, 30);
    let cpu = Cpu::default();
    let key = case.folded_key(&cpu);
    let right = case.witness.unpack();
    for variable in 1..right.len() {
        let mut values = right.clone();
        values[variable] += Fr::from(2);
        let witness = packed(case.shape.num_inputs(), &values);
        let got = prove(&cpu, &key, &witness, &blinding(), &Timeline::start());
        match (case.first_broken(&values), got) {
            (None, proof) => assert!(proof.is_ok(), "variable {variable} is free"),
            (Some(expected), Err(ProveError::Unsatisfied { constraint })) => {
                assert_eq!(constraint, expected, "variable {variable}");
            }
            (_, other) => panic!("variable {variable}: {other:?}"),
        }
    }
}

fn with(query: &Query<G1>, change: impl FnOnce(&mut Vec<cuzk_curve::G1Affine>)) -> Query<G1> {
    let mut points = query.points().to_vec();
    change(&mut points);
    Query::from_points(&points, &HostAllocator::default()).expect("memory")
}

#[test]
fn every_point_that_is_wrong_is_found() {
    let case = Case::random(5, 6);
    let folded = case.folded();
    let cpu = Cpu::default();
    let check =
        |folded: &FoldedQueries| folded.check(&cpu, &case.shape, &case.parameters, &mut rng());
    assert!(check(&folded).is_ok());
    let shift = |at: usize| {
        move |points: &mut Vec<cuzk_curve::G1Affine>| {
            let moved = points[at].to_curve() + cuzk_curve::G1Projective::generator();
            points[at] = moved.to_affine();
        }
    };
    let wrong_h = (0..folded.h().len())
        .map(|at| FoldedQueries::from_queries(with(folded.h(), shift(at)), folded.l().clone()));
    let wrong_l = (0..folded.l().len())
        .map(|at| FoldedQueries::from_queries(folded.h().clone(), with(folded.l(), shift(at))));
    for wrong in wrong_h.chain(wrong_l) {
        assert!(matches!(check(&wrong), Err(ProveError::FoldedQueries)));
    }
    // Those of another key of the same sizes.
    let other = Case::random(6, 6);
    assert!(
        other
            .folded()
            .check(&cpu, &case.shape, &case.parameters, &mut rng())
            .is_err()
    );
}

#[test]
fn queries_of_other_lengths_are_refused_by_name() {
    let case = Case::random(5, 6);
    let folded = case.folded();
    let short = |query: &Query<G1>| with(query, |points| points.truncate(points.len() - 1));
    for (what, h, l) in [
        ("folded h query", short(folded.h()), folded.l().clone()),
        ("folded l query", folded.h().clone(), short(folded.l())),
    ] {
        let wrong = FoldedQueries::from_queries(h, l);
        let key =
            ProvingKey::prepare_folded(&Naive, Arc::clone(&case.shape), &case.parameters, &wrong);
        match key {
            Err(ProveError::KeyMismatch {
                what: named,
                expected,
                got,
            }) => {
                assert_eq!((named, got + 1), (what, expected));
            }
            other => panic!("{what}: {other:?}"),
        }
        let refused = wrong.check(&Naive, &case.shape, &case.parameters, &mut rng());
        assert!(
            matches!(refused, Err(ProveError::KeyMismatch { .. })),
            "{what}"
        );
    }
}
