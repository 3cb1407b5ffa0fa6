//! Laws of transforms, quotients and sparse products, on both arithmetics.

use cuzk_backend::{Backend, Evaluate, Ntt, Poly, Transform, WitnessSplit};
use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::{Domain, Fr};
use cuzk_lanes::Lanes;
use cuzk_r1cs::Bitmap;
use cuzk_testkit::{any_fr, random_matrix, random_witness, rng};
use ff::Field;
use proptest::prelude::*;

fn lanes() -> impl Strategy<Value = Lanes> {
    prop_oneof![Just(Lanes::Detect), Just(Lanes::Portable)]
}

fn transforms() -> impl Strategy<Value = Transform> {
    prop_oneof![
        Just(Transform::Forward),
        Just(Transform::Inverse),
        Just(Transform::CosetForward),
        Just(Transform::CosetInverse),
    ]
}

/// A domain of 2^0 to 2^9 and two vectors as long.
fn two_vectors() -> impl Strategy<Value = (Domain, Vec<Fr>, Vec<Fr>)> {
    (0..10u32).prop_flat_map(|log_n| {
        let domain = Domain::new(log_n).expect("small");
        let vector = || proptest::collection::vec(any_fr(), domain.n());
        (Just(domain), vector(), vector())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn transforms_are_linear((domain, x, y) in two_vectors(), s in any_fr(),
                             kind in transforms(), lanes in lanes()) {
        let cpu = Cpu::new(lanes);
        let run = |v: &[Fr]| cpu.transform(kind, &domain, v.to_vec()).expect("transform");
        let mixed: Vec<Fr> = x.iter().zip(&y).map(|(x, y)| x + s * y).collect();
        let expected: Vec<Fr> = run(&x).iter().zip(run(&y)).map(|(x, y)| x + s * y).collect();
        prop_assert_eq!(run(&mixed), expected);
    }

    #[test]
    fn inverses_undo_and_both_arithmetics_agree((domain, x, _) in two_vectors(),
                                                coset in any::<bool>()) {
        let (there, back) = if coset {
            (Transform::CosetForward, Transform::CosetInverse)
        } else {
            (Transform::Forward, Transform::Inverse)
        };
        let [a, b] = [Lanes::Detect, Lanes::Portable].map(|lanes| {
            let cpu = Cpu::new(lanes);
            let values = cpu.transform(there, &domain, x.clone()).expect("transform");
            let back = cpu.transform(back, &domain, values.clone()).expect("transform");
            (values, back)
        });
        prop_assert_eq!(&a.1, &x);
        prop_assert_eq!(a, b);
    }

    #[test]
    fn products_of_values_are_cyclic_convolutions((domain, x, y) in two_vectors(),
                                                  lanes in lanes()) {
        prop_assume!(domain.log_n() <= 6);
        let cpu = Cpu::new(lanes);
        let run = |kind, v: Vec<Fr>| cpu.transform(kind, &domain, v).expect("transform");
        let (fx, fy) = (run(Transform::Forward, x.clone()), run(Transform::Forward, y.clone()));
        let product = fx.iter().zip(&fy).map(|(a, b)| a * b).collect();
        let n = domain.n();
        let convolution = |k: usize| (0..n).map(|i| x[i] * y[(n + k - i) % n]).sum::<Fr>();
        let expected: Vec<Fr> = (0..n).map(convolution).collect();
        prop_assert_eq!(run(Transform::Inverse, product), expected);
    }

    #[test]
    fn quotients_of_any_values_equal_the_definition((domain, a, b) in two_vectors(),
                                                    c in any_fr(), lanes in lanes()) {
        let c: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| a * b + c).collect();
        let cpu = Cpu::new(lanes);
        let poly = |v: &[Fr]| Poly::new(&cpu, &domain, v.to_vec()).expect("as long");
        let h = cpu.quotient(poly(&a), poly(&b), poly(&c)).expect("quotient");
        let expected = Naive.quotient(poly(&a), poly(&b), poly(&c)).expect("quotient");
        prop_assert_eq!(h.vector(), expected.vector());
    }

    #[test]
    fn sparse_products_and_splits_equal_the_definition(seed in any::<u64>(), rows in 0..300usize,
                                                       variables in 1..700usize) {
        let mut rng = rng(seed);
        let matrix = random_matrix(&mut rng, rows, variables);
        let packed = random_witness(&mut rng, 1, variables);
        let domain = Domain::for_len(rows).expect("small");
        let cpu = Cpu::default();
        let witness = cpu.upload_witness(&packed).expect("upload");
        let prepared = cpu.prepare_matrix(&matrix).expect("prepare");
        let values = cpu.evaluate(&prepared, &witness, &domain).expect("evaluate");
        let unpacked = packed.unpack();
        let expected = Naive.evaluate(&matrix, &unpacked, &domain).expect("evaluate");
        prop_assert_eq!(values.vector(), expected.vector());

        let mut selection = Bitmap::zeros(variables);
        (0..variables).filter(|v| (seed >> (v % 61)) & 1 == 1).for_each(|v| selection.set(v));
        let split = cpu.split(&witness, &selection).expect("split");
        let mut back = vec![Fr::ZERO; split.selected];
        split.ones.iter().for_each(|&i| back[i as usize] = Fr::ONE);
        split.rest.iter().zip(&split.scalars).for_each(|(&i, s)| back[i as usize] = *s);
        let chosen: Vec<Fr> = selection.ones().map(|v| unpacked[v]).collect();
        prop_assert_eq!(back, chosen);
        prop_assert!(split.scalars.iter().all(|s| *s != Fr::ZERO && *s != Fr::ONE));
    }

    #[test]
    fn vectors_are_cut_to_their_first_scalars(x in proptest::collection::vec(any_fr(), 0..50),
                                              keep in 0..60usize) {
        let cut = Cpu::default().truncate(x.clone(), keep);
        match x.get(..keep) {
            Some(first) => prop_assert_eq!(cut.expect("long enough"), first),
            None => prop_assert!(cut.is_err()),
        }
    }
}
