//! The oracle itself against the sums that define it.

use cuzk_backend::{Ntt, Transform};
use cuzk_cpu::Naive;
use cuzk_curve::{Domain, Fr};
use cuzk_testkit::{mixed_scalars, rng};
use ff::Field;

fn at(coefficients: &[Fr], x: Fr) -> Fr {
    coefficients
        .iter()
        .rev()
        .fold(Fr::ZERO, |sum, c| sum * x + c)
}

#[test]
fn forward_transforms_are_values_of_the_polynomial() {
    for log_n in 0..=7 {
        let domain = Domain::new(log_n).unwrap();
        let coefficients = mixed_scalars(&mut rng(u64::from(log_n)), domain.n());
        let cases = [
            (Transform::Forward, Fr::ONE),
            (Transform::CosetForward, domain.coset_shift()),
        ];
        for (transform, mut x) in cases {
            let values = Naive
                .transform(transform, &domain, coefficients.clone())
                .unwrap();
            for value in values {
                assert_eq!(value, at(&coefficients, x), "{transform:?} 2^{log_n}");
                x *= domain.generator();
            }
        }
    }
}

#[test]
fn inverse_transforms_give_the_coefficients_back() {
    for log_n in 0..=7 {
        let domain = Domain::new(log_n).unwrap();
        let coefficients = mixed_scalars(&mut rng(u64::from(log_n)), domain.n());
        for (there, back) in [
            (Transform::Forward, Transform::Inverse),
            (Transform::CosetForward, Transform::CosetInverse),
        ] {
            let values = Naive
                .transform(there, &domain, coefficients.clone())
                .unwrap();
            assert_eq!(
                Naive.transform(back, &domain, values).unwrap(),
                coefficients
            );
        }
    }
}
