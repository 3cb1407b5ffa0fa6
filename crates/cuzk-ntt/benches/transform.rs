//! Times of transforms through the public interface; data and twiddles are on the device.
//!
//! Time is the device's, between events. Before a size is measured its results are compared with
//! the polynomial's values at some points and with the coefficients.

#[path = "../tests/shared/inputs.rs"]
mod inputs;
#[path = "../tests/shared/points.rs"]
mod points;

use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use cuzk_backend::Transform;
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, Stream, Timing};
use cuzk_ntt::{FromNatural, FromReversed, NttDomain, NttEngine, NttError, Plan, Scalars};
use ff::Field as _;

const SIZES: [u32; 5] = [20, 22, 24, 26, 27];

/// Passes beside those of the planner.
const CUTS: [&[u32]; 2] = [&[10, 10], &[6, 9, 9]];

const TRANSFORMS: [Transform; 4] = [
    Transform::Forward,
    Transform::Inverse,
    Transform::CosetForward,
    Transform::CosetInverse,
];

struct Bench {
    engine: NttEngine,
    stream: Stream,
}

impl Bench {
    fn open() -> Self {
        let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())
            .expect("a CUDA device");
        Self {
            engine: NttEngine::open(&device).expect("the kernels load"),
            stream: device.new_stream().expect("a stream"),
        }
    }

    fn prepare(&self, plan: Plan) -> NttDomain {
        let domain = Domain::new(plan.log_n()).expect("a domain");
        let prepared = self
            .engine
            .prepare_planned(&self.stream, &domain, plan, &TRANSFORMS);
        prepared.expect("memory")
    }

    fn time(&self, count: u64, mut work: impl FnMut()) -> Duration {
        let device = self.stream.device();
        let event = || device.new_event(Timing::Enabled).expect("an event");
        let (start, end) = (event(), event());
        self.stream.record(&start).expect("recorded");
        (0..count).for_each(|_| work());
        self.stream.record(&end).expect("recorded");
        end.synchronize().expect("the kernels run");
        end.elapsed_since(&start).expect("measured")
    }
}

/// Work on values that changes them in place.
type Work<'a> = &'a dyn Fn(DeviceBuf<FrLimbs>) -> Result<DeviceBuf<FrLimbs>, NttError>;

fn at(data: &DeviceBuf<FrLimbs>, i: usize) -> FrLimbs {
    let mut value = [FrLimbs::default()];
    let part = data.as_slice().part(i..i + 1).expect("inside");
    part.copy_to_host(data.stream(), &mut value)
        .expect("a copy");
    value[0]
}

/// The value at a point, and back to the coefficients, on the domain and on the coset, in
/// natural order and across.
fn check(prepared: &NttDomain, mut data: DeviceBuf<FrLimbs>, x: &[FrLimbs]) -> DeviceBuf<FrLimbs> {
    let domain = prepared.domain();
    let place = domain.n() / 3;
    let back_home = |data: &DeviceBuf<FrLimbs>| {
        for i in [0, 1, domain.n() / 5, domain.n() - 1] {
            assert_eq!(at(data, i), x[i], "2^{}, coefficient {i}", domain.log_n());
        }
    };
    for (there, back, shift) in [
        (Transform::Forward, Transform::Inverse, Fr::ONE),
        (
            Transform::CosetForward,
            Transform::CosetInverse,
            domain.coset_shift(),
        ),
    ] {
        prepared.transform(there, &mut data).expect("launched");
        let point = shift * domain.generator().pow_vartime([place as u64]);
        let expected = points::evaluated(x, point);
        assert_eq!(at(&data, place), expected, "{there:?}, {}", prepared.plan());
        prepared.transform(back, &mut data).expect("launched");
        back_home(&data);
    }
    let across = prepared.to_reversed(FromNatural::Forward, Scalars::natural(data));
    let home = prepared.to_natural(FromReversed::Inverse, across.expect("launched"));
    let data = home.expect("launched").into_values();
    back_home(&data);
    data
}

fn transforms(criterion: &mut Criterion) {
    let bench = Bench::open();
    let mut group = criterion.benchmark_group("ntt");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(20));
    group
        .measurement_time(Duration::from_millis(100))
        .sampling_mode(SamplingMode::Flat);
    for size in SIZES {
        let planned = Plan::new(size).expect("a plan");
        let x = inputs::values(1 << size, 0);
        let original = bench.stream.upload(&x).expect("memory");
        let others = CUTS.iter().filter(|cut| cut.iter().sum::<u32>() == size);
        let others = others.map(|cut| Plan::with_stages(cut).expect("a plan"));
        for plan in std::iter::once(planned.clone()).chain(others) {
            let is_planned = plan == planned;
            let prepared = bench.prepare(plan);
            let mut data = bench.stream.alloc(x.len()).expect("memory");
            let copied = data
                .as_mut_slice()
                .copy_from_device(&bench.stream, original.as_slice());
            copied.expect("enqueued");
            let mut data = Some(check(&prepared, data, &x));
            let across = |transform, data| {
                let out = prepared.to_reversed(transform, Scalars::natural(data))?;
                Ok(out.into_values())
            };
            let home = |transform, data| {
                let out = prepared.to_natural(transform, Scalars::reversed(data))?;
                Ok(out.into_values())
            };
            let natural = |transform, mut data| {
                prepared.transform(transform, &mut data)?;
                Ok(data)
            };
            let forward = |data| across(FromNatural::Forward, data);
            let inverse = |data| home(FromReversed::Inverse, data);
            let inverse_from_natural = |data| across(FromNatural::Inverse, data);
            let coset_forward = |data| home(FromReversed::CosetForward, data);
            let coset_inverse = |data| across(FromNatural::CosetInverse, data);
            let forward_natural = |data| natural(Transform::Forward, data);
            let inverse_natural = |data| natural(Transform::Inverse, data);
            let to_coset = |data| Ok(prepared.to_coset(Scalars::natural(data))?.into_values());
            let works: [(&str, bool, Work<'_>); 8] = [
                ("forward", true, &forward),
                ("inverse", true, &inverse),
                ("inverse_from_natural", false, &inverse_from_natural),
                ("coset_forward", false, &coset_forward),
                ("coset_inverse", false, &coset_inverse),
                ("forward_natural", false, &forward_natural),
                ("inverse_natural", false, &inverse_natural),
                ("to_coset", false, &to_coset),
            ];
            for (name, for_all, work) in works {
                if !for_all && !is_planned {
                    continue;
                }
                let stages = prepared.plan().to_string();
                let id = BenchmarkId::new(name, stages);
                group.throughput(Throughput::Elements(1 << size));
                group.bench_function(id, |bencher| {
                    bencher.iter_custom(|count| {
                        bench.time(count, || {
                            let done = work(data.take().expect("given back"));
                            data = Some(done.expect("launched"));
                        })
                    });
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, transforms);
criterion_main!(benches);
