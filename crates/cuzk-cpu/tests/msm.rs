//! Multi-scalar multiplications against the exponents of their bases.
#![expect(clippy::print_stdout, reason = "a failing test shows its seed")]

use cuzk_backend::ShapeError;
use cuzk_cpu::{MsmSettings, msm, msm_indexed, sum_indexed};
use cuzk_curve::{Fr, G1, G2, SourceGroup};
use cuzk_lanes::{LaneGroup, Lanes};
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

const SEED: u64 = 0x3535;

fn rng() -> ChaCha8Rng {
    println!("seed {SEED:#x}");
    ChaCha8Rng::seed_from_u64(SEED)
}

fn settings() -> [MsmSettings; 2] {
    [Lanes::Detect, Lanes::Portable].map(|lanes| MsmSettings {
        lanes,
        ..MsmSettings::default()
    })
}

/// Bases `[k_i]G` with known `k_i`, so that one scalar multiplication checks any sum.
struct Known<G: SourceGroup> {
    exponents: Vec<Fr>,
    bases: Vec<G::Affine>,
}

impl<G: LaneGroup> Known<G> {
    /// `k_i = k_0 + i·step`, so that a base costs one addition.
    fn progression(n: usize, rng: &mut ChaCha8Rng) -> Self {
        let (mut k, step) = (Fr::random(&mut *rng), Fr::random(&mut *rng));
        let mut point = G::Projective::generator() * k;
        let step_point = (G::Projective::generator() * step).to_affine();
        let mut exponents = Vec::with_capacity(n);
        let mut points = Vec::with_capacity(n);
        for _ in 0..n {
            exponents.push(k);
            points.push(point);
            k += step;
            point += step_point;
        }
        let mut bases = vec![G::Affine::identity(); n];
        G::Projective::batch_normalize(&points, &mut bases);
        Self { exponents, bases }
    }

    /// Replaces bases by identities, repeats and negatives of others.
    fn with_specials(mut self, rng: &mut ChaCha8Rng) -> Self {
        for i in 0..self.bases.len() {
            let j = rng.next_u32() as usize % self.bases.len();
            let (k, base) = match rng.next_u32() % 6 {
                0 => (Fr::ZERO, G::Affine::identity()),
                1 => (self.exponents[j], self.bases[j]),
                2 => (-self.exponents[j], -self.bases[j]),
                _ => continue,
            };
            (self.exponents[i], self.bases[i]) = (k, base);
        }
        self
    }

    fn expected(&self, scalars: &[Fr]) -> G::Projective {
        let k: Fr = self.exponents.iter().zip(scalars).map(|(k, s)| k * s).sum();
        G::Projective::generator() * k
    }

    fn check(&self, scalars: &[Fr], settings: &MsmSettings) {
        let sum = msm::<G>(settings, &self.bases, scalars).expect("shapes agree");
        assert!(
            sum == self.expected(scalars),
            "{} n = {} {settings:?}",
            G::NAME,
            scalars.len()
        );
    }
}

fn random_scalars(n: usize, rng: &mut ChaCha8Rng) -> Vec<Fr> {
    (0..n).map(|_| Fr::random(&mut *rng)).collect()
}

const SIZES: [usize; 15] = [
    0, 1, 2, 3, 4, 7, 31, 32, 33, 255, 256, 257, 1000, 4095, 4097,
];

fn random_scalars_at<G: LaneGroup>(sizes: &[usize]) {
    let mut rng = rng();
    for &n in sizes {
        let known = Known::<G>::progression(n, &mut rng);
        let scalars = random_scalars(n, &mut rng);
        for settings in settings() {
            known.check(&scalars, &settings);
        }
    }
}

#[test]
fn random_scalars_in_g1_at_edge_sizes() {
    random_scalars_at::<G1>(&SIZES);
}

#[test]
fn random_scalars_in_g2_at_edge_sizes() {
    random_scalars_at::<G2>(&SIZES[..13]);
}

#[test]
fn a_prime_number_of_points_near_a_hundred_thousand() {
    let mut rng = rng();
    let known = Known::<G1>::progression(99_991, &mut rng);
    known.check(&random_scalars(99_991, &mut rng), &MsmSettings::default());
}

#[test]
fn numbers_of_points_around_two_to_the_16_give_the_sum() {
    let mut rng = rng();
    let known = Known::<G1>::progression((1 << 17) + 1, &mut rng);
    let scalars = random_scalars((1 << 17) + 1, &mut rng);
    for n in [1 << 16, 1 << 17]
        .into_iter()
        .flat_map(|n: usize| [n - 1, n, n + 1])
    {
        let part = Known::<G1> {
            exponents: known.exponents[..n].to_vec(),
            bases: known.bases[..n].to_vec(),
        };
        part.check(&scalars[..n], &MsmSettings::default());
    }
}

#[test]
fn every_remainder_modulo_the_lanes_and_more() {
    random_scalars_at::<G1>(&(64..97).collect::<Vec<_>>());
}

fn skewed<G: LaneGroup>(n: usize) {
    let mut rng = rng();
    let known = Known::<G>::progression(n, &mut rng).with_specials(&mut rng);
    let one = Fr::random(&mut rng);
    let half = Fr::from(2).invert().expect("two is not zero");
    let mut cases = vec![
        vec![one; n],
        vec![-Fr::ONE; n],
        vec![half; n],
        vec![Fr::ZERO; n],
        vec![Fr::ONE; n],
        random_scalars(n, &mut rng),
    ];
    cases.push((0..n).map(|i| Fr::from((i % 2) as u64)).collect());
    cases.push(
        (0..n)
            .map(|i| if i % 2 == 0 { Fr::ZERO } else { one })
            .collect(),
    );
    cases.push(
        (0..n)
            .map(|i| if i % 2 == 0 { one } else { -one })
            .collect(),
    );
    cases.push(
        (0..n)
            .map(|_| Fr::from(u64::from(rng.next_u32() % 4)))
            .collect(),
    );
    for scalars in cases {
        for settings in settings() {
            known.check(&scalars, &settings);
        }
    }
}

#[test]
fn skewed_scalars_over_identities_repeats_and_negatives_in_g1() {
    skewed::<G1>(600);
}

#[test]
fn skewed_scalars_over_identities_repeats_and_negatives_in_g2() {
    skewed::<G2>(200);
}

#[test]
fn buckets_larger_than_a_task_are_put_together() {
    let mut rng = rng();
    let n = 70_000;
    let known = Known::<G1>::progression(n, &mut rng);
    let scalars: Vec<_> = (0..n).map(|i| Fr::from((i % 3) as u64)).collect();
    known.check(&scalars, &MsmSettings::default());
}

#[test]
fn every_window_width_gives_the_sum() {
    let mut rng = rng();
    let known = Known::<G1>::progression(40, &mut rng).with_specials(&mut rng);
    let mut scalars = random_scalars(40, &mut rng);
    scalars[0] = -Fr::ONE;
    scalars[1] = Fr::ONE;
    for window_bits in 1..=14 {
        for settings in settings() {
            let window_bits = Some(window_bits);
            known.check(
                &scalars,
                &MsmSettings {
                    window_bits,
                    ..settings
                },
            );
        }
    }
}

#[test]
fn wide_windows_give_the_sum() {
    let mut rng = rng();
    let known = Known::<G1>::progression(40, &mut rng);
    let scalars = random_scalars(40, &mut rng);
    for window_bits in 15..=20 {
        let window_bits = Some(window_bits);
        known.check(
            &scalars,
            &MsmSettings {
                window_bits,
                ..MsmSettings::default()
            },
        );
    }
}

#[test]
fn widths_that_no_plan_allows_are_refused() {
    let bases = [<G1 as SourceGroup>::Affine::generator()];
    for bits in [0, 21, 26, u32::MAX] {
        let settings = MsmSettings {
            window_bits: Some(bits),
            ..MsmSettings::default()
        };
        let refused = msm::<G1>(&settings, &bases, &[Fr::ONE]).expect_err("not a width");
        assert_eq!(refused.got, bits as usize);
    }
}

fn indexed<G: LaneGroup>() {
    let mut rng = rng();
    let known = Known::<G>::progression(97, &mut rng).with_specials(&mut rng);
    for n in [0, 1, 2, 9, 400] {
        let indices: Vec<u32> = (0..n).map(|_| rng.next_u32() % 97).collect();
        let scalars = random_scalars(n, &mut rng);
        let exponent = |i: usize| known.exponents[indices[i] as usize];
        let expected: Fr = (0..n).map(|i| exponent(i) * scalars[i]).sum();
        let expected_sum: Fr = (0..n).map(exponent).sum();
        for settings in settings() {
            let got = msm_indexed::<G>(&settings, &known.bases, &indices, &scalars);
            let got = got.expect("shapes agree");
            assert!(got == G::Projective::generator() * expected, "n = {n}");
            let got = sum_indexed::<G>(&settings, &known.bases, &indices);
            let got = got.expect("indices are in range");
            assert!(got == G::Projective::generator() * expected_sum, "n = {n}");
        }
    }
}

#[test]
fn indexed_sums_in_both_groups() {
    indexed::<G1>();
    indexed::<G2>();
}

#[test]
fn long_indexed_sums_cross_tasks() {
    let mut rng = rng();
    let known = Known::<G1>::progression(1000, &mut rng);
    let indices: Vec<u32> = (0..50_000).map(|_| rng.next_u32() % 1000).collect();
    let expected: Fr = indices.iter().map(|&i| known.exponents[i as usize]).sum();
    let got = sum_indexed::<G1>(&MsmSettings::default(), &known.bases, &indices);
    assert!(got.expect("in range") == <G1 as SourceGroup>::Projective::generator() * expected);
}

#[test]
fn lengths_that_disagree_and_indices_out_of_range_are_typed_errors() {
    let bases = [<G1 as SourceGroup>::Affine::generator(); 2];
    let settings = MsmSettings::default();
    let error = msm::<G1>(&settings, &bases, &[Fr::ONE]).expect_err("one scalar too few");
    assert_eq!((error.expected, error.got), (2, 1));
    let error = msm_indexed::<G1>(&settings, &bases, &[0], &[]).expect_err("no scalar");
    assert_eq!((error.expected, error.got), (1, 0));
    let beyond = |result: Result<_, ShapeError>| {
        let error = result.expect_err("index 2 of two");
        assert_eq!((error.expected, error.got), (2, 2));
    };
    beyond(msm_indexed::<G1>(&settings, &bases, &[1, 2], &[Fr::ONE; 2]));
    beyond(sum_indexed::<G1>(&settings, &bases, &[2, 0]));
}

#[test]
fn sums_that_cancel_are_the_identity() {
    let p = <G1 as SourceGroup>::Affine::generator();
    for settings in settings() {
        let sum = msm::<G1>(&settings, &[p, -p], &[Fr::from(7); 2]).expect("shapes agree");
        assert!(bool::from(sum.is_identity()));
        let sum = sum_indexed::<G1>(&settings, &[p, -p], &[0, 1, 1, 0]).expect("in range");
        assert!(bool::from(sum.is_identity()));
    }
}

fn small_sums_in_a_pool_of(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.expect("a pool starts");
    let mut rng = rng();
    let known = Known::<G1>::progression(100, &mut rng);
    let scalars = random_scalars(100, &mut rng);
    for n in [1, 2, 5, 17, 64, 100] {
        let part = Known::<G1> {
            exponents: known.exponents[..n].to_vec(),
            bases: known.bases[..n].to_vec(),
        };
        pool.install(|| part.check(&scalars[..n], &MsmSettings::default()));
    }
}

#[test]
fn pools_of_any_size_give_the_sum() {
    for threads in [1, 2, 3, 64, 256, 1024] {
        small_sums_in_a_pool_of(threads);
    }
}

#[test]
fn sums_inside_another_job_of_a_small_pool_finish() {
    let mut rng = rng();
    let known = Known::<G1>::progression(300, &mut rng);
    let scalars = random_scalars(300, &mut rng);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool starts").scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|_| known.check(&scalars, &MsmSettings::default()));
            }
        });
    }
}

#[test]
fn a_quarter_mebibyte_of_stack_is_enough() {
    let mut rng = rng();
    let known = Known::<G2>::progression(20_000, &mut rng);
    let scalars = random_scalars(20_000, &mut rng);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .stack_size(256 << 10)
        .build()
        .expect("a pool starts");
    pool.install(|| known.check(&scalars, &MsmSettings::default()));
}
