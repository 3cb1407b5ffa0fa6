//! How host memory comes to a device, by every strategy: copies of one and of fifty uses, sizes of
//! a staging ring, and whole proofs, one alone and each of four.
//!
//! Prints one JSON object a row. Arguments are parts of it, `copies`, `staging` and `proofs`, and
//! logarithms of the proofs' constraints, 20 and 22 by default.
#![allow(clippy::print_stdout, reason = "a program's output")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_cuda::Cuda;
use cuzk_curve::Fr;
use cuzk_device::{Device, DeviceOptions, DeviceSelector, PageRegistrar, Stream};
use cuzk_groth16::{
    Blinding, Proof, ProveError, ProvingKey, generate_parameters, prove, prove_batch,
};
use cuzk_hostmem::{AllocError, CopyOptions, CopyReport, HostAllocator, HostBuf, HostMemory};
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

/// One copy of ordinary memory to memory on the device that is there.
fn one_use(stream: &Stream, host: &[u8], times: usize) -> (Duration, Option<CopyReport>) {
    let mut to = stream.alloc::<u8>(host.len()).expect("device memory");
    let mut copy = || {
        let mut slice = to.as_mut_slice();
        slice.copy_from_host(stream, host).expect("a copy");
    };
    // Twice before it counts: a ring is made, and a machine measured.
    copy();
    copy();
    let times = (0..times).map(|_| timed(&mut copy).0).collect();
    (median(times), stream.device().host_copies().last())
}

/// Fifty copies of a buffer by an allocator's strategy, with what it takes to hold it so and to
/// give it back, but not to fill it.
fn fifty_uses(stream: &Stream, bytes: usize) -> (Duration, bool) {
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
    let locked = buffer.locked();
    let mut to = stream.alloc::<u8>(bytes).expect("device memory");
    let (using, ()) = timed(|| {
        for _ in 0..USES {
            let mut slice = to.as_mut_slice();
            slice.copy_from_host(stream, &buffer).expect("a copy");
        }
    });
    let (dropping, ()) = timed(|| drop(buffer));
    (making - filling + using + dropping, locked)
}

fn copies() {
    for &strategy in HostMemory::ALL {
        let device = open(strategy, CopyOptions::default());
        let stream = device.new_stream().expect("a stream");
        if strategy == HostMemory::Auto {
            // The figures come from the first large copy.
            one_use(&stream, &vec![1; 64 << 20], 1);
            let rates = device.host_copies().rates().expect("measured");
            println!("{{\"what\": \"rates\", \"figures\": \"{rates}\"}}");
        }
        for log_bytes in [20, 22, 24, 26, 27, 29] {
            let host = vec![3u8; 1 << log_bytes];
            let (time, last) = one_use(&stream, &host, 7);
            let taken = last.map_or(HostMemory::Pageable, |report| report.strategy);
            let predicted = last.and_then(|report| report.prediction);
            let predicted = predicted.and_then(|prediction| prediction.of(taken));
            println!(
                "{{\"what\": \"one use\", \"strategy\": \"{strategy}\", \"mib\": {}, \"ms\": {:.3}, \
                 \"gb_s\": {:.1}, \"taken\": \"{taken}\", \"predicted_ms\": {:.3}}}",
                (1 << log_bytes) >> 20,
                ms(time),
                f64::from(1 << log_bytes) / time.as_secs_f64() / 1e9,
                predicted.map_or(0.0, ms),
            );
        }
        for log_bytes in [20, 24, 27] {
            fifty_uses(&stream, 1 << log_bytes);
            let runs: Vec<_> = (0..5)
                .map(|_| fifty_uses(&stream, 1 << log_bytes))
                .collect();
            let locked = runs.iter().all(|(_, locked)| *locked);
            let time = median(runs.into_iter().map(|(time, _)| time).collect());
            println!(
                "{{\"what\": \"fifty uses\", \"strategy\": \"{strategy}\", \"mib\": {}, \"ms\": {:.3}, \
                 \"registered\": {locked}}}",
                (1 << log_bytes) >> 20,
                ms(time),
            );
        }
    }
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
            let stream = device.new_stream().expect("a stream");
            for bytes in [8 << 20, 128 << 20] {
                let (time, _) = one_use(&stream, &host[..bytes], 7);
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
        let (time, parameters) = timed(|| generate_parameters(&shape, &mut rng(0), |_| {}));
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
