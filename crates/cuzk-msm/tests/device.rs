//! Whole sums on a real device, by `cargo xtask test-gpu`.

#[path = "shared/points.rs"]
mod points;

use std::sync::Arc;

use cuzk_backend::SharedBases;
use cuzk_curve::{Fr, FrLimbs, G1, G1Affine, G1Limbs, G2, SourceGroup};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, PageRegistrar, Stream};
use cuzk_hostmem::{HostAllocator, HostBuf, HostMemory, PageLocker};
use cuzk_msm::{DeviceGroup, HostLink, Method, Msm, PlanOptions, Reduction};
use ff::Field as _;
use group::{Curve as _, Group as _};
use points::multiples;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

/// Every method, with every reduction.
fn ways() -> [PlanOptions; 3] {
    let of = |method, reduction| PlanOptions {
        method: Some(method),
        reduction: Some(reduction),
        ..PlanOptions::default()
    };
    [
        of(Method::Xyzz, Reduction::Segments),
        of(Method::BatchAffine, Reduction::Segments),
        of(Method::BatchAffine, Reduction::Lines),
    ]
}

/// Scalars that are made quickly: any number below 2^254 is a Montgomery form.
fn uniform(n: usize, seed: u64) -> Vec<FrLimbs> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut next = || rng.next_u64();
    (0..n)
        .map(|_| FrLimbs([next(), next(), next(), next() >> 2]))
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

struct Case<G: DeviceGroup> {
    stream: Stream,
    points: Vec<G::Limbs>,
}

impl<G: DeviceGroup> Case<G> {
    /// The points `[i + 1] Q`.
    fn new(device: &Device, n: usize) -> Self {
        let stream = device.new_stream().expect("a stream");
        let points = multiples::<G>(&stream, n).expect("memory");
        let points = points.download().expect("the kernels run");
        Self { stream, points }
    }

    fn check(&self, msm: &Msm<G>, scalars: &[FrLimbs], what: &str) {
        let n = scalars.len();
        let bases = msm
            .prepare(&self.stream, &self.points[..n])
            .expect("memory");
        let sum = msm
            .msm_from_host(&self.stream, &bases, scalars)
            .expect("launches");
        let got = sum.wait().expect("the kernels run");
        let expected = G::Projective::generator() * inner(scalars);
        assert_eq!(got, expected, "{what}, {}", bases.plan());
    }
}

fn lengths<G: DeviceGroup>(most: usize) {
    let device = open();
    let case = Case::<G>::new(&device, most);
    let scalars = uniform(most, 1);
    let lengths = [
        0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 65_535, 65_536, 65_537, 131_071, 131_073, 262_143,
        262_145, 999_983, 1_000_003,
    ];
    for options in ways() {
        let msm = Msm::<G>::new(&device, options).expect("kernels");
        for n in lengths.into_iter().filter(|n| *n <= most) {
            case.check(&msm, &scalars[..n], &format!("{n} bases"));
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn g1_sums_of_every_length_are_right() {
    lengths::<G1>(1_000_003);
}

#[test]
#[ignore = "needs a CUDA device"]
fn g2_sums_of_every_length_are_right() {
    lengths::<G2>(262_145);
}

fn patterns<G: DeviceGroup>(n: usize) {
    let device = open();
    let case = Case::<G>::new(&device, n);
    let some = uniform(16, 2);
    let (zero, one) = (FrLimbs::from(Fr::ZERO), FrLimbs::from(Fr::ONE));
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut draw = |values: &[FrLimbs]| -> Vec<FrLimbs> {
        let mut pick = || values[rng.next_u32() as usize % values.len()];
        (0..n).map(|_| pick()).collect()
    };
    let mut half = uniform(n, 4);
    half.iter_mut().step_by(2).for_each(|scalar| *scalar = zero);
    let patterns = [
        ("equal", vec![some[0]; n]),
        ("zeros and ones", draw(&[zero, one])),
        ("half zero", half),
        ("sixteen", draw(&some)),
        ("minus one", vec![FrLimbs::from(-Fr::ONE); n]),
        ("zero", vec![zero; n]),
    ];
    for options in ways() {
        let msm = Msm::<G>::new(&device, options).expect("kernels");
        for (what, scalars) in &patterns {
            case.check(&msm, scalars, what);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn g1_sums_of_structured_scalars_are_right() {
    patterns::<G1>(300_007);
}

#[test]
#[ignore = "needs a CUDA device"]
fn g2_sums_of_structured_scalars_are_right() {
    patterns::<G2>(50_021);
}

/// Small enough for a sanitizer; the kernels alone are checked in the library.
mod small {
    use super::*;

    #[test]
    #[ignore = "needs a CUDA device"]
    fn sums_of_structured_scalars_are_right() {
        patterns::<G1>(1025);
        patterns::<G2>(129);
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn identities_repeats_and_opposites_are_right() {
        repeats::<G1>(1025);
        repeats::<G2>(129);
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn tables_of_multiples_give_the_same_sum() {
        sums_in_parts(1025, &[(None, 3 * 1025 * 96), (None, 11 * 1025 * 96)]);
    }
}

fn repeats<G: DeviceGroup>(n: usize) {
    let device = open();
    let mut case = Case::<G>::new(&device, 7);
    let few = case.points.clone();
    let opposite = |point: &G::Limbs| {
        let point = G::from_limbs(std::slice::from_ref(point)).expect("reduced")[0];
        G::as_limbs(&[-point])[0]
    };
    // Multiples 0, 1 … 7 and −1 … −7 of Q.
    let point = |k: i64| match k {
        0 => G::as_limbs(&[G::Projective::identity().to_affine()])[0],
        k if k > 0 => few[k as usize - 1],
        k => opposite(&few[k.unsigned_abs() as usize - 1]),
    };
    let all: Vec<G::Limbs> = (-7..=7).map(point).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let picks: Vec<usize> = (0..n).map(|_| rng.next_u32() as usize % 15).collect();
    case.points = picks.iter().map(|pick| all[*pick]).collect();
    let scalars = uniform(n, 6);
    let mut by_multiple = [Fr::ZERO; 15];
    for (pick, scalar) in picks
        .iter()
        .zip(FrLimbs::scalars(&scalars).expect("reduced"))
    {
        by_multiple[*pick] += scalar;
    }
    let sum = by_multiple
        .iter()
        .enumerate()
        .fold(Fr::ZERO, |sum, (i, scalar)| {
            sum + (Fr::from(i as u64) - Fr::from(7)) * scalar
        });
    for options in ways() {
        let msm = Msm::<G>::new(&device, options).expect("kernels");
        let bases = msm.prepare(&case.stream, &case.points).expect("memory");
        let got = msm
            .msm_from_host(&case.stream, &bases, &scalars)
            .expect("launches");
        let got = got.wait().expect("the kernels run");
        assert_eq!(got, G::Projective::generator() * sum, "{}", bases.plan());
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn identities_repeats_and_opposites_among_the_bases_are_right() {
    repeats::<G1>(100_003);
    repeats::<G2>(20_011);
}

/// Sums with so many bytes of scratch memory and of tables.
fn sums_in_parts(n: usize, limits: &[(Option<usize>, usize)]) {
    let device = open();
    let case = Case::<G1>::new(&device, n);
    let scalars = uniform(n, 7);
    for &(scratch_bytes, table_bytes) in limits {
        for options in ways() {
            let options = PlanOptions {
                scratch_bytes,
                table_bytes,
                ..options
            };
            let msm = Msm::<G1>::new(&device, options).expect("kernels");
            case.check(&msm, &scalars, "one sum in parts");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn chunks_groups_and_tables_give_the_same_sum() {
    let n = 1 << 18;
    let limits = [
        (Some(400 << 20), 0),
        (Some(30 << 20), 0),
        (None, 3 * n * 96),
        (None, 11 * n * 96),
    ];
    sums_in_parts(n, &limits);
}

/// Points in host memory of either kind.
struct OnHost(HostBuf<G1Limbs>);

impl AsRef<[G1Affine]> for OnHost {
    fn as_ref(&self) -> &[G1Affine] {
        G1::from_limbs(&self.0).expect("reduced")
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn bases_are_streamed_from_pageable_and_registered_memory() {
    let device = open();
    let n = (1 << 21) + 12_345;
    let case = Case::<G1>::new(&device, n);
    let vectors = [uniform(n, 9), uniform(n, 10), uniform(n, 11)];
    let uploads = vectors
        .each_ref()
        .map(|v| case.stream.upload(v).expect("memory"));
    let all: Vec<&DeviceBuf<FrLimbs>> = uploads.iter().collect();
    let registrar: Arc<dyn PageLocker> = Arc::new(PageRegistrar::new(&device));
    for (memory, host_link, scratch_bytes) in [
        (HostMemory::Pageable, HostLink::Pageable, None),
        (HostMemory::Registered, HostLink::Registered, None),
        (HostMemory::Registered, HostLink::Staged, Some(400 << 20)),
    ] {
        let allocator = HostAllocator::new(memory, Some(registrar.clone()));
        let points = allocator.from_vec(case.points.clone()).expect("memory");
        let options = PlanOptions {
            scratch_bytes,
            host_link: Some(host_link),
            ..PlanOptions::default()
        };
        let msm = Msm::<G1>::new(&device, options).expect("kernels");
        let bases = msm
            .prepare_streamed(SharedBases::new(OnHost(points)))
            .expect("a plan");
        assert!(bases.plan().chunks().count() > 1);
        let sums = msm.msm_many(&bases, &all).expect("launches");
        for (sum, scalars) in sums.into_iter().zip(&vectors) {
            let expected = cuzk_curve::G1Projective::generator() * inner(scalars);
            assert_eq!(
                sum.wait().expect("the kernels run"),
                expected,
                "{}",
                bases.plan()
            );
        }
        let scalars = allocator.from_vec(vectors[0].clone()).expect("memory");
        let sum = msm.msm_from_host(&case.stream, &bases, &scalars);
        let expected = cuzk_curve::G1Projective::generator() * inner(&scalars);
        let got = sum.expect("launches").wait().expect("the kernels run");
        assert_eq!(got, expected, "{}", bases.plan());
    }
}

fn scalars_by_chunks<G: DeviceGroup>(n: usize) {
    for (host_memory, memories) in [
        (
            HostMemory::Pageable,
            &[HostMemory::Pageable, HostMemory::Registered][..],
        ),
        (HostMemory::Staged, &[HostMemory::Pageable]),
    ] {
        let options = DeviceOptions {
            host_memory,
            ..DeviceOptions::default()
        };
        let device = Device::open(&DeviceSelector::default(), &options).expect("a device");
        let case = Case::<G>::new(&device, n);
        let registrar: Arc<dyn PageLocker> = Arc::new(PageRegistrar::new(&device));
        let equal = vec![uniform(1, 12)[0]; n];
        for options in ways() {
            let msm = Msm::<G>::new(&device, options).expect("kernels");
            let bases = msm.prepare(&case.stream, &case.points).expect("memory");
            let plan = msm.plan_from_host(&bases).expect("a plan");
            // In G2 all may come at once: a copy is short beside its sum.
            assert!(plan.chunks().count() > 1 || G::NAME == "G2", "{plan}");
            for memory in memories {
                let allocator = HostAllocator::new(*memory, Some(registrar.clone()));
                for scalars in [uniform(n, 13), equal.clone()] {
                    let scalars = allocator.from_vec(scalars).expect("memory");
                    case.check(&msm, &scalars, "scalars in chunks");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn scalars_come_in_chunks_from_memory_of_every_kind() {
    scalars_by_chunks::<G1>((1 << 21) + 54_321);
    scalars_by_chunks::<G2>((1 << 20) + 12_345);
}

/// The bytes of the affine sum.
fn bytes<G: SourceGroup>(sum: G::Projective) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::encode_uncompressed(&sum.to_affine(), &mut bytes);
    bytes
}

#[test]
#[ignore = "needs a CUDA device"]
fn two_hundred_repeats_on_two_streams_give_the_same_bytes() {
    let device = open();
    let n = 20_000;
    let msm = Msm::<G1>::new(&device, PlanOptions::default()).expect("kernels");
    let streams = [(); 2].map(|()| device.new_stream().expect("a stream"));
    let points = multiples::<G1>(&streams[0], n).expect("memory");
    let bases = msm.prepare_resident(points).expect("memory");
    let scalars = uniform(n, 8);
    let uploads: Vec<DeviceBuf<FrLimbs>> = streams
        .iter()
        .map(|stream| stream.upload(&scalars).expect("memory"))
        .collect();
    let expected = bytes::<G1>(cuzk_curve::G1Projective::generator() * inner(&scalars));
    for _ in 0..100 {
        let pending: Vec<_> = uploads
            .iter()
            .map(|scalars| msm.msm(&bases, scalars).expect("launches"))
            .collect();
        for sum in pending {
            assert_eq!(bytes::<G1>(sum.wait().expect("the kernels run")), expected);
        }
    }
}
