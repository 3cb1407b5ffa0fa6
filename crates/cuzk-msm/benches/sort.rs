//! Times of the sort of digits, kernel by kernel, on the device.
//!
//! Rows are sizes, with the windows that a plan has for them, and ways in which scalars are spread;
//! at large sizes both with the tiles that are usual and with long ones. A row prints the median
//! of each kernel.

#[path = "shared/scalars.rs"]
mod scalars;

use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use cuzk_curve::FrLimbs;
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, DeviceSlice, Stream, Timing};
use cuzk_msm::{DigitSorter, SortTuning, WindowLayout};
use scalars::uniform;

/// Exponents of sizes, and bits of their windows.
const SIZES: [(u32, u32); 5] = [(20, 16), (22, 17), (22, 19), (24, 20), (26, 22)];
const SKEWED: (u32, u32) = (22, 17);
const REPEATS: usize = 5;

struct Row<'a> {
    name: String,
    sorter: &'a DigitSorter,
    scalars: DeviceSlice<'a, FrLimbs>,
    window_bits: u32,
}

impl Row<'_> {
    /// Each kernel's time, once.
    fn times(&self, stream: &Stream) -> Vec<(&'static str, Duration)> {
        let mark = || {
            let event = stream
                .device()
                .new_event(Timing::Enabled)
                .expect("an event");
            stream.record(&event).map(|()| event)
        };
        let layout = WindowLayout::new(self.window_bits).expect("in range");
        let (windows, n) = (0..layout.windows(), self.scalars.len());
        let mut events = Vec::new();
        let start = mark().expect("an event");
        let sorted =
            self.sorter
                .sort_by_steps(stream, self.scalars, &layout, windows, n, &mut |symbol| {
                    events.push((symbol, mark()?));
                    Ok(())
                });
        let sorted = sorted.expect("launches");
        stream.synchronize().expect("the kernels run");
        assert_eq!(sorted.longest, n, "one table");
        assert_eq!(sorted.entries.len(), n * sorted.windows);
        assert_eq!(sorted.offsets.len(), sorted.buckets * sorted.windows + 1);
        let mut before = &start;
        let mut times = Vec::new();
        for (symbol, event) in &events {
            times.push((*symbol, event.elapsed_since(before).expect("it is reached")));
            before = event;
        }
        times
    }

    fn measure(&self, criterion: &mut Criterion, stream: &Stream) {
        let all =
            |times: &[(&str, Duration)]| times.iter().map(|(_, time)| *time).sum::<Duration>();
        self.times(stream);
        let mut runs: Vec<_> = (0..REPEATS).map(|_| self.times(stream)).collect();
        runs.sort_by_key(|times| all(times));
        let median = &runs[REPEATS / 2];
        eprint!("{}: {:.3} ms", self.name, all(median).as_secs_f64() * 1e3);
        for (symbol, time) in median {
            let kernel = symbol.trim_start_matches("cuzk_msm_");
            eprint!(", {kernel} {:.3}", time.as_secs_f64() * 1e3);
        }
        eprintln!();
        let mut group = criterion.benchmark_group("sort");
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(1));
        group.measurement_time(Duration::from_millis(1));
        group.throughput(Throughput::Elements(self.scalars.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(&self.name), |bencher| {
            bencher.iter_custom(|count| (0..count).map(|_| all(&self.times(stream))).sum());
        });
        group.finish();
    }
}

fn sorts(criterion: &mut Criterion) {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    let device = device.expect("a CUDA device");
    let stream = device.new_stream().expect("a stream");
    let usual = SortTuning::default();
    let tunings = [
        ("usual", usual),
        (
            "short",
            SortTuning {
                long_tiles_from: usize::MAX,
                ..usual
            },
        ),
        (
            "long",
            SortTuning {
                long_tiles_from: 0,
                ..usual
            },
        ),
    ];
    let sorters = tunings.map(|(of, tuning)| {
        let sorter = DigitSorter::with_tuning(&device, tuning).expect("kernels");
        (of, sorter)
    });
    let [(_, usual), ..] = &sorters;
    let largest = SIZES.iter().map(|(log_n, _)| *log_n).max().unwrap_or(0);
    let host = uniform(1 << largest);
    let scalars = stream.upload(&host).expect("memory");
    let upload =
        |scalars: &[FrLimbs]| -> DeviceBuf<FrLimbs> { stream.upload(scalars).expect("memory") };
    for (log_n, window_bits) in SIZES {
        for (of, sorter) in &sorters {
            let row = Row {
                name: format!("{of}/2^{log_n}/{window_bits}"),
                sorter,
                scalars: scalars.as_slice().part(0..1 << log_n).expect("so many"),
                window_bits,
            };
            row.measure(criterion, &stream);
        }
    }
    let (log_n, window_bits) = SKEWED;
    let n = 1 << log_n;
    let one = FrLimbs::from(<cuzk_curve::Fr as ff::Field>::ONE);
    let sixteen = |i: usize| host[host[i].0[0] as usize % 16];
    let bits = |i: usize| [FrLimbs([0; 4]), one][host[i].0[0] as usize % 2];
    for (of, scalars) in [
        ("equal", vec![host[0]; n]),
        ("sixteen", (0..n).map(sixteen).collect()),
        ("bits", (0..n).map(bits).collect()),
    ] {
        let scalars = upload(&scalars);
        let row = Row {
            name: format!("{of}/2^{log_n}/{window_bits}"),
            sorter: usual,
            scalars: scalars.as_slice(),
            window_bits,
        };
        row.measure(criterion, &stream);
    }
}

criterion_group!(benches, sorts);
criterion_main!(benches);
