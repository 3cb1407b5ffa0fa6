//! Times of transforms, quotients and sparse products.
//!
//! `cargo bench -p cuzk-cpu --bench ntt -- [LOG_N...]` prints one line per operation and
//! arithmetic: the least and the median wall time of the runs, and the least processor time
//! of all threads together, which says more on a machine that is not idle.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::time::Instant;

use cuzk_backend::{Backend, Evaluate, Ntt, Poly, Transform, WitnessSplit};
use cuzk_cpu::Cpu;
use cuzk_curve::{Domain, Fr};
use cuzk_lanes::Lanes;
use cuzk_r1cs::{Bitmap, CsrBuilder, CsrMatrix, PackedWitness, WitnessBuilder};
use cuzk_testkit::{mixed_scalars, rng, satisfied_evaluations};
use ff::Field;
use rand_core::RngCore;

const RUNS: usize = 7;

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let log_sizes = match numbers.as_slice() {
        [] => vec![14, 18, 20],
        given => given.to_vec(),
    };
    for log_n in log_sizes {
        for lanes in [Lanes::Detect, Lanes::Portable] {
            size(log_n as u32, &Cpu::new(lanes));
        }
    }
}

fn size(log_n: u32, cpu: &Cpu) {
    let domain = Domain::new(log_n).expect("a domain of the field");
    let id = format!("2^{log_n:<2} {}", cpu.device());
    let values = mixed_scalars(&mut rng(1), domain.n());
    for transform in [Transform::Forward, Transform::CosetInverse] {
        let run = |input| cpu.transform(transform, &domain, input).expect("transform");
        report(&format!("{transform:?} {id}"), || values.clone(), run);
    }
    let abc = satisfied_evaluations(2, domain.n());
    let poly = |values| Poly::new(cpu, &domain, values).expect("as long as the domain");
    report(
        &format!("quotient {id}"),
        || abc.clone().map(poly),
        |[a, b, c]| cpu.quotient(a, b, c).expect("quotient"),
    );
    for (name, percent) in [("bits", 95), ("full", 5)] {
        let matrix = circuit_matrix(&mut rng(3), domain.n());
        let matrix = cpu.prepare_matrix(&matrix).expect("prepare");
        let packed = circuit_witness(&mut rng(4), domain.n(), percent);
        let upload = |()| cpu.upload_witness(&packed).expect("upload");
        report(&format!("upload {name} {id}"), || (), upload);
        let witness = upload(());
        let run = |()| cpu.evaluate(&matrix, &witness, &domain).expect("evaluate");
        report(&format!("evaluate {name} {id}"), || (), run);
        let mut selection = Bitmap::zeros(domain.n());
        (0..domain.n()).for_each(|variable| selection.set(variable));
        let run = |()| cpu.split(&witness, &selection).expect("split");
        report(&format!("split {name} {id}"), || (), run);
    }
}

/// Rows of three terms near the diagonal, coefficients mostly ±1 and powers of two, as in a
/// circuit of bits.
fn circuit_matrix(rng: &mut impl RngCore, n: usize) -> CsrMatrix {
    let mut builder = CsrBuilder::new();
    for row in 0..n {
        let mut terms: Vec<_> = (0..3)
            .map(|_| {
                let column = row.saturating_sub(rng.next_u32() as usize % 300);
                let coefficient = match rng.next_u32() % 16 {
                    0..10 => Fr::ONE,
                    10..13 => -Fr::ONE,
                    _ => Fr::from(1 << (rng.next_u32() % 60)),
                };
                (column, coefficient)
            })
            .collect();
        builder.push_row(&mut terms).expect("columns fit");
    }
    builder.finish(n).expect("columns are in range")
}

fn circuit_witness(rng: &mut impl RngCore, n: usize, percent_bits: u32) -> PackedWitness {
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::ONE);
    for _ in 1..n {
        let value = if rng.next_u32() % 100 < percent_bits {
            Fr::from(u64::from(rng.next_u32() % 2))
        } else {
            Fr::random(&mut *rng)
        };
        builder.push_aux(value);
    }
    builder.finish().expect("the first input is one")
}

fn report<I, T>(name: &str, mut setup: impl FnMut() -> I, mut run: impl FnMut(I) -> T) {
    let mut least_cpu = f64::INFINITY;
    let mut wall: Vec<f64> = (0..RUNS)
        .map(|_| {
            let input = setup();
            let (cpu, start) = (processor_ms(), Instant::now());
            let out = run(input);
            let elapsed = start.elapsed().as_secs_f64() * 1e3;
            least_cpu = least_cpu.min(processor_ms() - cpu);
            drop(out);
            elapsed
        })
        .collect();
    wall.sort_by(f64::total_cmp);
    let (least, median) = (wall[0], wall[RUNS / 2]);
    println!("{name}: wall least {least:.2} median {median:.2} ms, cpu least {least_cpu:.2} ms");
}

/// Processor time of all threads so far; 0 where the system does not tell.
fn processor_ms() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    let on_cpu = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    tasks.flatten().filter_map(on_cpu).sum::<f64>() / 1e6
}
