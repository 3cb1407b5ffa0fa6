//! Rates of the device arithmetic: chains of operations in every thread of a full device.
//!
//! Time is the device's, between events around the launches; operands come from the nearest
//! cache. Every kernel's results are compared with the oracle first.

use std::hint::black_box;
use std::time::Duration;

use bytemuck::Pod;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cuzk_curve::{Fp, FpLimbs, Fr, FrLimbs, G1, G2, SourceGroup};
use cuzk_device::{
    Device, DeviceBuf, DeviceOptions, DeviceSelector, Kernel, KernelParams, Stream, Timing,
};
use group::{Curve as _, Group as _};

/// Elements of the table, a power of two.
const TABLE: usize = 128;
/// Threads of every multiprocessor together.
const THREADS: usize = 2048;
const ROUNDS: u64 = 500;

/// `cuzk::testing::ChainParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct ChainParams {
    table: u64,
    out: u64,
    table_len: u64,
    n: u64,
    rounds: u64,
}

// SAFETY: five numbers of 64 bits, as in `cuzk::testing::ChainParams`.
unsafe impl KernelParams for ChainParams {}

struct Bench {
    stream: Stream,
    n: usize,
}

impl Bench {
    fn open() -> Self {
        let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())
            .expect("a CUDA device");
        Self {
            stream: device.new_stream().expect("a stream"),
            n: device.info().multiprocessors as usize * THREADS,
        }
    }

    /// Measures one kernel. `step` is one round on the host: the element, its index, the round.
    fn chain<T: Pod + PartialEq + std::fmt::Debug, Out: Pod>(
        &self,
        criterion: &mut Criterion,
        name: &str,
        rounds: u64,
        table: &[T],
        right: impl Fn(&Out, usize, u64) -> bool,
    ) {
        let symbol = format!("cuzk_testing_{name}");
        let source = cuzk_kernels::module_with(&symbol).expect("the kernel exists");
        let module = self.stream.device().load(source).expect("the module loads");
        let kernel: Kernel<ChainParams> = module.kernel(&symbol).expect("it is there");
        let uploaded = self.stream.upload(table).expect("memory");
        let mut out: DeviceBuf<Out> = self.stream.alloc_zeroed(self.n).expect("memory");
        let mut params = ChainParams {
            table: uploaded.as_slice().address(),
            out: out.as_mut_slice().address(),
            table_len: TABLE as u64,
            n: self.n as u64,
            rounds: 5,
        };
        let blocks = kernel.blocks_for(self.n).expect("a grid");
        // SAFETY: the kernel reads the table and writes `n` elements of `out`.
        let launch = |params: &ChainParams| unsafe { kernel.launch(&self.stream, blocks, params) };
        launch(&params).expect("the launch");
        let got = out.download().expect("the kernel runs");
        for i in (0..self.n).step_by(self.n / 100).chain([self.n - 1]) {
            assert!(
                right(&got[i], i, params.rounds),
                "{name}: element {i} is wrong"
            );
        }

        params.rounds = rounds;
        let mut group = criterion.benchmark_group("device");
        group.throughput(Throughput::Elements(self.n as u64 * rounds));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(1));
        let note = (
            kernel.registers(),
            module.resident_blocks(kernel.entry_point().symbol),
        );
        eprintln!(
            "{name}: {:?} registers, {:?} blocks a multiprocessor",
            note.0, note.1
        );
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|count| self.time(count, || launch(&params).expect("a launch")));
        });
        group.finish();
        black_box(out);
    }

    fn time(&self, count: u64, launch: impl Fn()) -> Duration {
        let event = || {
            self.stream
                .device()
                .new_event(Timing::Enabled)
                .expect("an event")
        };
        let (start, end) = (event(), event());
        self.stream.record(&start).expect("recorded");
        (0..count).for_each(|_| launch());
        self.stream.record(&end).expect("recorded");
        end.synchronize().expect("the kernels run");
        end.elapsed_since(&start).expect("measured")
    }
}

fn points<G: SourceGroup>() -> Vec<G::Limbs> {
    let mut point = G::Projective::generator();
    let points: Vec<G::Affine> = (0..TABLE)
        .map(|_| {
            point = point.double() + G::Projective::generator();
            point.to_affine()
        })
        .collect();
    G::as_limbs(&points).to_vec()
}

fn fields(criterion: &mut Criterion, bench: &Bench) {
    let fr: Vec<Fr> = (3..3 + TABLE as u64)
        .map(|i| Fr::from(i) * Fr::from(i))
        .collect();
    let fr_limbs: Vec<FrLimbs> = fr.iter().map(|x| FrLimbs::from(*x)).collect();
    for name in ["mul_chain_fr", "mul_called_chain_fr"] {
        bench.chain(
            criterion,
            name,
            ROUNDS,
            &fr_limbs,
            |got: &FrLimbs, i, rounds| {
                let (x, y) = (fr[i % TABLE], fr[(i + 1) % TABLE]);
                *got == FrLimbs::from((0..rounds).fold(x, |x, _| x * y))
            },
        );
    }

    let one = Fp::one();
    let fp: Vec<Fp> = (0..TABLE)
        .scan(one + one, |x, _| {
            *x = *x * *x + one;
            Some(*x)
        })
        .collect();
    let fp_limbs: Vec<FpLimbs> = fp.iter().map(|x| FpLimbs::from(*x)).collect();
    type Step = fn(Fp, Fp) -> Fp;
    let kernels: [(&str, u64, Step); 5] = [
        ("mul_chain_fp", ROUNDS, |x, y| x * y),
        ("mul_called_chain_fp", ROUNDS, |x, y| x * y),
        ("sqr_called_chain_fp", ROUNDS, |x, _| x * x),
        ("dot_called_chain_fp", ROUNDS, |x, y| x * y - x * x),
        ("inverse_chain_fp", ROUNDS / 50, |x, y| {
            x.invert().unwrap_or(Fp::ZERO) + y
        }),
    ];
    for (name, rounds, step) in kernels {
        bench.chain(
            criterion,
            name,
            rounds,
            &fp_limbs,
            |got: &FpLimbs, i, rounds| {
                let (x, y) = (fp[i % TABLE], fp[(i + 1) % TABLE]);
                *got == FpLimbs::from((0..rounds).fold(x, |x, _| step(x, y)))
            },
        );
    }
}

/// Whether x = X / ZZ and y = Y / ZZZ are those of the sum.
fn is_sum(got: &[FpLimbs; 4], table: &[cuzk_curve::G1Limbs], i: usize, rounds: u64) -> bool {
    let points = G1::from_limbs(table).expect("points of the table");
    let sum: cuzk_curve::G1Projective = (0..rounds as usize)
        .map(|round| cuzk_curve::G1Projective::from(points[(i + round) % TABLE]))
        .sum();
    let sum = G1::as_limbs(&[sum.to_affine()])[0];
    let [x, y, zz, zzz] = got.map(Fp::from_limbs_unchecked);
    let [ax, ay] = [sum.x, sum.y].map(Fp::from_limbs_unchecked);
    x == ax * zz && y == ay * zzz && zz * zz * zz == zzz * zzz
}

fn curves(criterion: &mut Criterion, bench: &Bench) {
    let table = points::<G1>();
    for name in ["add_chain_g1", "add_chain_three_g1"] {
        bench.chain(
            criterion,
            name,
            ROUNDS / 5,
            &table,
            |got: &[FpLimbs; 4], i, rounds| is_sum(got, &table, i, rounds),
        );
    }
    let table = points::<G2>();
    bench.chain(
        criterion,
        "add_chain_g2",
        ROUNDS / 20,
        &table,
        |got: &[FpLimbs; 8], _, _| got.iter().any(|c| *c != FpLimbs::default()),
    );
}

fn arithmetic(criterion: &mut Criterion) {
    let bench = Bench::open();
    fields(criterion, &bench);
    curves(criterion, &bench);
}

criterion_group!(benches, arithmetic);
criterion_main!(benches);
