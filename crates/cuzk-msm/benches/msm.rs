//! Whole sums by size, with scalars on the device; bases there too, or streamed from the host.
//!
//! The time that is measured is the device's, from the first kernel to the last, and that of the
//! host after it. Every sum is compared with `sum of s[i] (i + 1)` times Q, of which its bases are
//! the multiples `[i + 1] Q`. The phases of each are printed, medians of five.

#[path = "../tests/shared/points.rs"]
mod points;

use std::sync::Arc;
use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use cuzk_backend::SharedBases;
use cuzk_curve::{Fr, FrLimbs, G1, G1Affine, G1Limbs, G2, SourceGroup as _};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, PageRegistrar, Stream};
use cuzk_hostmem::{HostAllocator, HostBuf, HostMemory, PageLocker};
use cuzk_msm::{Bases, DeviceGroup, Method, Msm, MsmTimes, PlanOptions};
use ff::Field as _;
use group::Group as _;
use points::multiples;

/// Exponents of sizes.
const G1_SIZES: [u32; 4] = [20, 22, 24, 26];
const G2_SIZES: [u32; 3] = [20, 22, 24];
const SKEWED_LOG_N: u32 = 22;
const TABLE_SIZES: [u32; 3] = [20, 22, 24];
const STREAMED_LOG_N: u32 = 24;
const REPEATS: usize = 5;

/// Points in host memory of either kind.
struct OnHost(HostBuf<G1Limbs>);

impl AsRef<[G1Affine]> for OnHost {
    fn as_ref(&self) -> &[G1Affine] {
        G1::from_limbs_unchecked(&self.0)
    }
}

struct Bench {
    device: Device,
    stream: Stream,
}

/// Scalars without structure; every one is below 2^254.
fn uniform(n: usize) -> Vec<FrLimbs> {
    let word = |i: u64| {
        let mixed = (i ^ (i >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..n as u64)
        .map(|i| {
            let at = |k: u64| word((4 * i + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            FrLimbs([at(0), at(1), at(2), at(3) >> 2])
        })
        .collect()
}

/// `sum of scalars[i] (i + 1)`.
fn inner(scalars: &[FrLimbs]) -> Fr {
    let scalars = FrLimbs::scalars(scalars).expect("reduced");
    let terms = (1u64..)
        .zip(scalars)
        .map(|(i, scalar)| Fr::from(i) * scalar);
    terms.fold(Fr::ZERO, |sum, term| sum + term)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn print_phases(what: &str, plan: &str, times: &[MsmTimes]) {
    let of = |part: fn(&MsmTimes) -> Duration| median(times.iter().map(part).collect());
    eprintln!(
        "{what}: sort {:.3}, accumulate {:.3}, reduce {:.3}, host {:.3}, device {:.3} ms; {plan}",
        of(|t| t.sort),
        of(|t| t.accumulate),
        of(|t| t.reduce),
        of(|t| t.host),
        of(|t| t.device),
    );
}

impl Bench {
    fn open() -> Self {
        let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())
            .expect("a CUDA device");
        let stream = device.new_stream().expect("a stream");
        Self { device, stream }
    }

    fn measure<G: DeviceGroup>(
        &self,
        criterion: &mut Criterion,
        (name, parameter): (String, String),
        msm: &Msm<G>,
        bases: &Bases<G>,
        scalars: &DeviceBuf<FrLimbs>,
        expected: &G::Projective,
    ) {
        let timed = || {
            let (sum, times) = msm.msm_timed(bases, scalars).expect("the kernels run");
            assert_eq!(sum, *expected, "{}", bases.plan());
            times
        };
        timed();
        let times: Vec<MsmTimes> = (0..REPEATS).map(|_| timed()).collect();
        print_phases(
            &format!("{name}/{parameter}"),
            &bases.plan().to_string(),
            &times,
        );

        let mut group = criterion.benchmark_group("device");
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(1));
        group.measurement_time(Duration::from_millis(1));
        group.throughput(Throughput::Elements(bases.len() as u64));
        group.bench_function(BenchmarkId::new(&name, &parameter), |bencher| {
            bencher.iter_custom(|count| {
                let one = |_| {
                    let times = timed();
                    times.device + times.host
                };
                (0..count).map(one).sum()
            });
        });
        group.finish();
    }

    /// By the plan, and by the plan for sums in XYZZ coordinates.
    fn sizes<G: DeviceGroup>(&self, criterion: &mut Criterion, sizes: &[u32]) {
        for &log_n in sizes {
            let n = 1usize << log_n;
            let host = uniform(n);
            let expected = G::Projective::generator() * inner(&host);
            let scalars = self.stream.upload(&host).expect("memory");
            for (name, method) in [("planned", None), ("xyzz", Some(Method::Xyzz))] {
                let options = PlanOptions {
                    method,
                    ..PlanOptions::default()
                };
                let msm = Msm::<G>::new(&self.device, options).expect("kernels");
                let points = multiples::<G>(&self.stream, n).expect("memory");
                let bases = msm.prepare_resident(points).expect("memory");
                let id = (format!("{}/{name}", G::NAME), format!("2^{log_n}"));
                self.measure(criterion, id, &msm, &bases, &scalars, &expected);
            }
        }
    }

    /// With the multiples of bases that 12 points' memory for each holds.
    fn tables(&self, criterion: &mut Criterion) {
        for log_n in TABLE_SIZES {
            let n = 1usize << log_n;
            let host = uniform(n);
            let expected = cuzk_curve::G1Projective::generator() * inner(&host);
            let scalars = self.stream.upload(&host).expect("memory");
            let options = PlanOptions {
                table_bytes: 11 * n * size_of::<G1Limbs>(),
                ..PlanOptions::default()
            };
            let msm = Msm::<G1>::new(&self.device, options).expect("kernels");
            let points = multiples::<G1>(&self.stream, n).expect("memory");
            let bases = msm.prepare_resident(points).expect("memory");
            let id = ("G1/tables".to_owned(), format!("2^{log_n}"));
            self.measure(criterion, id, &msm, &bases, &scalars, &expected);
        }
    }

    /// With bases in host memory; the time is the host's, until the sum is there.
    fn streamed(&self, criterion: &mut Criterion) {
        let n = 1usize << STREAMED_LOG_N;
        let host = uniform(n);
        let expected = cuzk_curve::G1Projective::generator() * inner(&host);
        let scalars = self.stream.upload(&host).expect("memory");
        let points = multiples::<G1>(&self.stream, n).expect("memory");
        let points = points.download().expect("the kernels run");
        let registrar: Arc<dyn PageLocker> = Arc::new(PageRegistrar::new(&self.device));
        for memory in [HostMemory::Pageable, HostMemory::Registered] {
            let allocator = HostAllocator::new(memory, Some(registrar.clone()));
            let points = OnHost(allocator.from_vec(points.clone()).expect("memory"));
            let msm = Msm::<G1>::new(&self.device, PlanOptions::default()).expect("kernels");
            let bases = msm
                .prepare_streamed(SharedBases::new(points))
                .expect("a plan");
            eprintln!("{memory:?}: {}", bases.plan());
            let mut group = criterion.benchmark_group("host");
            group.sample_size(10).sampling_mode(SamplingMode::Flat);
            group.warm_up_time(Duration::from_millis(1));
            group.measurement_time(Duration::from_millis(1));
            let id = BenchmarkId::new(
                format!("G1/streamed/{memory:?}"),
                format!("2^{STREAMED_LOG_N}"),
            );
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    let sum = msm.msm(&bases, &scalars).expect("launches");
                    assert_eq!(sum.wait().expect("the kernels run"), expected);
                });
            });
            group.finish();
        }
    }

    /// Scalars that fill few buckets.
    fn skewed(&self, criterion: &mut Criterion) {
        let n = 1usize << SKEWED_LOG_N;
        let random = uniform(n);
        let (zero, one) = (FrLimbs::from(Fr::ZERO), FrLimbs::from(Fr::ONE));
        let choose = |pick: &dyn Fn(usize) -> FrLimbs| (0..n).map(pick).collect::<Vec<_>>();
        let bit = |i: usize| random[i].0[0] & 1 == 1;
        let patterns: [(&str, Vec<FrLimbs>); 5] = [
            ("uniform", random.clone()),
            ("equal", choose(&|_| random[0])),
            ("bits", choose(&|i| if bit(i) { one } else { zero })),
            (
                "half-zero",
                choose(&|i| if bit(i) { random[i] } else { zero }),
            ),
            ("sixteen", choose(&|i| random[random[i].0[0] as usize % 16])),
        ];
        let msm = Msm::<G1>::new(&self.device, PlanOptions::default()).expect("kernels");
        let points = multiples::<G1>(&self.stream, n).expect("memory");
        let bases = msm.prepare_resident(points).expect("memory");
        for (what, host) in patterns {
            let expected = cuzk_curve::G1Projective::generator() * inner(&host);
            let scalars = self.stream.upload(&host).expect("memory");
            let id = (format!("G1/{what}"), format!("2^{SKEWED_LOG_N}"));
            self.measure(criterion, id, &msm, &bases, &scalars, &expected);
        }
    }
}

fn sums(criterion: &mut Criterion) {
    let bench = Bench::open();
    bench.sizes::<G1>(criterion, &G1_SIZES);
    bench.tables(criterion);
    bench.streamed(criterion);
    bench.skewed(criterion);
    bench.sizes::<G2>(criterion, &G2_SIZES);
}

criterion_group!(benches, sums);
criterion_main!(benches);
