//! Times of multi-scalar multiplications against `blst`'s, side by side.
//!
//! `cargo bench -p cuzk-cpu --bench msm -- [g1|g2] [LOG_N...]` prints the least wall time of
//! a few runs for this crate on both kinds of arithmetic and for `blst`, which runs on all
//! processors; results are compared.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::time::{Duration, Instant};

use blst::MultiPoint;
use cuzk_cpu::{MsmSettings, msm, sum_indexed};
use cuzk_curve::{Fr, G1, G1Projective, G2, G2Projective};
use cuzk_lanes::{LaneGroup, Lanes};
use ff::{Field, PrimeField};
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

const RUNS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let numbers: Vec<u32> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let log_sizes = if numbers.is_empty() {
        vec![16, 18]
    } else {
        numbers
    };
    let asked = |name: &str| arguments.iter().any(|a| a == name);
    let all = !asked("g1") && !asked("g2");
    println!("threads {}", rayon::current_num_threads());
    for &log_n in &log_sizes {
        if all || asked("g1") {
            compare::<G1>(log_n, |bases, scalars| {
                let bases: Vec<blst::blst_p1_affine> = bases.iter().map(|p| *p.as_ref()).collect();
                timed(|| {
                    let mut sum = G1Projective::identity();
                    *sum.as_mut() = bases.mult(scalars, 255);
                    sum
                })
            });
        }
        if all || asked("g2") {
            compare::<G2>(log_n, |bases, scalars| {
                let bases: Vec<blst::blst_p2_affine> = bases.iter().map(|p| *p.as_ref()).collect();
                timed(|| {
                    let mut sum = G2Projective::identity();
                    *sum.as_mut() = bases.mult(scalars, 255);
                    sum
                })
            });
        }
    }
}

fn timed<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut least = Duration::MAX;
    let mut last = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        last = Some(run());
        least = least.min(start.elapsed());
    }
    (least, last.expect("at least one run"))
}

fn compare<G: LaneGroup>(
    log_n: u32,
    blst: impl Fn(&[G::Affine], &[u8]) -> (Duration, G::Projective),
) {
    let n = 1usize << log_n;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let step = (G::Projective::generator() * Fr::random(&mut rng)).to_affine();
    let points: Vec<G::Projective> =
        std::iter::successors(Some(step.to_curve()), |&point| Some(point + step))
            .take(n)
            .collect();
    let mut bases = vec![G::Affine::identity(); n];
    G::Projective::batch_normalize(&points, &mut bases);
    let scalars: Vec<Fr> = (0..n).map(|_| Fr::random(&mut rng)).collect();
    let bytes: Vec<u8> = scalars.iter().flat_map(PrimeField::to_repr).collect();

    let (blst_time, expected) = blst(&bases, &bytes);
    let line = |name: &str, time: Duration| {
        println!(
            "{} 2^{log_n} {name:<12} {:9.2} ms   {:5.2}x blst",
            G::NAME,
            time.as_secs_f64() * 1e3,
            blst_time.as_secs_f64() / time.as_secs_f64(),
        );
    };
    line("blst", blst_time);
    for lanes in [Lanes::Detect, Lanes::Portable] {
        let settings = MsmSettings {
            lanes,
            ..MsmSettings::default()
        };
        let (time, sum) = timed(|| msm::<G>(&settings, &bases, &scalars).expect("shapes agree"));
        assert!(sum == expected, "{lanes:?} differs from blst");
        line(lanes.resolve().name(), time);
    }
    let indices: Vec<u32> = (0..n as u32).collect();
    let settings = MsmSettings::default();
    let (time, _) = timed(|| sum_indexed::<G>(&settings, &bases, &indices).expect("in range"));
    println!(
        "{} 2^{log_n} sum_indexed  {:9.2} ms   {:5.1} ns an addition and thread",
        G::NAME,
        time.as_secs_f64() * 1e3,
        time.as_secs_f64() * 1e9 * rayon::current_num_threads() as f64 / n as f64,
    );
}
