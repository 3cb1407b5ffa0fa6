//! Whole sums by size, with bases and scalars on the device, or coming from the host.
//!
//! Where all is on the device, the time that is measured is the device's, from the first kernel to
//! the last, and that of the host after it; the phases of each are printed, medians of five. Where
//! something comes from the host, it is the host's time until the sum is there; beside it stand the
//! time of the copy alone and of the same sum with all on the device. Every sum is compared with
//! `sum of s[i] (i + 1)` times Q, of which its bases are the multiples `[i + 1] Q`.
//!
//! Rows that a filter does not name are not prepared: `cargo bench -p cuzk-msm --bench msm --
//! 'G1/planned/2.24|G1/scalars'`.

#[path = "../tests/shared/points.rs"]
mod points;
#[path = "shared/scalars.rs"]
mod scalars;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable as _};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use cuzk_backend::{Pending, SharedBases};
use cuzk_curve::{Fr, FrLimbs, G1, G1Limbs, G2, SourceGroup};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, PageRegistrar, Stream};
use cuzk_hostmem::{HostAllocator, HostBuf, HostMemory, PageLocker};
use cuzk_msm::{
    Bases, DeviceGroup, HostLink, Method, Msm, MsmError, MsmTimes, PlanOptions, Reduction,
};
use ff::Field as _;
use group::Group as _;
use points::multiples;
use scalars::uniform;

/// Exponents of sizes.
const G1_SIZES: [u32; 4] = [20, 22, 24, 26];
const G2_SIZES: [u32; 3] = [20, 22, 24];
const SKEWED_LOG_N: u32 = 22;
const TABLE_SIZES: [u32; 3] = [20, 22, 24];
const STREAMED_LOG_N: u32 = 24;
/// The largest last, which takes most of the time.
const HOST_SCALARS_SIZES: [u32; 3] = [22, 24, 26];
/// What comes from the host, by how the device is opened for copies.
const LINKS: [(HostMemory, &[(HostMemory, HostLink)]); 2] = [
    (
        HostMemory::Pageable,
        &[
            (HostMemory::Pageable, HostLink::Pageable),
            (HostMemory::Registered, HostLink::Registered),
        ],
    ),
    (
        HostMemory::Staged,
        &[(HostMemory::Staged, HostLink::Staged)],
    ),
];
const REPEATS: usize = 5;

/// Points in host memory of either kind.
struct OnHost<G: SourceGroup>(HostBuf<G::Limbs>);

impl<G: SourceGroup> AsRef<[G::Affine]> for OnHost<G> {
    fn as_ref(&self) -> &[G::Affine] {
        G::from_limbs_unchecked(&self.0)
    }
}

struct Bench {
    device: Device,
    stream: Stream,
    /// Words of which a row's name has one, a dot for any sign; every name where there are none.
    filter: Vec<String>,
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
    fn open(host_memory: HostMemory) -> Self {
        let options = DeviceOptions {
            host_memory,
            ..DeviceOptions::default()
        };
        let device = Device::open(&DeviceSelector::default(), &options).expect("a CUDA device");
        let stream = device.new_stream().expect("a stream");
        let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
        let words = filter.map(|filter| filter.split('|').map(str::to_owned).collect());
        Self {
            device,
            stream,
            filter: words.unwrap_or_default(),
        }
    }

    fn wants(&self, name: &str, log_n: u32) -> bool {
        let name = format!("{name}/2^{log_n}");
        let matches = |word: &String| {
            let same = |(a, b): (&u8, &u8)| *b == b'.' || a == b;
            let mut places = name.as_bytes().windows(word.len().max(1));
            places.any(|place| place.iter().zip(word.as_bytes()).all(same))
        };
        self.filter.is_empty() || self.filter.iter().any(matches)
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

    /// By the plan, and by plans that are asked for one way.
    fn sizes<G: DeviceGroup>(&self, criterion: &mut Criterion, sizes: &[u32]) {
        for &log_n in sizes {
            let reduced = |reduction| PlanOptions {
                method: Some(Method::BatchAffine),
                reduction: Some(reduction),
                ..PlanOptions::default()
            };
            let xyzz = PlanOptions {
                method: Some(Method::Xyzz),
                ..PlanOptions::default()
            };
            let mut ways = vec![
                ("planned", PlanOptions::default()),
                ("segments", reduced(Reduction::Segments)),
                ("lines", reduced(Reduction::Lines)),
                ("xyzz", xyzz),
            ];
            let name = |of: &str| format!("{}/{of}", G::NAME);
            ways.retain(|(of, _)| self.wants(&name(of), log_n));
            if ways.is_empty() {
                continue;
            }
            let n = 1usize << log_n;
            let host = uniform(n);
            let expected = G::Projective::generator() * inner(&host);
            let scalars = self.stream.upload(&host).expect("memory");
            for (of, options) in ways {
                let msm = Msm::<G>::new(&self.device, options).expect("kernels");
                let points = multiples::<G>(&self.stream, n).expect("memory");
                let bases = msm.prepare_resident(points).expect("memory");
                let id = (name(of), format!("2^{log_n}"));
                self.measure(criterion, id, &msm, &bases, &scalars, &expected);
            }
        }
    }

    /// With the multiples of bases that 12 points' memory for each holds.
    fn tables(&self, criterion: &mut Criterion) {
        for log_n in TABLE_SIZES {
            if !self.wants("G1/tables", log_n) {
                continue;
            }
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

    /// With bases in host memory, scalars on the device.
    fn streamed<G: DeviceGroup>(
        &self,
        criterion: &mut Criterion,
        links: &[(HostMemory, HostLink)],
    ) {
        let (log_n, n) = (STREAMED_LOG_N, 1usize << STREAMED_LOG_N);
        let name = |memory: HostMemory| format!("{}/streamed/{memory:?}", G::NAME);
        let mut links = links.to_vec();
        links.retain(|(memory, _)| self.wants(&name(*memory), log_n));
        if links.is_empty() {
            return;
        }
        let sum = Sum::<G>::new(self, n);
        let points = sum.bases.points().expect("on the device");
        let mut on_host = vec![G::Limbs::zeroed(); n];
        points
            .copy_to_host(&self.stream, &mut on_host)
            .expect("a copy");
        for (memory, host_link) in links {
            let points = self.in_memory(memory, &on_host);
            let copy_ms = self.copy_ms(&points);
            let options = PlanOptions {
                host_link: Some(host_link),
                ..PlanOptions::default()
            };
            let msm = Msm::<G>::new(&self.device, options).expect("kernels");
            let bases = msm
                .prepare_streamed(SharedBases::new(OnHost::<G>(points)))
                .expect("a plan");
            let plan = bases.plan().to_string();
            sum.measure(criterion, (name(memory), log_n), copy_ms, &plan, || {
                msm.msm(&bases, &sum.scalars).expect("launches")
            });
        }
    }

    /// With scalars in host memory, bases on the device.
    fn host_scalars<G: DeviceGroup>(
        &self,
        criterion: &mut Criterion,
        links: &[(HostMemory, HostLink)],
        log_n: u32,
    ) {
        let name = |memory: HostMemory| format!("{}/scalars/{memory:?}", G::NAME);
        let mut links = links.to_vec();
        links.retain(|(memory, _)| self.wants(&name(*memory), log_n));
        if links.is_empty() {
            return;
        }
        let sum = Sum::<G>::new(self, 1 << log_n);
        for (memory, host_link) in links {
            let options = PlanOptions {
                host_link: Some(host_link),
                ..PlanOptions::default()
            };
            let bases = sum.msm.again_with(&sum.bases, &options).expect("a plan");
            let scalars = self.in_memory(memory, &sum.host);
            let copy_ms = self.copy_ms(&scalars);
            let plan = sum.msm.plan_from_host(&bases).expect("a plan").to_string();
            sum.measure(criterion, (name(memory), log_n), copy_ms, &plan, || {
                let pending = sum.msm.msm_from_host(&self.stream, &bases, &scalars);
                pending.expect("launches")
            });
        }
    }

    fn in_memory<T: Pod>(&self, memory: HostMemory, values: &[T]) -> HostBuf<T> {
        let registrar: Arc<dyn PageLocker> = Arc::new(PageRegistrar::new(&self.device));
        let allocator = HostAllocator::new(memory, Some(registrar));
        allocator.from_vec(values.to_vec()).expect("memory")
    }

    /// The time of a copy to the device by itself.
    fn copy_ms<T: Pod>(&self, values: &[T]) -> f64 {
        let mut there = self.stream.alloc::<T>(values.len()).expect("memory");
        let mut once = || {
            let start = Instant::now();
            let mut there = there.as_mut_slice();
            there.copy_from_host(&self.stream, values).expect("a copy");
            start.elapsed()
        };
        once();
        median((0..REPEATS).map(|_| once()).collect())
    }

    /// Scalars that fill few buckets.
    fn skewed(&self, criterion: &mut Criterion) {
        const KINDS: [&str; 5] = ["uniform", "equal", "bits", "half-zero", "sixteen"];
        if !KINDS
            .iter()
            .any(|of| self.wants(&format!("G1/{of}"), SKEWED_LOG_N))
        {
            return;
        }
        let n = 1usize << SKEWED_LOG_N;
        let random = uniform(n);
        let (zero, one) = (FrLimbs::from(Fr::ZERO), FrLimbs::from(Fr::ONE));
        let choose = |pick: &dyn Fn(usize) -> FrLimbs| (0..n).map(pick).collect::<Vec<_>>();
        let bit = |i: usize| random[i].0[0] & 1 == 1;
        let patterns = [
            random.clone(),
            choose(&|_| random[0]),
            choose(&|i| if bit(i) { one } else { zero }),
            choose(&|i| if bit(i) { random[i] } else { zero }),
            choose(&|i| random[random[i].0[0] as usize % 16]),
        ];
        let msm = Msm::<G1>::new(&self.device, PlanOptions::default()).expect("kernels");
        let points = multiples::<G1>(&self.stream, n).expect("memory");
        let bases = msm.prepare_resident(points).expect("memory");
        for (what, host) in KINDS.into_iter().zip(patterns) {
            let expected = cuzk_curve::G1Projective::generator() * inner(&host);
            let scalars = self.stream.upload(&host).expect("memory");
            let id = (format!("G1/{what}"), format!("2^{SKEWED_LOG_N}"));
            self.measure(criterion, id, &msm, &bases, &scalars, &expected);
        }
    }
}

/// A sum with everything on the device, and what it must be.
struct Sum<G: DeviceGroup> {
    msm: Msm<G>,
    bases: Bases<G>,
    host: Vec<FrLimbs>,
    scalars: DeviceBuf<FrLimbs>,
    expected: G::Projective,
    compute_ms: f64,
}

impl<G: DeviceGroup> Sum<G> {
    fn new(bench: &Bench, n: usize) -> Self {
        let host = uniform(n);
        let expected = G::Projective::generator() * inner(&host);
        let scalars = bench.stream.upload(&host).expect("memory");
        let msm = Msm::<G>::new(&bench.device, PlanOptions::default()).expect("kernels");
        let points = multiples::<G>(&bench.stream, n).expect("memory");
        let bases = msm.prepare_resident(points).expect("memory");
        let once = || {
            let (sum, times) = msm.msm_timed(&bases, &scalars).expect("the kernels run");
            assert_eq!(sum, expected, "{}", bases.plan());
            times.device + times.host
        };
        once();
        let compute_ms = median((0..REPEATS).map(|_| once()).collect());
        Self {
            msm,
            bases,
            host,
            scalars,
            expected,
            compute_ms,
        }
    }

    /// The time of the host until the sum is there, and until the call returns that asks for it.
    fn measure(
        &self,
        criterion: &mut Criterion,
        (name, log_n): (String, u32),
        copy_ms: f64,
        plan: &str,
        sum: impl Fn() -> Pending<G::Projective, MsmError>,
    ) {
        let both = || {
            let start = Instant::now();
            let pending = sum();
            let returned = start.elapsed();
            let sum = pending.wait().expect("the kernels run");
            assert_eq!(sum, self.expected, "{plan}");
            (start.elapsed(), returned)
        };
        both();
        let (total, returned) = (0..REPEATS).map(|_| both()).unzip();
        let (total_ms, returned_ms) = (median(total), median(returned));
        let compute_ms = self.compute_ms;
        eprintln!(
            "{name}/2^{log_n}: {total_ms:.2} ms, returned after {returned_ms:.2}; copy alone \
             {copy_ms:.2}, sum alone {compute_ms:.2}, of the larger {:.3}; {plan}",
            total_ms / copy_ms.max(compute_ms),
        );
        let mut group = criterion.benchmark_group("host");
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(1));
        group.measurement_time(Duration::from_millis(1));
        let id = BenchmarkId::new(name, format!("2^{log_n}"));
        group.bench_function(id, |bencher| {
            bencher.iter_custom(|count| (0..count).map(|_| both().0).sum());
        });
        group.finish();
    }
}

fn sums(criterion: &mut Criterion) {
    let bench = Bench::open(HostMemory::Pageable);
    bench.sizes::<G1>(criterion, &G1_SIZES);
    bench.tables(criterion);
    bench.skewed(criterion);
    bench.sizes::<G2>(criterion, &G2_SIZES);
    let from_host = LINKS.map(|(host_memory, links)| (Bench::open(host_memory), links));
    for (bench, links) in &from_host {
        bench.streamed::<G1>(criterion, links);
        bench.streamed::<G2>(criterion, links);
    }
    for log_n in HOST_SCALARS_SIZES {
        for (bench, links) in &from_host {
            bench.host_scalars::<G1>(criterion, links, log_n);
            bench.host_scalars::<G2>(criterion, links, log_n);
        }
    }
}

criterion_group!(benches, sums);
criterion_main!(benches);
