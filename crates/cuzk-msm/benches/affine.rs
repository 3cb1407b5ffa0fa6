//! Times of the tree of affine additions: bucket sums, and sums of selected points.
//!
//! Time is the device's; points and lists are on the device. Before a measurement some sums, and the
//! sum of all sums, are compared with what the multiples behind the points give. Then one run on one
//! stream is taken apart by kernels. A filter is a part of a name, as in `buckets/G1/22x14`.

#[path = "../tests/shared/lists.rs"]
mod lists;
#[path = "../tests/shared/points.rs"]
mod points;

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::group::{Curve as _, Group as _};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cuzk_curve::{G1, G2};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, Event, Stream, Timing};
use cuzk_msm::{AffineTree, AffineTuning, DeviceGroup, PointSelector};
use tracing::field::{Field, Visit};
use tracing::{Metadata, Subscriber, span};

use crate::lists::{ListShape, Lists, mixed, scalar};

const fn shape(log_n: u32, windows: usize, full: usize, log_lists: u32) -> ListShape {
    ListShape {
        log_n,
        windows,
        full,
        log_lists,
        one_list: false,
    }
}

/// Windows of 256 bits in all.
const SHAPES: [ListShape; 3] = [
    shape(20, 16, 16, 15),
    shape(22, 14, 4, 18),
    shape(24, 13, 9, 19),
];

struct Bench<G: DeviceGroup> {
    stream: Stream,
    _group: PhantomData<G>,
}

impl<G: DeviceGroup> Bench<G> {
    fn new(device: &Device) -> Self {
        Self {
            stream: device.new_stream().expect("a stream"),
            _group: PhantomData,
        }
    }

    fn tree(&self, tuning: AffineTuning) -> AffineTree<G> {
        AffineTree::with_tuning(self.stream.device(), tuning).expect("kernels")
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

    fn buckets(&self, criterion: &mut Criterion, shape: ListShape, tunings: &[AffineTuning]) {
        let name = format!("{}/{}", G::NAME, shape.name());
        if is_left_out("buckets", &name) {
            return;
        }
        let lists = shape.lists();
        let entries = self.stream.upload(&lists.entries).expect("memory");
        let offsets = self.stream.upload(&lists.offsets).expect("memory");
        let bases = points::multiples::<G>(&self.stream, shape.n()).expect("points");
        let sum = |tree: &AffineTree<G>| {
            let (entries, offsets) = (entries.as_slice(), offsets.as_slice());
            // SAFETY: the lists are well-formed, of indices of bases, each once in a window.
            let sums = unsafe {
                tree.sum_lists(&self.stream, bases.as_slice(), entries, offsets, shape.n())
            };
            sums.expect("launches")
        };
        for tuning in tunings {
            let tree = self.tree(*tuning);
            let what = format!("{name} {}", tuning_name(tuning));
            self.check(&what, &tree, &sum(&tree), &lists);
            let mut group = criterion.benchmark_group("affine");
            group
                .sample_size(10)
                .warm_up_time(Duration::from_millis(50));
            group.measurement_time(Duration::from_millis(250));
            group.throughput(Throughput::Elements(lists.entries.len() as u64));
            group.bench_function(BenchmarkId::new("buckets", &what), |bencher| {
                bencher.iter_custom(|count| self.time(count, || drop(sum(&tree))));
            });
        }
        let alone = AffineTuning {
            two_parts_from: usize::MAX,
            ..tunings[0]
        };
        let tree = self.tree(alone);
        drop(sum(&tree));
        let scratch = tree.scratch_bytes(lists.entries.len(), lists.offsets.len() - 1, shape.n());
        eprintln!(
            "{name}: {:.3} GB of scratch; by kernels, ms:",
            scratch as f64 / 1e9
        );
        Profile::of(&self.stream, || drop(sum(&tree)));
    }

    /// Compares sums of some lists, and the sum of all, with their multiples of the generator.
    fn check(&self, what: &str, tree: &AffineTree<G>, sums: &DeviceBuf<G::Limbs>, lists: &Lists) {
        let point = |multiple: i128| {
            let point = G::Projective::generator() * scalar(multiple);
            G::as_limbs(&[point.to_affine()])[0]
        };
        let got = sums.download().expect("the kernels run");
        let some = (0..300).map(|i| (mixed(i) % got.len() as u64) as usize);
        for i in some.chain([0, got.len() / 2 - 1, got.len() / 2, got.len() - 1]) {
            assert_eq!(
                got[i],
                point(lists.sum(i).into()),
                "{what}: sum {i} is wrong"
            );
        }
        let selector = PointSelector::new(self.stream.device()).expect("kernels");
        let all: Vec<u32> = (0..got.len() as u32).collect();
        let all = selector
            .by_indices(&self.stream, &all, got.len())
            .expect("memory");
        let total = tree
            .sum_selected(&self.stream, sums.as_slice(), &all)
            .expect("launches");
        let expected = (0..got.len()).map(|i| i128::from(lists.sum(i))).sum();
        let total = total.download().expect("the kernels run")[0];
        assert_eq!(total, point(expected), "{what}: the sum of all is wrong");
        eprintln!("{what}: the sums are right");
    }

    /// Half of 2^log_n points.
    fn selected(&self, criterion: &mut Criterion, log_n: u32) {
        let n = 1usize << log_n;
        let name = format!("{}/{log_n}", G::NAME);
        if is_left_out("selected", &name) {
            return;
        }
        let bases = points::multiples::<G>(&self.stream, n).expect("points");
        let words: Vec<u32> = (0..n as u32 / 32).map(|i| mixed(i) as u32).collect();
        let bits = (0..n).filter(|i| words[i / 32] >> (i % 32) & 1 == 1);
        let expected = scalar(bits.map(|i| i as i128 + 1).sum());
        let bitmap = self.stream.upload(&words).expect("memory");
        let tree = self.tree(AffineTuning::default());
        let selector = PointSelector::new(self.stream.device()).expect("kernels");
        let select = || {
            selector
                .by_bitmap(&self.stream, bitmap.as_slice(), n)
                .expect("launches")
        };
        let selection = select();
        let sum = || {
            let sum = tree.sum_selected(&self.stream, bases.as_slice(), &selection);
            sum.expect("launches")
        };
        let point = (G::Projective::generator() * expected).to_affine();
        assert_eq!(
            sum().download().expect("the kernels run"),
            G::as_limbs(&[point])
        );
        eprintln!(
            "{name}: the sum of {} selected points is right",
            selection.len()
        );
        let mut group = criterion.benchmark_group("affine");
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(50));
        group.measurement_time(Duration::from_millis(250));
        group.throughput(Throughput::Elements(selection.len() as u64));
        group.bench_function(BenchmarkId::new("selected", &name), |bencher| {
            bencher.iter_custom(|count| self.time(count, || drop(sum())));
        });
        group.bench_function(BenchmarkId::new("select", &name), |bencher| {
            bencher.iter_custom(|count| self.time(count, || drop(select())));
        });
    }
}

/// Whether the filter among the arguments is none of its names, so that nothing need be made.
fn is_left_out(kind: &str, name: &str) -> bool {
    let filter = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    filter.is_some_and(|filter| !format!("affine/{kind}/{name}").contains(&filter))
}

fn tuning_name(tuning: &AffineTuning) -> String {
    let AffineTuning {
        max_chain,
        tiles,
        inverters,
        few_pairs,
        two_parts_from,
        ..
    } = tuning;
    let parts = if *two_parts_from == usize::MAX { 1 } else { 2 };
    format!("chain {max_chain} tiles {tiles} inverters {inverters} few {few_pairs} parts {parts}")
}

/// Marks the stream before every launch, which `cuzk-device` traces.
#[derive(Clone)]
struct Profile {
    stream: Stream,
    marks: Arc<Mutex<Vec<(String, Event)>>>,
}

impl Profile {
    fn of(stream: &Stream, work: impl FnOnce()) {
        let profile = Self {
            stream: stream.clone(),
            marks: Arc::default(),
        };
        tracing::subscriber::with_default(profile.clone(), work);
        profile.mark("end");
        stream.synchronize().expect("the kernels run");
        let marks = profile.marks.lock().expect("no panic");
        let mut kernels: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for pair in marks.windows(2) {
            let elapsed = pair[1].1.elapsed_since(&pair[0].1).expect("measured");
            kernels
                .entry(&pair[0].0)
                .or_default()
                .push(elapsed.as_secs_f64() * 1e3);
        }
        for (symbol, times) in kernels {
            let all: Vec<String> = times.iter().map(|ms| format!("{ms:.3}")).collect();
            eprintln!(
                "  {symbol}: {:.3} = {}",
                times.iter().sum::<f64>(),
                all.join(" ")
            );
        }
    }

    fn mark(&self, symbol: &str) {
        let event = self
            .stream
            .device()
            .new_event(Timing::Enabled)
            .expect("an event");
        self.stream.record(&event).expect("recorded");
        let mut marks = self.marks.lock().expect("no panic");
        marks.push((symbol.to_owned(), event));
    }
}

/// The symbol of a launch.
#[derive(Default)]
struct Symbol(String);

impl Visit for Symbol {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "symbol" {
            value.clone_into(&mut self.0);
        }
    }
    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

impl Subscriber for Profile {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("cuzk_device") && metadata.is_event()
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut symbol = Symbol::default();
        event.record(&mut symbol);
        if !symbol.0.is_empty() {
            self.mark(&symbol.0);
        }
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Ways to share the work of few points, which show most there.
fn tunings() -> Vec<AffineTuning> {
    let usual = AffineTuning::default();
    let others = [
        AffineTuning {
            two_parts_from: usize::MAX,
            ..usual
        },
        AffineTuning {
            inverters: 256,
            ..usual
        },
        AffineTuning {
            few_pairs: 0,
            ..usual
        },
    ];
    std::iter::once(usual).chain(others).collect()
}

fn affine(criterion: &mut Criterion) {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    let device = device.expect("a CUDA device");
    let usual = AffineTuning::default();
    let alone = AffineTuning {
        two_parts_from: usize::MAX,
        ..usual
    };
    let g1 = Bench::<G1>::new(&device);
    g1.buckets(criterion, SHAPES[0], &tunings());
    for shape in &SHAPES[1..] {
        g1.buckets(criterion, *shape, &[usual, alone]);
    }
    let skewed = ListShape {
        one_list: true,
        ..SHAPES[1]
    };
    g1.buckets(criterion, skewed, &[usual]);
    for log_n in [20, 22, 24] {
        g1.selected(criterion, log_n);
    }
    let g2 = Bench::<G2>::new(&device);
    for shape in &SHAPES[..2] {
        g2.buckets(criterion, *shape, &[usual, alone]);
    }
    for log_n in [20, 22] {
        g2.selected(criterion, log_n);
    }
}

criterion_group!(benches, affine);
criterion_main!(benches);
