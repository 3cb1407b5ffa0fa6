//! The suites of `cuzk-testkit` on both arithmetics and on pools of several sizes.

use cuzk_backend::{Ntt, Transform};
use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::{Domain, Fr, G1, G2};
use cuzk_lanes::Lanes;
use cuzk_testkit::{
    evaluate_conformance, fixed_base_conformance, fold_inverse_conformance,
    fold_matrix_conformance, msm_conformance, ntt_conformance, product_conformance,
    quotient_conformance, vector_conformance, witness_msm_conformance,
};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

const LANES: [Lanes; 2] = [Lanes::Detect, Lanes::Portable];

/// Runs a suite on each arithmetic inside pools of one, two and three threads.
fn on_every_pool(suite: impl Fn(&Cpu) + Sync) {
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(|| {
            for lanes in LANES {
                suite(&Cpu::new(lanes));
            }
        });
    }
}

#[test]
fn vectors_conform() {
    on_every_pool(vector_conformance);
    vector_conformance(&Naive);
}

#[test]
fn transforms_conform() {
    on_every_pool(|cpu| ntt_conformance(cpu, 0..=11));
    for lanes in LANES {
        ntt_conformance(&Cpu::new(lanes), [14, 15]);
    }
    ntt_conformance(&Naive, 0..=3);
}

/// At some places by the definition, a sum of a value for each power, and back as a whole: a
/// wrong element between them is found on the way back.
#[test]
fn transforms_of_large_domains_are_the_sums_they_stand_for() {
    let cpu = Cpu::default();
    for log_n in 16..=22 {
        let domain = Domain::new(log_n).expect("a domain of the field");
        let mut rng = ChaCha8Rng::seed_from_u64(log_n.into());
        let input: Vec<Fr> = (0..domain.n()).map(|_| Fr::random(&mut rng)).collect();
        for (there, back, shift) in [
            (Transform::Forward, Transform::Inverse, Fr::ONE),
            (
                Transform::CosetForward,
                Transform::CosetInverse,
                domain.coset_shift(),
            ),
        ] {
            let values = cpu
                .transform(there, &domain, input.clone())
                .expect("of the length");
            for k in [1, rng.next_u64() as usize % domain.n(), domain.n() - 1] {
                let x = shift * domain.generator().pow_vartime([k as u64]);
                let sum = input
                    .iter()
                    .rev()
                    .fold(Fr::ZERO, |sum, value| sum * x + value);
                assert_eq!(values[k], sum, "{there:?} of 2^{log_n} at {k}");
            }
            let again = cpu.transform(back, &domain, values).expect("of the length");
            assert!(again == input, "{back:?} of 2^{log_n}");
        }
    }
}

#[test]
fn quotients_conform() {
    on_every_pool(|cpu| quotient_conformance(cpu, 0..=10));
    for lanes in LANES {
        quotient_conformance(&Cpu::new(lanes), [13]);
    }
    quotient_conformance(&Naive, 0..=3);
}

#[test]
fn products_on_the_coset_conform() {
    on_every_pool(|cpu| product_conformance(cpu, 0..=10));
    for lanes in LANES {
        product_conformance(&Cpu::new(lanes), [13]);
    }
    product_conformance(&Naive, 0..=3);
}

#[test]
fn maps_folded_into_points_conform() {
    on_every_pool(|cpu| fold_inverse_conformance(cpu, 0..=4));
    fold_inverse_conformance(&Cpu::default(), [7]);
    fold_inverse_conformance(&Naive, 0..=3);
    on_every_pool(|cpu| fold_matrix_conformance(cpu, [0, 1, 2, 9, 40]));
    // A column of more terms than one job adds.
    fold_matrix_conformance(&Cpu::default(), [900]);
    fold_matrix_conformance(&Naive, [0, 1, 9]);
}

#[test]
fn products_of_one_point_conform() {
    on_every_pool(|cpu| fixed_base_conformance::<G1, _>(cpu, [0, 1, 50]));
    for lanes in LANES {
        fixed_base_conformance::<G1, _>(&Cpu::new(lanes), [1, 1500]);
        fixed_base_conformance::<G2, _>(&Cpu::new(lanes), [0, 1, 40]);
    }
}

#[test]
fn sparse_products_conform() {
    on_every_pool(|cpu| evaluate_conformance(cpu, [0, 1, 2, 3, 7, 8, 9, 100, 1000, 5000]));
    evaluate_conformance(&Naive, [0, 1, 5]);
}

#[test]
fn naive_sums_conform() {
    msm_conformance::<G1, _>(&Naive, [0, 1, 2, 33]);
    msm_conformance::<G2, _>(&Naive, [0, 1, 2, 9]);
    witness_msm_conformance::<G1, _>(&Naive, [1, 20]);
    witness_msm_conformance::<G2, _>(&Naive, [1, 5]);
}

#[test]
fn sums_conform() {
    on_every_pool(|cpu| msm_conformance::<G1, _>(cpu, [0, 1, 2, 3, 31, 32, 33, 200]));
    on_every_pool(|cpu| msm_conformance::<G2, _>(cpu, [0, 1, 2, 33]));
    for lanes in LANES {
        msm_conformance::<G1, _>(&Cpu::new(lanes), [3000]);
        msm_conformance::<G2, _>(&Cpu::new(lanes), [600]);
    }
}

#[test]
fn witness_sums_conform() {
    on_every_pool(|cpu| witness_msm_conformance::<G1, _>(cpu, [1, 2, 63, 64, 65, 500]));
    on_every_pool(|cpu| witness_msm_conformance::<G2, _>(cpu, [1, 2, 65]));
}
