use std::sync::Arc;

use cuzk_cpu::Naive;
use cuzk_curve::{Fr, G1, G2, SourceGroup};
use cuzk_groth16::{PreparedVerifyingKey, ProveError, ProvingKey, VerifyError};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{Parameters, Query, ReadOptions};
use cuzk_testkit::Step;
use ff::Field;
use group::prime::PrimeCurveAffine;

use crate::case::Case;

fn resized<G: SourceGroup>(query: &Query<G>, longer: bool) -> Query<G> {
    let mut points = query.points().to_vec();
    match longer {
        true => points.push(G::Affine::generator()),
        false => drop(points.pop()),
    }
    Query::from_points(&points, &HostAllocator::default()).expect("memory")
}

type Change = fn(&mut Parameters, bool);

#[test]
fn a_query_one_point_too_long_or_short_is_named() {
    let case = Case::random(1, 20);
    for longer in [false, true] {
        let changes: [(&str, Change); 6] = [
            ("ic query", |p, longer| match longer {
                true => p.vk.ic.push(p.vk.ic[0]),
                false => drop(p.vk.ic.pop()),
            }),
            ("h query", |p, longer| p.h = resized::<G1>(&p.h, longer)),
            ("l query", |p, longer| p.l = resized::<G1>(&p.l, longer)),
            ("a query", |p, longer| p.a = resized::<G1>(&p.a, longer)),
            ("b_g1 query", |p, longer| {
                p.b_g1 = resized::<G1>(&p.b_g1, longer);
            }),
            ("b_g2 query", |p, longer| {
                p.b_g2 = resized::<G2>(&p.b_g2, longer);
            }),
        ];
        for (name, change) in changes {
            let mut parameters = case.parameters.clone();
            change(&mut parameters, longer);
            match ProvingKey::prepare(&Naive, Arc::clone(&case.shape), &parameters) {
                Err(ProveError::KeyMismatch {
                    what,
                    expected,
                    got,
                }) => {
                    assert_eq!(what, name);
                    assert_eq!(got, if longer { expected + 1 } else { expected - 1 });
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

#[test]
fn the_key_of_a_circuit_of_another_size_is_refused() {
    let case = Case::random(2, 20);
    let other = Case::random(2, 21);
    assert!(matches!(
        ProvingKey::prepare(&Naive, Arc::clone(&case.shape), &other.parameters),
        Err(ProveError::KeyMismatch { .. })
    ));
}

/// The sizes agree, so only the proof can tell.
#[test]
fn the_key_of_another_circuit_of_the_same_size_gives_no_proof() {
    let case = Case::random(3, 20);
    let values = case.witness.unpack();
    let others = (0..case.program.steps.len()).filter_map(|step| {
        let mut program = case.program.clone();
        match &mut program.steps[step] {
            Step::Constraint(sides) => sides[2].first_mut()?.1 += Fr::ONE,
            _ => return None,
        }
        Some(Case::of(program))
    });
    let other = others
        .into_iter()
        .find(|other| other.first_broken(&values).is_some())
        .expect("some coefficient matters");
    assert_eq!(other.shape.densities(), case.shape.densities());
    let mixed = Case {
        parameters: other.parameters,
        ..case
    };
    assert!(matches!(mixed.prove(&Naive), Err(ProveError::ProofRefused)));
}

#[test]
fn parameters_that_were_written_and_read_give_the_same_proof() {
    let case = Case::random(4, 20);
    let mut bytes = Vec::new();
    case.parameters.write(&mut bytes).expect("memory takes it");
    let read = Parameters::from_bytes(&bytes, &ReadOptions::default()).expect("our own file");
    assert_eq!(read.parameters, case.parameters);
    let proof = case.prove(&Naive).expect("a proof");
    let again = Case {
        parameters: read.parameters,
        ..case
    };
    assert_eq!(again.prove(&Naive).expect("a proof"), proof);
}

#[test]
fn a_verifying_key_under_which_anything_verifies_is_refused() {
    let mut key = Case::random(5, 3).parameters.vk;
    assert!(PreparedVerifyingKey::new(&key).is_ok());
    key.delta_g2 = group::prime::PrimeCurveAffine::identity();
    assert_eq!(
        PreparedVerifyingKey::new(&key).expect_err("degenerate"),
        VerifyError::DegenerateKey { what: "delta_g2" }
    );
    key = Case::random(5, 3).parameters.vk;
    key.ic.clear();
    assert_eq!(
        PreparedVerifyingKey::new(&key).expect_err("no ic"),
        VerifyError::DegenerateKey { what: "ic" }
    );
}
