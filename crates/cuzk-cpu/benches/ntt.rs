//! Times of transforms, quotients and sparse products.
//!
//! `cargo bench -p cuzk-cpu --bench ntt -- [LOG_N...]` prints one line per operation and
//! arithmetic: the least and the median wall time of the runs, and the least processor time
//! of all threads together, which says more on a machine that is not idle.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::time::{Duration, Instant};

use cuzk_backend::{Backend, Evaluate, Ntt, Poly, Transform};
use cuzk_cpu::Cpu;
use cuzk_curve::Domain;
use cuzk_lanes::Lanes;
use cuzk_testkit::{mixed_scalars, random_matrix, random_witness, rng, satisfied_evaluations};

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
    let device = cpu.device();
    let values = mixed_scalars(&mut rng(1), domain.n());
    for transform in [Transform::Forward, Transform::CosetInverse] {
        let name = format!("{transform:?}");
        report(&name, log_n, &device, || {
            let input = values.clone();
            let start = Instant::now();
            let out = cpu.transform(transform, &domain, input).expect("transform");
            (start.elapsed(), out)
        });
    }
    let abc = satisfied_evaluations(2, domain.n());
    report("quotient", log_n, &device, || {
        let poly = |values| Poly::new(cpu, &domain, values).expect("as long as the domain");
        let [a, b, c] = abc.clone().map(poly);
        let start = Instant::now();
        let out = cpu.quotient(a, b, c).expect("quotient");
        (start.elapsed(), out)
    });
    let mut rng = rng(3);
    let matrix = random_matrix(&mut rng, domain.n(), domain.n());
    let matrix = cpu.prepare_matrix(&matrix).expect("prepare");
    let witness = random_witness(&mut rng, 1, domain.n());
    let witness = cpu.upload_witness(&witness).expect("upload");
    report("evaluate", log_n, &device, || {
        let start = Instant::now();
        let out = cpu.evaluate(&matrix, &witness, &domain).expect("evaluate");
        (start.elapsed(), out)
    });
}

fn report<T>(name: &str, log_n: u32, device: &str, mut run: impl FnMut() -> (Duration, T)) {
    let mut least_cpu = f64::INFINITY;
    let mut wall: Vec<f64> = (0..RUNS)
        .map(|_| {
            let before = processor_ms();
            let elapsed = run().0;
            least_cpu = least_cpu.min(processor_ms() - before);
            elapsed.as_secs_f64() * 1e3
        })
        .collect();
    wall.sort_by(f64::total_cmp);
    let (least, median) = (wall[0], wall[RUNS / 2]);
    println!(
        "{name:<13} 2^{log_n:<2} {device}: wall least {least:.2} median {median:.2} ms, \
         cpu least {least_cpu:.2} ms (with the copy of the input)"
    );
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
