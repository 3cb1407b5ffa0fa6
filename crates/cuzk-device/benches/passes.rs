//! Times of whole transforms by their passes, for each size and some ways to cut its stages.
//!
//! Time is the device's; data and twiddles are on the device, and a transform is in place. Before
//! a measurement two results are compared with the polynomial's values there.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{
    Device, DeviceBuf, DeviceOptions, DeviceSelector, Kernel, KernelParams, Module, Stream, Timing,
};
use ff::Field as _;

/// `cuzk::ntt::PassParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct PassParams {
    input: u64,
    out: u64,
    twiddles: u64,
    scale: u64,
    log_n: u64,
    log_stride: u64,
    log_rows: u64,
}

/// `cuzk::ntt::TwiddleTopParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct TwiddleTopParams {
    high: u64,
    low: u64,
    table: u64,
    m: u64,
    log_low: u64,
}

/// `cuzk::ntt::TwiddleLevelParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct TwiddleLevelParams {
    table: u64,
    m: u64,
}

// SAFETY: numbers of 64 bits, as in the structures of these names in `cuzk::ntt`.
unsafe impl KernelParams for PassParams {}
// SAFETY: as above.
unsafe impl KernelParams for TwiddleTopParams {}
// SAFETY: as above.
unsafe impl KernelParams for TwiddleLevelParams {}

/// Sizes, and the stages of each pass from the longest reach to the shortest.
const CUTS: [(u32, &[u64]); 9] = [
    (20, &[10, 10]),
    (20, &[7, 7, 6]),
    (22, &[8, 7, 7]),
    (22, &[11, 11]),
    (24, &[8, 8, 8]),
    (24, &[7, 8, 9]),
    (26, &[9, 9, 8]),
    (26, &[8, 9, 9]),
    (27, &[9, 9, 9]),
];

/// Kernel, exponent of its tile, and whether it takes the shortest reach first.
const KERNELS: [(&str, u64, bool); 6] = [
    ("frequency", 11, false),
    ("frequency_narrow", 10, false),
    ("frequency_called", 10, false),
    ("time", 11, true),
    ("time_narrow", 10, true),
    ("time_called", 10, true),
];

struct Bench {
    stream: Stream,
    module: Module,
}

impl Bench {
    fn open() -> Self {
        let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())
            .expect("a CUDA device");
        let source = cuzk_kernels::module("ntt_fr").expect("the module is compiled in");
        Self {
            stream: device.new_stream().expect("a stream"),
            module: device.load(source).expect("the module loads"),
        }
    }

    fn kernel<P: KernelParams>(&self, name: &str) -> Kernel<P> {
        self.module
            .kernel(&format!("cuzk_ntt_{name}_fr"))
            .expect("the kernel exists")
    }

    fn twiddles(&self, domain: &Domain) -> DeviceBuf<FrLimbs> {
        let half = domain.log_n() - 1;
        let log_low = half / 2;
        let powers = |ratio: Fr, n: usize| -> Vec<FrLimbs> {
            let powers = std::iter::successors(Some(Fr::ONE), |p| Some(*p * ratio));
            powers.take(n).map(FrLimbs::from).collect()
        };
        let w = domain.generator();
        let low = powers(w, 1 << log_low);
        let high = powers(w.pow_vartime([1 << log_low]), 1 << (half - log_low));
        let (low, high) = (self.stream.upload(&low), self.stream.upload(&high));
        let (low, high) = (low.expect("memory"), high.expect("memory"));
        let mut table = self.stream.alloc::<FrLimbs>(domain.n()).expect("memory");
        let address = table.as_mut_slice().address();
        let top = self.kernel("twiddle_top");
        let level = self.kernel("twiddle_level");
        let params = TwiddleTopParams {
            high: high.as_slice().address(),
            low: low.as_slice().address(),
            table: address,
            m: 1 << half,
            log_low: log_low.into(),
        };
        let blocks = top.blocks_for(1 << half).expect("a grid");
        // SAFETY: the table has 2 m elements, and the factors are as many as the exponents say.
        unsafe { top.launch(&self.stream, blocks, &params) }.expect("a launch");
        for log_m in (0..half).rev() {
            let params = TwiddleLevelParams {
                table: address,
                m: 1 << log_m,
            };
            let blocks = level.blocks_for(1 << log_m).expect("a grid");
            // SAFETY: the table has at least 4 m elements.
            unsafe { level.launch(&self.stream, blocks, &params) }.expect("a launch");
        }
        self.stream.synchronize().expect("the table is made");
        table
    }

    fn time(&self, count: u64, transform: impl Fn()) -> Duration {
        let event = || {
            self.stream
                .device()
                .new_event(Timing::Enabled)
                .expect("an event")
        };
        let (start, end) = (event(), event());
        self.stream.record(&start).expect("recorded");
        (0..count).for_each(|_| transform());
        self.stream.record(&end).expect("recorded");
        end.synchronize().expect("the kernels run");
        end.elapsed_since(&start).expect("measured")
    }
}

/// Scalars without structure; every one is below 2^254.
fn values(n: usize) -> Vec<FrLimbs> {
    let word = |i: u64| {
        let mixed = (i ^ (i >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    };
    (0..n as u64)
        .map(|i| {
            let at = |k: u64| word((4 * i + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            FrLimbs([at(0), at(1), at(2), at(3) >> 2])
        })
        .collect()
}

/// The values of the polynomial at two points of the domain, with their indices.
fn expected(domain: &Domain, coefficients: &[FrLimbs]) -> Vec<(usize, FrLimbs)> {
    let scalars = FrLimbs::scalars(coefficients).expect("reduced");
    [1, domain.n() / 3]
        .into_iter()
        .map(|j| {
            let point = domain.generator().pow_vartime([j as u64]);
            let sum = scalars
                .iter()
                .rev()
                .fold(Fr::ZERO, |sum, c| sum * point + c);
            (j, FrLimbs::from(sum))
        })
        .collect()
}

fn reversed(i: usize, log_n: u32) -> usize {
    i.reverse_bits() >> (usize::BITS - log_n)
}

fn passes(criterion: &mut Criterion) {
    let bench = Bench::open();
    let mut group = criterion.benchmark_group("device");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_millis(500));
    for size in [20, 22, 24, 26, 27] {
        let domain = Domain::new(size).expect("a domain");
        let twiddles = bench.twiddles(&domain);
        let natural = values(domain.n());
        let known = expected(&domain, &natural);
        let mut bit_reversed = natural.clone();
        (0..domain.n()).for_each(|i| bit_reversed[i] = natural[reversed(i, size)]);
        for (log_n, rows) in CUTS.into_iter().filter(|(log_n, _)| *log_n == size) {
            for (name, log_tile, shortest_first) in KERNELS {
                if rows.iter().any(|r| *r > log_tile) {
                    continue;
                }
                let kernel: Kernel<PassParams> = bench.kernel(name);
                let input = if shortest_first {
                    &bit_reversed
                } else {
                    &natural
                };
                let mut data = bench.stream.upload(input).expect("memory");
                let address = data.as_mut_slice().address();
                let mut log_stride = u64::from(log_n);
                let mut plan: Vec<PassParams> = rows
                    .iter()
                    .map(|log_rows| {
                        log_stride -= log_rows;
                        PassParams {
                            input: address,
                            out: address,
                            twiddles: twiddles.as_slice().address(),
                            scale: 0,
                            log_n: log_n.into(),
                            log_stride,
                            log_rows: *log_rows,
                        }
                    })
                    .collect();
                if shortest_first {
                    plan.reverse();
                }
                let blocks = 1u32 << (u64::from(log_n) - log_tile);
                let transform = || {
                    for params in &plan {
                        // SAFETY: data and table have 2^log_n elements, and the blocks are as
                        // many as the tiles.
                        unsafe { kernel.launch(&bench.stream, blocks, params) }.expect("a launch");
                    }
                };
                transform();
                let got = data.download().expect("the kernels run");
                for (j, value) in &known {
                    let place = if shortest_first {
                        *j
                    } else {
                        reversed(*j, log_n)
                    };
                    assert_eq!(got[place], *value, "{name}, 2^{log_n} by {rows:?}, at {j}");
                }
                let cut: Vec<String> = rows.iter().map(ToString::to_string).collect();
                let id = BenchmarkId::new(format!("{name}/2^{log_n}"), cut.join("+"));
                group.throughput(Throughput::Elements(1 << log_n));
                group.bench_function(id, |bencher| {
                    bencher.iter_custom(|count| bench.time(count, transform));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, passes);
criterion_main!(benches);
