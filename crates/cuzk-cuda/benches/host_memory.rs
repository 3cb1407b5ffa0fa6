//! How host memory comes to a device, by every strategy: copies of one and of fifty uses, sizes of
//! a staging ring, and whole proofs, one alone and each of four.
//!
//! Prints a record of the copies, and one JSON object a row of the rest. Arguments are parts of it,
//! `copies`, `staging` and `proofs`, and logarithms of the proofs' constraints, 20 and 22 by
//! default.
#![allow(clippy::print_stdout, reason = "a program's output")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_cpu::Cpu;
use cuzk_cuda::Cuda;
use cuzk_curve::Fr;
use cuzk_device::{Device, DeviceOptions, DeviceSelector, PageRegistrar, Stream};
use cuzk_groth16::{
    Blinding, Proof, ProveError, ProvingKey, generate_parameters, prove, prove_batch,
};
use cuzk_hostmem::{AllocError, CopyOptions, HostAllocator, HostBuf, HostCopies, HostMemory};
use cuzk_params::Parameters;
use cuzk_phase::{Report, Timeline};
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_testkit::{MimcChain, rng};

fn open(host_memory: HostMemory, copies: CopyOptions) -> Device {
    let options = DeviceOptions {
        host_memory,
        copies,
        ..DeviceOptions::default()
    };
    Device::open(&DeviceSelector::default(), &options).expect("a CUDA device")
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let value = work();
    (started.elapsed(), value)
}

/// A strategy's device, and memory on it.
struct Lane {
    strategy: HostMemory,
    stream: Stream,
}

impl Lane {
    fn all() -> Vec<Self> {
        let lane = |&strategy: &HostMemory| Self {
            strategy,
            stream: open(strategy, CopyOptions::default())
                .new_stream()
                .expect("a stream"),
        };
        HostMemory::ALL.iter().map(lane).collect()
    }

    fn copies(&self) -> &HostCopies {
        self.stream.device().host_copies()
    }
}

/// Runs of which the middle counts.
const RUNS: usize = 9;

/// One copy of ordinary memory to memory on the device that is there: medians by strategy, which
/// take turns.
fn one_use(lanes: &[Lane], host: &[u8]) -> Vec<Duration> {
    let alloc = |lane: &Lane| lane.stream.alloc::<u8>(host.len()).expect("device memory");
    let mut places: Vec<_> = lanes.iter().map(alloc).collect();
    // Twice before it counts: a ring is made, and a machine measured.
    in_turns(lanes, RUNS, 2, |i, lane| {
        let mut slice = places[i].as_mut_slice();
        let copy = || slice.copy_from_host(&lane.stream, host).expect("a copy");
        timed(copy).0
    })
}

/// Medians of so many runs, each strategy once in every round, after some that do not count.
fn in_turns(
    lanes: &[Lane],
    runs: usize,
    warm: usize,
    mut run: impl FnMut(usize, &Lane) -> Duration,
) -> Vec<Duration> {
    let mut times = vec![Vec::with_capacity(runs); lanes.len()];
    for round in 0..warm + runs {
        for (i, lane) in lanes.iter().enumerate() {
            let time = run(i, lane);
            if round >= warm {
                times[i].push(time);
            }
        }
    }
    times.into_iter().map(median).collect()
}

/// Fifty copies of a buffer by an allocator's strategy, with what it takes to hold it so and to
/// give it back, but not to fill it.
fn fifty_uses(stream: &Stream, bytes: usize) -> Duration {
    const USES: u32 = 50;
    let device = stream.device();
    let copies = device.host_copies();
    let locker = Arc::new(PageRegistrar::new(device));
    let mut allocator = HostAllocator::new(copies.strategy(), Some(locker)).with_uses(USES);
    if let Some(rates) = copies.rates() {
        allocator = allocator.with_rates(*rates);
    }
    let mut filling = Duration::ZERO;
    let (making, buffer) = timed(|| {
        allocator.filled(bytes, |slice: &mut [u8]| {
            filling = timed(|| slice.fill(7)).0;
            Ok::<(), AllocError>(())
        })
    });
    let buffer: HostBuf<u8> = buffer.expect("host memory");
    let mut to = stream.alloc::<u8>(bytes).expect("device memory");
    let (using, ()) = timed(|| {
        for _ in 0..USES {
            let mut slice = to.as_mut_slice();
            slice.copy_from_host(stream, &buffer).expect("a copy");
        }
    });
    let (dropping, ()) = timed(|| drop(buffer));
    making - filling + using + dropping
}

/// A row of the record: the times by strategy, and how far the measuring one is from the best of
/// the others.
fn row(lanes: &[Lane], mib: usize, times: &[Duration]) -> serde_json::Value {
    let mut row = serde_json::json!({ "mib": mib });
    let mut best: Option<(HostMemory, Duration)> = None;
    for (lane, &time) in lanes.iter().zip(times) {
        row[format!("{}_ms", lane.strategy)] = rounded(ms(time));
        let is_better = best.is_none_or(|(_, least)| time < least);
        if lane.strategy != HostMemory::Auto && is_better {
            best = Some((lane.strategy, time));
        }
    }
    let (best, least) = best.expect("three strategies");
    let auto = lanes
        .iter()
        .position(|lane| lane.strategy == HostMemory::Auto);
    let auto = times[auto.expect("one measures")].as_secs_f64();
    row["best"] = best.name().into();
    row["auto_over_best_percent"] = rounded(100.0 * (auto / least.as_secs_f64() - 1.0));
    row
}

fn rounded(figure: f64) -> serde_json::Value {
    serde_json::json!((figure * 1e3).round() / 1e3)
}

/// Every strategy for one use and for fifty, as the fields of a record.
fn copies() {
    let lanes = Lane::all();
    // The figures of the machine come from the first large copy, and cost what it takes longer.
    let host = vec![1; 64 << 20];
    let auto = lanes.iter().find(|lane| lane.strategy == HostMemory::Auto);
    let auto = auto.expect("one measures");
    let mut to = auto.stream.alloc::<u8>(host.len()).expect("device memory");
    let mut copy = || {
        let mut slice = to.as_mut_slice();
        timed(|| slice.copy_from_host(&auto.stream, &host).expect("a copy")).0
    };
    let (first, second) = (copy(), copy());
    let rates = *auto.copies().rates().expect("measured");
    let one: Vec<_> = [1, 4, 16, 64, 128, 512]
        .into_iter()
        .map(|mib| {
            let mut row = row(&lanes, mib, &one_use(&lanes, &vec![3; mib << 20]));
            // What is too small for a strategy is not reported.
            let last = auto.copies().last();
            let last = last.filter(|report| report.bytes == mib << 20);
            let taken = last.map_or(HostMemory::Pageable, |report| report.strategy);
            row["auto_took"] = taken.name().into();
            row
        })
        .collect();
    let fifty: Vec<_> = [1, 16, 128]
        .into_iter()
        .map(|mib| {
            let run = |_, lane: &Lane| fifty_uses(&lane.stream, mib << 20);
            let mut row = row(&lanes, mib, &in_turns(&lanes, RUNS, 1, run));
            row["auto_took"] = rates.predict(mib << 20, 50).best.name().into();
            row
        })
        .collect();
    let device = auto.stream.device();
    let record = serde_json::json!({
        "what": "host memory brought to the device by every strategy, once and fifty times",
        "program": "cargo bench -p cuzk-cuda --bench host_memory -- copies",
        "machine": {
            "gpu": device.info().name,
            "driver": device.driver().to_string(),
            "cores": std::thread::available_parallelism().map_or(1, usize::from),
        },
        "runs": format!("medians of {RUNS}, the strategies by turns"),
        "figures_of_auto": rates.to_string(),
        "measuring_ms": rounded(ms(first.saturating_sub(second))),
        "one_use": one,
        "fifty_uses": fifty,
    });
    println!("{record:#}");
}

fn staging() {
    let host = vec![5u8; 128 << 20];
    for threads in [1, 2, 4, 8, 12, 16] {
        for chunk_bytes in [512 << 10, 1 << 20, 2 << 20, 4 << 20] {
            let options = CopyOptions {
                staging_threads: threads,
                chunk_bytes,
                ..CopyOptions::default()
            };
            let device = open(HostMemory::Staged, options);
            let lane = Lane {
                strategy: HostMemory::Staged,
                stream: device.new_stream().expect("a stream"),
            };
            for bytes in [8 << 20, 128 << 20] {
                let time = one_use(std::slice::from_ref(&lane), &host[..bytes])[0];
                println!(
                    "{{\"what\": \"staging\", \"threads\": {threads}, \"chunk_kib\": {}, \
                     \"mib\": {}, \"ms\": {:.3}, \"gb_s\": {:.1}}}",
                    chunk_bytes >> 10,
                    bytes >> 20,
                    ms(time),
                    bytes as f64 / time.as_secs_f64() / 1e9,
                );
            }
        }
    }
}

struct Case {
    shape: Arc<Shape>,
    witness: PackedWitness,
    parameters: Parameters,
}

impl Case {
    fn new(log_n: u32) -> Self {
        // A domain has room for the rows of the inputs too.
        let circuit = MimcChain::new(1, (1 << log_n) - 1000);
        let shape = cuzk_synth::shape(&circuit).expect("sound");
        let (time, parameters) = timed(|| {
            generate_parameters(
                &Cpu::default(),
                &shape,
                &mut rng(0),
                &Timeline::start(),
                |_| {},
            )
        });
        println!(
            "{{\"what\": \"set-up\", \"log_n\": {log_n}, \"ms\": {:.0}}}",
            ms(time)
        );
        Self {
            witness: cuzk_synth::witness(&circuit).expect("values are known"),
            shape: Arc::new(shape),
            parameters: parameters.expect("sound"),
        }
    }

    fn one(&self, cuda: &Cuda, key: &ProvingKey<Cuda>) -> (Proof, Report) {
        let timeline = Timeline::start();
        let proof = prove(cuda, key, &self.witness, &blinding(0), &timeline);
        (proof.expect("a proof"), timeline.finish())
    }

    fn four(&self, cuda: &Cuda, key: &ProvingKey<Cuda>) -> (Vec<Proof>, Report) {
        // Witnesses of their own: nothing is at one place twice.
        let witnesses = vec![self.witness.clone(); 4];
        let blindings: Vec<Blinding> = (0..4).map(blinding).collect();
        let timeline = Timeline::start();
        let proofs = prove_batch(cuda, key, &witnesses, &blindings, &timeline);
        let proofs: Result<Vec<_>, ProveError> = proofs.expect("a batch").into_iter().collect();
        (proofs.expect("every proof"), timeline.finish())
    }
}

fn blinding(seed: u64) -> Blinding {
    Blinding::fixed(Fr::from(1_000_003 + seed), -Fr::from(7 + seed))
}

fn proofs(log_n: u32) {
    let case = Case::new(log_n);
    let mut expected: Option<Vec<Proof>> = None;
    for &strategy in HostMemory::ALL {
        let device = open(strategy, CopyOptions::default());
        let (opening, cuda) = timed(|| Cuda::on(&device).expect("kernels"));
        let (preparing, key) = timed(|| {
            ProvingKey::prepare(&cuda, Arc::clone(&case.shape), &case.parameters).expect("a key")
        });
        let (proof, first) = case.one(&cuda, &key);
        let reports: Vec<Report> = (0..7).map(|_| case.one(&cuda, &key).1).collect();
        let one = median(reports.iter().map(|report| report.total).collect());
        let (proofs, _) = case.four(&cuda, &key);
        assert_eq!(proofs[0], proof, "{strategy}");
        let expected = expected.get_or_insert_with(|| proofs.clone());
        assert_eq!(*expected, proofs, "{strategy}");
        let batches: Vec<Report> = (0..5).map(|_| case.four(&cuda, &key).1).collect();
        let each = median(batches.iter().map(|report| report.total / 4).collect());
        println!(
            "{{\"what\": \"proofs\", \"log_n\": {log_n}, \"strategy\": \"{strategy}\", \
             \"witness_mib\": {:.1}, \"kernels_ms\": {:.0}, \"key_ms\": {:.0}, \"first_ms\": {:.1}, \
             \"one_ms\": {:.1}, \"each_of_four_ms\": {:.1}, \"device_ms_of_one\": {:.1}, \
             \"upload_ms\": {:.2}, \"unaccounted_percent_of_four\": {:.2}, \"peak_device_mib\": {}}}",
            case.witness.bytes() as f64 / f64::from(1 << 20),
            ms(opening),
            ms(preparing),
            ms(first.total),
            ms(one),
            ms(each),
            reports[3]
                .phases
                .iter()
                .filter_map(|row| row.device)
                .map(ms)
                .sum::<f64>(),
            median(reports.iter().map(upload).collect()).as_secs_f64() * 1e3,
            batches[2].unaccounted_percent,
            device.memory().expect("known").peak_bytes >> 20,
        );
        println!(
            "one {strategy}\n{}\nfour {strategy}\n{}",
            reports[3], batches[2]
        );
    }
}

/// Host time to bring the witness there, with what registering takes.
fn upload(report: &Report) -> Duration {
    use cuzk_phase::Phase::{Pin, Unpin, Upload};
    let rows = [Pin, Upload, Unpin].map(|phase| report.phase(phase).map(|row| row.host));
    rows.into_iter().flatten().sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |part: &str| {
        let parts = ["copies", "staging", "proofs"];
        let any = arguments
            .iter()
            .any(|argument| parts.contains(&argument.as_str()));
        !any || arguments.iter().any(|argument| argument == part)
    };
    if asked("copies") {
        copies();
    }
    if asked("proofs") {
        let sizes: Vec<u32> = arguments
            .iter()
            .filter_map(|word| word.parse().ok())
            .collect();
        let sizes = if sizes.is_empty() {
            vec![20, 22]
        } else {
            sizes
        };
        sizes.into_iter().for_each(proofs);
    }
    if asked("staging") {
        staging();
    }
}
