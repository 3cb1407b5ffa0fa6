use cuzk_curve::{Fr, G1, G1Projective, G2, SourceGroup as _};
use cuzk_device::StreamPart;
use cuzk_kernel_host::{SORT_KERNELS, run_affine_kernel, run_sort_kernel};
use cuzk_mock_driver::{Launch, Session};
use ff::Field as _;
use group::Group as _;
use rand_chacha::rand_core::RngCore as _;

use super::*;
use crate::plan::{Chunks, Method, Reduction};
use crate::twin::{TestGroup, few_multiples, host_device, points, rng};

/// A stand-in for the driver whose kernels are the compiled headers.
pub(crate) fn whole_device() -> (Session, Device) {
    fn sort(launch: &Launch) {
        let (blocks, threads) = (launch.grid[0], launch.block[0]);
        // SAFETY: the stand-in's device memory is host memory, aligned to 16 bytes, and the code
        // under test answers for the rest.
        unsafe { run_sort_kernel(&launch.symbol, blocks, threads, &launch.params) };
    }
    fn affine(launch: &Launch) {
        // SAFETY: as above.
        unsafe { run_affine_kernel(&launch.symbol, launch.grid[0], &launch.params) };
    }
    let (session, device) = host_device();
    for symbol in SORT_KERNELS {
        session.define(symbol, sort);
    }
    let entries = cuzk_kernels::modules()
        .iter()
        .flat_map(|module| module.entry_points);
    for entry in entries.filter(|entry| entry.symbol.starts_with("cuzk_msm_affine_")) {
        session.define(entry.symbol, affine);
    }
    (session, device)
}

/// Every method, with every reduction.
fn methods() -> [PlanOptions; 3] {
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

/// Compares a sum with the multiple that it must be.
fn check<G: TestGroup>(device: &Device, options: PlanOptions, multiples: &[Fr], scalars: &[Fr]) {
    let msm = Msm::<G>::new(device, options).expect("kernels");
    let stream = device.new_stream().expect("a stream");
    let bases = msm
        .prepare(&stream, &points::<G>(multiples))
        .expect("memory");
    let scalars_there = stream.upload(FrLimbs::view(scalars)).expect("memory");
    let sum: Fr = scalars.iter().zip(multiples).map(|(s, m)| *s * m).sum();
    let expected = G::Projective::generator() * sum;
    let got = msm
        .msm(&bases, &scalars_there)
        .expect("launches")
        .wait()
        .expect("the kernels run");
    assert_eq!(got, expected, "{}", bases.plan());
    let host = FrLimbs::view(scalars);
    let again = msm.msm_from_host(&stream, &bases, host).expect("launches");
    assert_eq!(again.wait().expect("the kernels run"), expected);
}

fn random(n: usize, seed: u64) -> Vec<Fr> {
    let mut rng = rng(seed);
    (0..n).map(|_| Fr::random(&mut rng)).collect()
}

fn lengths<G: TestGroup>(device: &Device, lengths: &[usize]) {
    for &n in lengths {
        let multiples = few_multiples(n, &mut rng(n as u64));
        for options in methods() {
            check::<G>(device, options, &multiples, &random(n, 1 + n as u64));
        }
    }
}

#[test]
fn sums_of_any_few_bases_are_right_with_identities_and_repeats_among_them() {
    let (_session, device) = whole_device();
    lengths::<G1>(&device, &[0, 1, 2, 3, 31, 32, 33, 257]);
    lengths::<G2>(&device, &[0, 1, 2, 33]);
}

#[test]
fn sums_with_structured_scalars_are_right() {
    let (_session, device) = whole_device();
    let n = 300;
    let multiples = few_multiples(n, &mut rng(5));
    let some = random(16, 2);
    let mut draws = rng(6);
    let mut pick = |values: &[Fr]| values[draws.next_u32() as usize % values.len()];
    let patterns: [Vec<Fr>; 6] = [
        vec![some[0]; n],
        vec![Fr::ZERO; n],
        vec![-Fr::ONE; n],
        (0..n).map(|_| pick(&[Fr::ZERO, Fr::ONE])).collect(),
        (0..n)
            .map(|_| pick(&[Fr::ZERO, some[0], some[1]]))
            .collect(),
        (0..n).map(|_| pick(&some)).collect(),
    ];
    for scalars in patterns {
        for options in methods() {
            check::<G1>(&device, options, &multiples, &scalars);
        }
    }
}

#[test]
fn every_width_gives_the_same_sum() {
    let (_session, device) = whole_device();
    let multiples = few_multiples(40, &mut rng(8));
    let scalars = random(40, 9);
    for bits in [2, 3, 5, 8, 12, 15] {
        for options in methods() {
            let options = PlanOptions {
                window_bits: Some(bits),
                ..options
            };
            check::<G1>(&device, options, &multiples, &scalars);
        }
    }
}

#[test]
fn chunks_and_groups_of_windows_give_the_same_sum() {
    let (_session, device) = whole_device();
    let multiples = few_multiples(1000, &mut rng(10));
    let scalars = random(1000, 11);
    for scratch_bytes in [80_000, 150_000, 400_000] {
        let options = PlanOptions {
            scratch_bytes: Some(scratch_bytes),
            window_bits: Some(6),
            ..PlanOptions::default()
        };
        let msm = Msm::<G1>::new(&device, options).expect("kernels");
        let plan = msm.plan(1000).expect("it fits");
        assert!(
            plan.chunks().count() > 1 || plan.groups().count() > 1,
            "{plan}"
        );
        check::<G1>(&device, options, &multiples, &scalars);
    }
}

/// As many chunks as are asked for; one of them of a single base where there are several.
fn cut(n: usize, count: usize) -> Chunks {
    let mut lens = vec![n / count; count];
    lens[0] = n - (count - 1) * (n / count);
    if count > 1 {
        lens[0] += lens[1] - 1;
        lens[1] = 1;
    }
    Chunks::of(&lens)
}

/// Compares the sum in chunks, from every place that bases and scalars can be in.
fn check_chunks<G: TestGroup>(
    device: &Device,
    options: PlanOptions,
    multiples: &[Fr],
    scalars: &[Fr],
) {
    let msm = Msm::<G>::new(device, options).expect("kernels");
    let stream = device.new_stream().expect("a stream");
    let there = stream.upload(FrLimbs::view(scalars)).expect("memory");
    let points = points::<G>(multiples);
    let on_host = SharedBases::<G>::from(G::from_limbs(&points).expect("reduced").to_vec());
    let sum: Fr = scalars.iter().zip(multiples).map(|(s, m)| *s * m).sum();
    let expected = G::Projective::generator() * sum;
    for count in [1, 2, 3, 7] {
        let resident = msm.prepare(&stream, &points).expect("memory");
        let streamed = msm.prepare_streamed(on_host.clone()).expect("a plan");
        for mut bases in [resident, streamed] {
            Arc::make_mut(&mut bases.plan).chunks = cut(multiples.len(), count);
            let mut by_host = bases.plan().clone();
            by_host.chunks = cut(multiples.len(), 8 - count);
            let sums = [
                msm.msm(&bases, &there),
                msm.sum_from_host(&by_host, &stream, &bases, FrLimbs::view(scalars)),
            ];
            for sum in sums {
                let got = sum.expect("launches").wait().expect("the kernels run");
                assert_eq!(got, expected, "{}", bases.plan());
            }
        }
    }
}

#[test]
fn sums_are_carried_from_chunk_to_chunk() {
    let (_session, device) = whole_device();
    for options in methods() {
        let narrow = PlanOptions {
            window_bits: Some(5),
            ..options
        };
        let multiples = few_multiples(90, &mut rng(50));
        check_chunks::<G1>(&device, narrow, &multiples, &random(90, 51));
        check_chunks::<G2>(&device, narrow, &multiples[..30], &random(30, 52));
        // One point in every chunk, its opposite, and nothing.
        let (one, scalar) = (Fr::ONE, random(1, 53)[0]);
        for multiples in [vec![one; 40], vec![Fr::ZERO; 40], {
            (0..40)
                .map(|i| if i % 2 == 0 { one } else { -one })
                .collect()
        }] {
            check_chunks::<G1>(&device, narrow, &multiples, &[scalar; 40]);
            check_chunks::<G2>(&device, narrow, &multiples[..20], &[scalar; 20]);
        }
        // Chunks of which no base counts.
        let mut scalars = vec![Fr::ZERO; 90];
        scalars[45] = scalar;
        check_chunks::<G1>(&device, narrow, &multiples, &scalars);
    }
}

#[test]
fn chunks_with_tables_and_groups_of_windows_give_the_same_sum() {
    let (_session, device) = whole_device();
    let n = 90;
    let multiples = few_multiples(n, &mut rng(54));
    let (stream, scalars) = (device.new_stream().expect("a stream"), random(n, 55));
    let sum: Fr = scalars.iter().zip(&multiples).map(|(s, m)| *s * m).sum();
    for options in methods() {
        let options = PlanOptions {
            table_bytes: 5 * n * 96,
            window_bits: Some(8),
            ..options
        };
        let msm = Msm::<G1>::new(&device, options).expect("kernels");
        let bases = msm.prepare(&stream, &points::<G1>(&multiples));
        let mut bases = bases.expect("memory");
        assert!(bases.plan().layout.tables() > 1, "{}", bases.plan());
        let plan = Arc::make_mut(&mut bases.plan);
        (plan.chunks, plan.windows_at_once) = (cut(n, 3), 2);
        assert!(plan.groups().count() > 1, "{plan}");
        let there = stream.upload(FrLimbs::view(&scalars)).expect("memory");
        let got = msm.msm(&bases, &there).expect("launches").wait();
        let got = got.expect("the kernels run");
        assert_eq!(got, G1Projective::generator() * sum, "{}", bases.plan());
    }
}

#[test]
fn vectors_that_have_no_place_together_take_several_passes() {
    let (session, device) = whole_device();
    let n = 60;
    let multiples = few_multiples(n, &mut rng(56));
    let points = points::<G1>(&multiples);
    let shared = SharedBases::<G1>::from(G1::from_limbs(&points).expect("reduced").to_vec());
    let msm = Msm::<G1>::new(&device, PlanOptions::default()).expect("kernels");
    let stream = device.new_stream().expect("a stream");
    let vectors = [57, 58, 59].map(|seed| random(n, seed));
    let there = vectors
        .each_ref()
        .map(|scalars| stream.upload(FrLimbs::view(scalars)).expect("memory"));
    let all: Vec<&DeviceBuf<FrLimbs>> = there.iter().collect();
    let mut bases = msm.prepare_streamed(shared).expect("a plan");
    let plan = Arc::make_mut(&mut bases.plan);
    (plan.chunks, plan.vectors_at_once) = (cut(n, 3), 2);
    let before = copies(&session);
    let sums = msm.msm_many(&bases, &all).expect("launches");
    assert_eq!(copies(&session) - before, 2 * 3);
    for (sum, scalars) in sums.into_iter().zip(&vectors) {
        let expected: Fr = scalars.iter().zip(&multiples).map(|(s, m)| *s * m).sum();
        let got = sum.wait().expect("the kernels run");
        assert_eq!(got, G1Projective::generator() * expected);
    }
}

/// Copies to the device so far.
fn copies(session: &Session) -> usize {
    let calls = session.calls();
    let copies = |name: &&String| *name == "cuMemcpyHtoDAsync_v2";
    calls.iter().filter(copies).count()
}

#[test]
fn tables_of_multiples_give_the_same_sum() {
    let (_session, device) = whole_device();
    let multiples = few_multiples(50, &mut rng(12));
    let scalars = random(50, 13);
    for (tables, bits) in [(1, 9), (4, 8), (11, 22 / 2)] {
        let options = PlanOptions {
            table_bytes: tables * 50 * 96,
            window_bits: Some(bits),
            ..PlanOptions::default()
        };
        let msm = Msm::<G1>::new(&device, options).expect("kernels");
        assert!(msm.plan(50).expect("it fits").layout.tables() > 1);
        check::<G1>(&device, options, &multiples, &scalars);
    }
}

#[test]
fn bases_on_the_host_are_streamed_and_several_vectors_share_the_pass() {
    let (session, device) = whole_device();
    let n = 700;
    let multiples = few_multiples(n, &mut rng(20));
    let points = points::<G1>(&multiples);
    let shared = SharedBases::<G1>::from(G1::from_limbs(&points).expect("reduced").to_vec());
    for scratch_bytes in [400_000, 40 << 20] {
        let options = PlanOptions {
            scratch_bytes: Some(scratch_bytes),
            window_bits: Some(6),
            ..PlanOptions::default()
        };
        let msm = Msm::<G1>::new(&device, options).expect("kernels");
        let stream = device.new_stream().expect("a stream");
        let bases = msm.prepare_streamed(shared.clone()).expect("a plan");
        let vectors: Vec<Vec<Fr>> = (0..3).map(|k| random(n, 30 + k)).collect();
        let there: Vec<_> = vectors
            .iter()
            .map(|scalars| stream.upload(FrLimbs::view(scalars)).expect("memory"))
            .collect();
        let before = copies(&session);
        let all: Vec<&DeviceBuf<FrLimbs>> = there.iter().collect();
        let sums = msm.msm_many(&bases, &all).expect("launches");
        assert_eq!(copies(&session) - before, bases.plan().chunks().count());
        assert_eq!(sums.len(), 3);
        for (sum, scalars) in sums.into_iter().zip(&vectors) {
            let expected: Fr = scalars.iter().zip(&multiples).map(|(s, m)| *s * m).sum();
            let expected = G1Projective::generator() * expected;
            assert_eq!(
                sum.wait().expect("the kernels run"),
                expected,
                "{}",
                bases.plan()
            );
        }
    }
    assert!(
        Msm::<G1>::new(&device, PlanOptions::default())
            .expect("kernels")
            .msm_many(&Bases::<G1>::clone(&streamed(&device, &shared)), &[])
            .expect("nothing to do")
            .is_empty()
    );
}

fn streamed(device: &Device, points: &SharedBases<G1>) -> Bases<G1> {
    let msm = Msm::<G1>::new(device, PlanOptions::default()).expect("kernels");
    msm.prepare_streamed(points.clone()).expect("a plan")
}

#[test]
fn vectors_of_different_streams_are_refused() {
    let (_session, device) = whole_device();
    let msm = Msm::<G1>::new(&device, PlanOptions::default()).expect("kernels");
    let streams = [(); 2].map(|()| device.new_stream().expect("a stream"));
    let bases = msm
        .prepare(&streams[0], &points::<G1>(&[Fr::ONE; 3]))
        .expect("memory");
    let vectors = streams.map(|stream| stream.upload(FrLimbs::view(&[Fr::ONE; 3])));
    let [a, b] = vectors.map(|vector| vector.expect("memory"));
    let error = msm
        .msm_many(&bases, &[&a, &a, &b])
        .expect_err("another stream");
    assert_eq!(
        error.to_string(),
        "vector 2 of scalars belongs to another stream than the first"
    );
}

#[test]
fn lengths_that_differ_are_refused() {
    let (_session, device) = whole_device();
    let msm = Msm::<G1>::new(&device, PlanOptions::default()).expect("kernels");
    let stream = device.new_stream().expect("a stream");
    let bases = msm
        .prepare(&stream, &points::<G1>(&[Fr::ONE; 3]))
        .expect("memory");
    let scalars = stream.upload(FrLimbs::view(&[Fr::ONE; 2])).expect("memory");
    let error = msm.msm(&bases, &scalars).expect_err("a scalar is missing");
    assert_eq!(
        error.to_string(),
        "scalars for the bases: expected 3, got 2"
    );
}

#[test]
fn a_budget_that_holds_nothing_is_refused_with_numbers() {
    let (_session, device) = whole_device();
    let options = PlanOptions {
        scratch_bytes: Some(10),
        ..PlanOptions::default()
    };
    let msm = Msm::<G1>::new(&device, options).expect("kernels");
    let error = msm.plan(100).expect_err("nothing fits");
    assert!(
        matches!(
            error,
            MsmError::NoPlace {
                n: 100,
                budget_bytes: 10,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_sum_that_nobody_waits_for_leaves_nothing_behind() {
    let (session, device) = whole_device();
    let before = session.leaks().allocations;
    let msm = Msm::<G1>::new(&device, PlanOptions::default()).expect("kernels");
    let stream = device.new_stream().expect("a stream");
    let scalars = stream
        .upload(FrLimbs::view(&[Fr::ONE; 20]))
        .expect("memory");
    let bases = msm
        .prepare(&stream, &points::<G1>(&[Fr::ONE; 20]))
        .expect("memory");
    let pending = msm.msm(&bases, &scalars).expect("launches");
    drop((bases, msm));
    drop(pending);
    drop(scalars);
    assert_eq!(session.leaks().allocations, before);
}

/// Lets every `step`-th call of a run fail in turn. Destructors log what they meet.
fn fail_everywhere(
    run: impl Fn(&Device) -> Result<G1Projective, MsmError>,
    expected: G1Projective,
    step: usize,
) {
    let calls = {
        let (session, device) = whole_device();
        let before = session.calls().len();
        assert_eq!(run(&device).expect("nothing fails"), expected);
        session.calls().len() - before
    };
    assert!(calls > 150, "{calls}");
    for k in (0..calls).step_by(step) {
        let (session, device) = whole_device();
        let before = session.calls().len();
        session.fail_any(u32::try_from(k).expect("few"), 1);
        let outcome = run(&device);
        let failed = session.calls()[before + k].clone();
        let closing = ["Destroy", "Free", "Unload"];
        let closing = closing.iter().any(|word| failed.contains(word));
        match outcome {
            Ok(sum) => {
                let quiet = closing || failed == "cuCtxSetCurrent";
                assert!(quiet, "{failed} at {k} failed unnoticed");
                assert_eq!(sum, expected);
            }
            Err(MsmError::Device(error)) => assert!(!error.to_string().is_empty()),
            Err(error) => panic!("{failed} at {k}: {error}"),
        }
        session.mend();
        assert_eq!(
            run(&device).expect("the device is usable"),
            expected,
            "after {failed}"
        );
    }
}

#[test]
fn whichever_call_fails_the_error_says_so_and_the_device_stays_usable() {
    let multiples: Vec<Fr> = (1..20).map(Fr::from).collect();
    let (points, scalars) = (points::<G1>(&multiples), random(multiples.len(), 14));
    let sum: Fr = scalars.iter().zip(&multiples).map(|(s, m)| *s * m).sum();
    let options = PlanOptions {
        window_bits: Some(10),
        ..PlanOptions::default()
    };
    let run = |device: &Device| -> Result<_, MsmError> {
        let msm = Msm::<G1>::new(device, options)?;
        let stream = device.new_stream()?;
        let bases = msm.prepare(&stream, &points)?;
        msm.msm_from_host(&stream, &bases, FrLimbs::view(&scalars))?
            .wait()
    };
    fail_everywhere(run, G1Projective::generator() * sum, 1);
}

#[test]
fn whichever_call_fails_while_bases_are_streamed_the_device_stays_usable() {
    let multiples: Vec<Fr> = (1..20).map(Fr::from).collect();
    let (points, scalars) = (points::<G1>(&multiples), random(multiples.len(), 15));
    let points = SharedBases::<G1>::from(G1::from_limbs(&points).expect("reduced").to_vec());
    let sum: Fr = scalars.iter().zip(&multiples).map(|(s, m)| *s * m).sum();
    let run = |device: &Device| -> Result<_, MsmError> {
        let options = PlanOptions {
            window_bits: Some(8),
            method: Some(Method::BatchAffine),
            reduction: Some(Reduction::Lines),
            ..PlanOptions::default()
        };
        let msm = Msm::<G1>::new(device, options)?;
        let bases = msm.prepare_streamed(points.clone())?;
        let mut plan = bases.plan().clone();
        plan.chunks = Chunks::of(&[4, 8, 7]);
        let stream = device.new_stream()?;
        msm.sum_from_host(&plan, &stream, &bases, FrLimbs::view(&scalars))?
            .wait()
    };
    fail_everywhere(run, G1Projective::generator() * sum, 5);
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    lengths::<G1>(device, &[1, 33, 257]);
    lengths::<G2>(device, &[1, 33]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_thousand_bases_are_summed_on_a_device_by_every_method() {
    let device = crate::twin::open();
    let n = 1025;
    let multiples = few_multiples(n, &mut rng(40));
    for options in methods() {
        check::<G1>(&device, options, &multiples, &random(n, 41));
        let equal = vec![random(1, 42)[0]; n];
        check::<G1>(&device, options, &multiples, &equal);
    }
    check::<G2>(
        &device,
        PlanOptions::default(),
        &multiples[..129],
        &random(129, 43),
    );
}

#[test]
fn whoever_watches_is_told_of_every_part_and_of_the_streams_beside() {
    let (_session, device) = whole_device();
    let n = 90;
    let multiples = few_multiples(n, &mut rng(70));
    let (stream, scalars) = (device.new_stream().expect("a stream"), random(n, 71));
    let [_, options, _] = methods();
    let tuning = AffineTuning {
        two_parts_from: 1,
        ..AffineTuning::default()
    };
    let msm = Msm::<G1>::with_tuning(&device, options, tuning).expect("kernels");
    let points = points::<G1>(&multiples);
    let shared = SharedBases::<G1>::from(G1::from_limbs(&points).expect("reduced").to_vec());
    let mut streamed = msm.prepare_streamed(shared).expect("a plan");
    Arc::make_mut(&mut streamed.plan).chunks = cut(n, 3);
    let resident = msm.prepare(&stream, &points).expect("memory");
    let there = stream.upload(FrLimbs::view(&scalars)).expect("memory");
    let marks = Marks::new(&device);
    for (bases, chunks) in [(&resident, 1), (&streamed, 3)] {
        let watch = stream.watch(&marks, true).expect("a mark");
        let sum = msm.msm(bases, &there).expect("launches");
        let watched = watch.stop().expect("a mark");
        watched.wait().expect("done");
        sum.wait().expect("the kernels run");
        let count = |name, beside| {
            let parts = watched.parts.iter();
            let is_it = |part: &&StreamPart| (part.name, part.beside) == (name, beside);
            parts.filter(is_it).count()
        };
        assert_eq!(count(SORT, None), chunks);
        assert_eq!(count(ACCUMULATE, None), chunks);
        assert_eq!(count(REDUCE, None), 1);
        assert_eq!(count("add", Some("second stream")), chunks);
        let copied = if chunks == 1 { 0 } else { chunks };
        assert_eq!(count("points", Some("copies")), copied);
    }
    let (_, times) = msm.msm_timed(&resident, &there).expect("the kernels run");
    assert!(
        times.sort + times.accumulate + times.reduce <= times.device + Duration::from_micros(5)
    );
    assert!(!times.accumulate.is_zero());
}
