//! Times of products of one point with many scalars, for tables of several widths: one JSON object
//! a line.
//!
//! `fixed [LOG_N...]`: so many scalars, 2^20 and 2^22 by default.
//!
//! `table_ms` is the host's, until the table is there, the loading of kernels not included;
//! `device_ms` the device's for scalars and points that are there, and `host_ms` the host's with
//! their copies from and to it, by one caller and by four with a quarter each.

#![allow(clippy::print_stdout, reason = "a program's output")]

use std::time::{Duration, Instant};

use cuzk_curve::{Fr, FrLimbs, G1, G2, SourceGroup};
use cuzk_device::{Device, DeviceOptions, DeviceSelector, Stream, Timing};
use cuzk_msm::{BasePlan, BaseTable, CardFigures, DeviceGroup, MsmError};
use group::{Curve as _, Group as _};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

const ROUNDS: usize = 5;
const BUDGET_BYTES: usize = 64 << 30;
const CALLERS: usize = 4;

fn main() -> Result<(), MsmError> {
    if !std::env::args().any(|argument| argument == "--bench") {
        // Run as a test, which may be on a machine without a device.
        return Ok(());
    }
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    let stream = device.new_stream()?;
    for log_n in sizes() {
        group::<G1>(&stream, log_n, &[8, 12, 16, 17, 19, 20, 22])?;
        group::<G2>(&stream, log_n, &[8, 12, 16, 17, 19, 20])?;
    }
    Ok(())
}

/// Logarithms of the numbers of scalars: those among the arguments, or two.
fn sizes() -> Vec<u32> {
    let numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    match numbers.collect::<Vec<_>>() {
        none if none.is_empty() => vec![20, 22],
        some => some,
    }
}

fn group<G: DeviceGroup>(stream: &Stream, log_n: u32, widths: &[u32]) -> Result<(), MsmError> {
    let n = 1 << log_n;
    let scalars = uniform(n);
    let there = stream.upload(FrLimbs::view(&scalars))?;
    let generator = G::Projective::generator().to_affine();
    let chosen = BasePlan::new::<G>(n, BUDGET_BYTES)?;
    // The kernels are loaded.
    let _first = BaseTable::<G>::new(stream, &generator, chosen)?;
    for bits in widths {
        let plan = BasePlan::of_windows::<G>(*bits, n, BUDGET_BYTES)?;
        let started = Instant::now();
        let table = BaseTable::<G>::new(stream, &generator, plan)?;
        stream.synchronize()?;
        let table_time = started.elapsed();
        let mut on_device = Vec::new();
        for _ in 0..ROUNDS {
            on_device.push(device_time(stream, || table.multiply_there(&there))?);
        }
        let one = with_copies(&table, &scalars, 1)?;
        let four = with_copies(&table, &scalars, CALLERS)?;
        println!(
            "{{\"group\": \"{}\", \"log_n\": {log_n}, \"windows\": {}, \"bits\": {}, \"table\": {}, \
             \"chosen\": {}, \"predicted_ms\": {:.1}, \"table_ms\": {:.2}, \"device_ms\": {:.2}, \
             \"host_ms\": {:.1}, \"four_callers_ms\": {:.1}}}",
            G::NAME,
            plan.layout().windows(),
            plan.layout().window_bits(),
            plan.entries(),
            plan == chosen,
            plan.predicted_ms(&CardFigures::of(stream.device().info())),
            ms(table_time),
            ms(median(on_device)),
            ms(one),
            ms(four),
        );
    }
    Ok(())
}

/// Scalars that are made quickly: any number below 2^254 is a Montgomery form.
fn uniform(n: usize) -> Vec<Fr> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut next = || rng.next_u64();
    let limbs: Vec<_> = (0..n)
        .map(|_| FrLimbs([next(), next(), next(), next() >> 2]))
        .collect();
    FrLimbs::scalars(&limbs).expect("reduced").to_vec()
}

fn device_time<T>(
    stream: &Stream,
    work: impl FnOnce() -> Result<T, MsmError>,
) -> Result<Duration, MsmError> {
    let start = stream.device().new_event(Timing::Enabled)?;
    let end = stream.device().new_event(Timing::Enabled)?;
    stream.record(&start)?;
    let _made = work()?;
    stream.record(&end)?;
    end.synchronize()?;
    Ok(end.elapsed_since(&start)?)
}

/// The median of some rounds, into memory that was touched before.
fn with_copies<G: DeviceGroup>(
    table: &BaseTable<G>,
    scalars: &[Fr],
    callers: usize,
) -> Result<Duration, MsmError> {
    let identity = <G as SourceGroup>::as_limbs(&[G::Projective::identity().to_affine()])[0];
    let mut points = vec![identity; scalars.len()];
    let each = scalars.len().div_ceil(callers);
    let mut times = Vec::new();
    for _ in 0..3 {
        let started = Instant::now();
        std::thread::scope(|scope| {
            let parts = scalars.chunks(each).zip(points.chunks_mut(each));
            let callers: Vec<_> = parts
                .map(|(scalars, points)| {
                    scope.spawn(move || table.multiply(scalars, points, &|_| ()))
                })
                .collect();
            let mut results = callers.into_iter().map(|caller| caller.join());
            results.try_for_each(|result| result.expect("no panic"))
        })?;
        times.push(started.elapsed());
    }
    Ok(median(times))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
