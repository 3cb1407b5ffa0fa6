//! Times of bucket sums and of their reduction, alone.
//!
//! Time is the device's; points and sorted digits are on the device. Before a measurement the
//! points of all windows are compared with what the multiples behind the points give.

#[path = "../src/accumulate.rs"]
mod accumulate;
#[path = "../src/order.rs"]
mod order;
#[path = "../tests/shared/points.rs"]
mod points;
#[path = "../src/reduce.rs"]
mod reduce;

use std::time::Duration;

use ::group::{Curve as _, Group as _};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cuzk_curve::{Fr, G1, G2};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, KernelParams, Stream, Timing};
use cuzk_kernel_host::{CurveCases, represents};

use crate::accumulate::Accumulator;
use crate::group::DeviceGroup;
use crate::order::TaskOrder;
use crate::reduce::Reducer;
use crate::sorted::SortedDigits;

mod sorted {
    pub(crate) use cuzk_msm::SortedDigits;
}

/// The groups, by what the modules above need of them.
mod group {
    use bytemuck::Pod;
    use cuzk_curve::{FpLimbs, G1, G2, SourceGroup};

    pub(crate) trait DeviceGroup: SourceGroup {
        type Xyzz: Pod + Send + Sync;
        const SUFFIX: &'static str;
    }

    impl DeviceGroup for G1 {
        type Xyzz = [FpLimbs; 4];
        const SUFFIX: &'static str = "g1";
    }

    impl DeviceGroup for G2 {
        type Xyzz = [FpLimbs; 8];
        const SUFFIX: &'static str = "g2";
    }
}

/// A sum of 2^log_n points: windows of 256 bits in all, the wider ones first.
#[derive(Debug, Clone, Copy)]
struct Shape {
    log_n: u32,
    windows: usize,
    /// Windows whose digits fill all buckets; the others fill half.
    full: usize,
    log_buckets: u32,
}

const SHAPES: [Shape; 3] = [
    Shape {
        log_n: 20,
        windows: 16,
        full: 16,
        log_buckets: 15,
    },
    Shape {
        log_n: 22,
        windows: 14,
        full: 4,
        log_buckets: 18,
    },
    Shape {
        log_n: 24,
        windows: 13,
        full: 9,
        log_buckets: 19,
    },
];

/// How digits lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    Uniform,
    /// In every window all in one bucket.
    OneBucket,
}

impl Shape {
    fn name(self) -> String {
        format!("2^{}x{}", self.log_n, self.windows)
    }

    fn n(self) -> usize {
        1 << self.log_n
    }

    fn entries(self) -> usize {
        self.windows * self.n()
    }

    /// One window: the entries of every bucket, ascending, and the bounds.
    fn window(self, log_buckets: u32, spread: Spread) -> (Vec<u32>, Vec<u32>) {
        let buckets = 1usize << self.log_buckets;
        let bucket = |i: u32| match spread {
            Spread::Uniform => (mixed(i) >> (64 - log_buckets)) as usize,
            Spread::OneBucket => buckets / 2 - 1,
        };
        let n = u32::try_from(self.n()).expect("few points");
        let mut ends = vec![0u32; buckets + 1];
        (0..n).for_each(|i| ends[bucket(i) + 1] += 1);
        for b in 0..buckets {
            ends[b + 1] += ends[b];
        }
        let bounds = ends.clone();
        let mut entries = vec![0; self.n()];
        for i in 0..n {
            let place = &mut ends[bucket(i)];
            let negative = u32::try_from(mixed(i) & 1).expect("a bit") << 31;
            entries[*place as usize] = i | negative;
            *place += 1;
        }
        (entries, bounds)
    }

    /// All windows: of the two kinds, with the indices of each permuted by an exclusive or.
    fn digits(self, spread: Spread) -> (Vec<u32>, Vec<u32>) {
        let full = self.window(self.log_buckets, spread);
        let half = self.window(self.log_buckets - 1, spread);
        let (mut entries, mut bounds) = (Vec::with_capacity(self.entries()), vec![0]);
        for window in 0..self.windows {
            let (of_window, bounds_of_window) = if window < self.full { &full } else { &half };
            let mask = u32::try_from(mixed(window as u32) >> (64 - self.log_n)).expect("an index");
            let start = u32::try_from(entries.len()).expect("few entries");
            entries.extend(of_window.iter().map(|entry| entry ^ mask));
            bounds.extend(bounds_of_window[1..].iter().map(|bound| start + bound));
        }
        (entries, bounds)
    }

    /// The multiple of each window's point where P_i = [i + 1] Q.
    fn expected(self, entries: &[u32], bounds: &[u32]) -> Vec<Fr> {
        let buckets = 1 << self.log_buckets;
        let of = |window: usize| {
            let bounds = &bounds[window * buckets..=(window + 1) * buckets];
            let weighted = bounds.windows(2).zip(1i128..).map(|(bounds, weight)| {
                let entries = &entries[bounds[0] as usize..bounds[1] as usize];
                let sum: i64 = entries
                    .iter()
                    .map(|entry| {
                        let multiple = i64::from(entry & 0x7fff_ffff) + 1;
                        if entry >> 31 == 1 {
                            -multiple
                        } else {
                            multiple
                        }
                    })
                    .sum();
                weight * i128::from(sum)
            });
            let sum: i128 = weighted.sum();
            let size = sum.unsigned_abs();
            let high = Fr::from((size >> 64) as u64) * Fr::from(1 << 32) * Fr::from(1 << 32);
            let size = high + Fr::from(size as u64);
            if sum < 0 { -size } else { size }
        };
        (0..self.windows).map(of).collect()
    }
}

/// 64 bits without structure.
fn mixed(i: u32) -> u64 {
    let x = (u64::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// `cuzk::testing::MapParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct MapParams {
    a: u64,
    b: u64,
    out: u64,
    n: u64,
}

// SAFETY: numbers of 64 bits, as in the structure of this name in `cuzk::testing`.
unsafe impl KernelParams for MapParams {}

fn to_affine<G: DeviceGroup>(stream: &Stream, sums: &DeviceBuf<G::Xyzz>) -> DeviceBuf<G::Limbs> {
    let symbol = format!("cuzk_testing_to_affine_{}", G::SUFFIX);
    let source = cuzk_kernels::module_with(&symbol).expect("the kernel exists");
    let module = stream.device().load(source).expect("the module loads");
    let kernel = module.kernel::<MapParams>(&symbol).expect("it is there");
    let mut out = stream.alloc::<G::Limbs>(sums.len()).expect("memory");
    let params = MapParams {
        a: sums.as_slice().address(),
        b: 0,
        out: out.as_mut_slice().address(),
        n: sums.len() as u64,
    };
    let blocks = kernel.blocks_for(sums.len()).expect("a grid");
    // SAFETY: both have so many points.
    unsafe { kernel.launch(stream, blocks, &params) }.expect("a launch");
    out
}

struct Bench<G: DeviceGroup> {
    stream: Stream,
    order: TaskOrder,
    accumulator: Accumulator<G>,
    reducer: Reducer<G>,
}

impl<G: DeviceGroup + CurveCases> Bench<G> {
    fn new(device: &Device) -> Self {
        Self {
            stream: device.new_stream().expect("a stream"),
            order: TaskOrder::new(device).expect("kernels"),
            accumulator: Accumulator::new(device).expect("kernels"),
            reducer: Reducer::new(device).expect("kernels"),
        }
    }

    /// Compares the points of windows with their multiples of the generator.
    fn check(&self, what: &str, windows: &DeviceBuf<<G as DeviceGroup>::Xyzz>, expected: &[Fr]) {
        let got = windows.download().expect("the kernels run");
        for (window, (got, expected)) in got.iter().zip(expected).enumerate() {
            let point = (G::Projective::generator() * *expected).to_affine();
            let right = represents::<G>(&bytemuck::cast(*got), &G::as_limbs(&[point])[0]);
            assert!(right, "{what}: window {window} is wrong");
        }
    }

    fn time(&self, count: u64, mut work: impl FnMut()) -> Duration {
        let event = || {
            let event = self.stream.device().new_event(Timing::Enabled);
            event.expect("an event")
        };
        let (start, end) = (event(), event());
        self.stream.record(&start).expect("recorded");
        (0..count).for_each(|_| work());
        self.stream.record(&end).expect("recorded");
        end.synchronize().expect("the kernels run");
        end.elapsed_since(&start).expect("measured")
    }

    fn run(&self, criterion: &mut Criterion, shape: Shape, spread: Spread) {
        let (entries, bounds) = shape.digits(spread);
        let expected = shape.expected(&entries, &bounds);
        let digits = SortedDigits {
            entries: self.stream.upload(&entries).expect("memory"),
            offsets: self.stream.upload(&bounds).expect("memory"),
            windows: shape.windows,
            buckets: 1 << shape.log_buckets,
            longest: entries.len(),
        };
        let (windows, buckets) = (digits.windows, digits.buckets);
        let bases = points::multiples::<G>(&self.stream, shape.n()).expect("points");
        let accumulate = || {
            let sums = self
                .accumulator
                .sum_buckets(&self.stream, bases.as_slice(), &digits, None);
            sums.expect("launches")
        };
        let sums = accumulate();
        let affine = to_affine::<G>(&self.stream, &sums);
        let reduce = || {
            let points = self.reducer.reduce(&self.stream, &sums, windows, buckets);
            points.expect("launches")
        };
        let reduce_affine = || {
            let points = self
                .reducer
                .reduce_affine(&self.stream, &affine, windows, buckets);
            points.expect("launches")
        };
        let name = format!("{}/{}/{spread:?}", G::NAME, shape.name());
        self.check(&name, &reduce(), &expected);
        self.check(&name, &reduce_affine(), &expected);
        eprintln!("{name}: the points of all windows are right");

        let mut group = criterion.benchmark_group("buckets");
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(50));
        group.measurement_time(Duration::from_millis(300));
        group.throughput(Throughput::Elements(shape.entries() as u64));
        group.bench_function(BenchmarkId::new("order", &name), |bencher| {
            let order = || drop(self.order.order(&self.stream, &digits).expect("launches"));
            bencher.iter_custom(|count| self.time(count, order));
        });
        group.bench_function(BenchmarkId::new("accumulate", &name), |bencher| {
            bencher.iter_custom(|count| self.time(count, || drop(accumulate())));
        });
        if spread == Spread::OneBucket {
            return;
        }
        group.throughput(Throughput::Elements((windows * buckets) as u64));
        group.bench_function(BenchmarkId::new("reduce", &name), |bencher| {
            bencher.iter_custom(|count| self.time(count, || drop(reduce())));
        });
        group.bench_function(BenchmarkId::new("reduce_affine", &name), |bencher| {
            bencher.iter_custom(|count| self.time(count, || drop(reduce_affine())));
        });
    }
}

fn buckets(criterion: &mut Criterion) {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    let device = device.expect("a CUDA device");
    let g1 = Bench::<G1>::new(&device);
    for shape in SHAPES {
        g1.run(criterion, shape, Spread::Uniform);
    }
    g1.run(criterion, SHAPES[1], Spread::OneBucket);
    let g2 = Bench::<G2>::new(&device);
    for shape in &SHAPES[..2] {
        g2.run(criterion, *shape, Spread::Uniform);
    }
    g2.run(criterion, SHAPES[0], Spread::OneBucket);
}

criterion_group!(benches, buckets);
criterion_main!(benches);
