use std::ops::Range;

use cuzk_curve::{Fr, G1, G2};
use cuzk_device::{Device, DeviceBuf, DeviceError};
use cuzk_kernel_host::run_affine_kernel;
use cuzk_mock_driver::{Launch, Session};
use ff::Field as _;
use proptest::prelude::*;
use rand_chacha::rand_core::RngCore as _;

use super::{AffineTree, AffineTuning, PointSelector};
use crate::bucket_tests::large::points::multiples;
use crate::reduce::Reducer;
use crate::sorted::SortedDigits;
use crate::twin::{
    HostDigits, TestGroup, assert_multiples, cuts, few_multiples, host_device, open, points, rng,
    window_sums,
};

/// A stand-in for the driver whose kernels are the compiled headers.
pub(super) fn affine_device() -> (Session, Device) {
    fn run(launch: &Launch) {
        // SAFETY: the stand-in's device memory is host memory, aligned to 16 bytes, and the code
        // under test answers for the rest.
        unsafe { run_affine_kernel(&launch.symbol, launch.grid[0], &launch.params) };
    }
    let (session, device) = host_device();
    let entries = cuzk_kernels::modules()
        .iter()
        .flat_map(|module| module.entry_points);
    for entry in entries.filter(|entry| entry.symbol.starts_with("cuzk_msm_affine_")) {
        session.define(entry.symbol, run);
    }
    (session, device)
}

/// Rounds of one kernel, and of three: with long and short chains, on one stream and on two.
fn tunings() -> [AffineTuning; 3] {
    let short = AffineTuning {
        max_chain: 5,
        tiles: 1,
        max_inverter_chain: 3,
        inverters: 1,
        few_pairs: 0,
        two_parts_from: 0,
    };
    let alone = AffineTuning {
        max_chain: 1000,
        two_parts_from: usize::MAX,
        ..short
    };
    [AffineTuning::default(), short, alone]
}

/// The sums of all buckets, those of a range of bases added to those of the ranges before.
fn sums<G: TestGroup>(
    device: &Device,
    tuning: AffineTuning,
    bases: &[G::Limbs],
    digits: &HostDigits,
    cuts: &[Range<usize>],
) -> Vec<G::Limbs> {
    let stream = device.new_stream().expect("a stream");
    let bases = stream.upload(bases).expect("memory");
    let tree = AffineTree::<G>::with_tuning(device, tuning).expect("kernels");
    let mut sums = None;
    for range in cuts {
        let points = bases.as_slice().part(range.clone()).expect("a part");
        let digits = digits.part(range).upload(&stream);
        let after = tree.sum_buckets(&stream, points, &digits, sums.take());
        sums = Some(after.expect("launches"));
    }
    let sums = sums.expect("a range");
    sums.download().expect("the kernels run")
}

/// Compares all sums of the digits, byte by byte, however the work is shared and cut.
fn check<G: TestGroup>(device: &Device, what: &str, multiples: &[Fr], digits: &HostDigits) {
    let bases = points::<G>(multiples);
    let expected = points::<G>(&digits.sums(multiples));
    for tuning in tunings() {
        for cuts in cuts(multiples.len()) {
            let got = sums::<G>(device, tuning, &bases, digits, &cuts);
            assert_eq!(got.len(), expected.len(), "{what}");
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let of = format!("{} {what}, {tuning:?}, {cuts:?}", G::NAME);
                assert_eq!(got, expected, "{of}: bucket {i}");
            }
        }
    }
}

/// Digits of every kind: spread out, few, one for all, most in one bucket.
fn kinds(windows: usize, buckets: usize, n: usize) -> Vec<(String, HostDigits)> {
    let mut of = rng((windows * buckets * n) as u64);
    let mut signed = |most: usize| {
        let size = i64::from(of.next_u32()) % (most as i64 + 1);
        if of.next_u32().is_multiple_of(2) {
            size
        } else {
            -size
        }
    };
    let name = |kind: &str| format!("{n} digits in {windows} x {buckets}, {kind}");
    vec![
        (
            name("uniform"),
            HostDigits::drawn(windows, buckets, n, || signed(buckets)),
        ),
        (
            name("few"),
            HostDigits::drawn(windows, buckets, n, || signed(buckets.min(2))),
        ),
        (
            name("one"),
            HostDigits::drawn(windows, buckets, n, || buckets as i64),
        ),
        (
            name("skewed"),
            HostDigits::drawn(windows, buckets, n, || match signed(7) {
                0 => signed(buckets),
                1..4 => 0,
                _ => 1,
            }),
        ),
    ]
}

fn check_kinds<G: TestGroup>(device: &Device, sizes: &[(usize, usize, usize)]) {
    for (windows, buckets, n) in sizes {
        for (name, digits) in kinds(*windows, *buckets, *n) {
            let multiples = few_multiples(*n, &mut rng(*n as u64));
            check::<G>(device, &name, &multiples, &digits);
        }
    }
}

const SMALL: [(usize, usize, usize); 8] = [
    (1, 1, 0),
    (1, 1, 1),
    (3, 1, 40),
    (2, 4, 33),
    (3, 8, 300),
    (5, 16, 100),
    (1, 64, 2000),
    (1, 5000, 700),
];

#[test]
fn every_sum_of_g1_is_right_however_the_digits_lie() {
    let (_session, device) = affine_device();
    check_kinds::<G1>(&device, &SMALL);
}

#[test]
fn every_sum_of_g2_is_right_however_the_digits_lie() {
    let (_session, device) = affine_device();
    check_kinds::<G2>(&device, &SMALL[..6]);
}

/// Compares the points of all windows of affine sums where base i is [i + 1] Q.
fn check_windows<G: TestGroup>(
    bases: &DeviceBuf<G::Limbs>,
    windows: usize,
    buckets: usize,
    tuning: AffineTuning,
) {
    let n = bases.len();
    let (stream, mut of) = (bases.stream(), rng(n as u64));
    // Half of the digits are spread out, a quarter are all the same, a quarter are zero.
    let digits = HostDigits::drawn(windows, buckets, n, || {
        let size = i64::try_from(of.next_u64() % buckets as u64).expect("a digit");
        match of.next_u32() % 4 {
            0 => 0,
            1 => 1 - size,
            2 => 1 + size,
            _ => 3,
        }
    });
    let tree = AffineTree::<G>::with_tuning(stream.device(), tuning).expect("kernels");
    let sums = tree.sum_buckets(stream, bases.as_slice(), &digits.upload(stream), None);
    let reducer = Reducer::<G>::new(stream.device()).expect("kernels");
    let got = reducer.reduce_affine(stream, &sums.expect("launches"), windows, buckets);
    let got = got.expect("launches").download().expect("the kernels run");
    let multiples: Vec<Fr> = (1..=n as u64).map(Fr::from).collect();
    let expected = window_sums(&digits.sums(&multiples), buckets);
    assert_multiples::<G>(&format!("{}, {tuning:?}", G::NAME), &got, &expected);
}

#[test]
fn windows_are_right_in_both_groups() {
    let (_session, device) = affine_device();
    let stream = device.new_stream().expect("a stream");
    let multiples: Vec<Fr> = (1..=900).map(Fr::from).collect();
    let bases = stream.upload(&points::<G1>(&multiples)).expect("memory");
    let bases2 = stream
        .upload(&points::<G2>(&multiples[..200]))
        .expect("memory");
    for tuning in tunings() {
        check_windows::<G1>(&bases, 3, 32, tuning);
        check_windows::<G2>(&bases2, 2, 8, tuning);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn windows_of_a_million_points_are_right_in_both_groups() {
    let stream = open().new_stream().expect("a stream");
    let bases = multiples::<G1>(&stream, 1 << 20).expect("points");
    let bases2 = multiples::<G2>(&stream, 1 << 18).expect("points");
    for tuning in tunings() {
        check_windows::<G1>(&bases, 3, 1 << 15, tuning);
        check_windows::<G2>(&bases2, 2, 1 << 12, tuning);
    }
}

/// Lists of every length whose points are equal, opposite in turn, identities, and mixed.
fn exceptional<G: TestGroup>(device: &Device, lengths: std::ops::Range<usize>) {
    let one = Fr::from(7);
    type Kind = fn(usize, Fr) -> Fr;
    let kinds: [(&str, Kind); 6] = [
        ("equal", |_, one| one),
        (
            "opposite in turn",
            |i, one| if i % 2 == 0 { one } else { -one },
        ),
        ("identities", |_, _| Fr::ZERO),
        ("identities in turn", |i, one| {
            if i % 2 == 0 { Fr::ZERO } else { one }
        }),
        ("cancelling in the second round", |i, one| {
            if i % 4 < 2 { one } else { -one }
        }),
        ("sums that double", |i, one| match i % 4 {
            0 => one,
            1 => one.double(),
            2 => one.double() + one,
            _ => Fr::ZERO,
        }),
    ];
    for (name, kind) in kinds {
        let lists: Vec<usize> = lengths.clone().collect();
        let n = lists.last().copied().unwrap_or(0);
        let multiples: Vec<Fr> = (0..n).map(|i| kind(i, one)).collect();
        let windows: Vec<Vec<i64>> = lists
            .iter()
            .map(|len| (0..n).map(|i| i64::from(i < *len)).collect())
            .collect();
        let digits = HostDigits::new(&windows, 1);
        check::<G>(device, name, &multiples, &digits);
    }
}

#[test]
fn equal_opposite_and_absent_points_add_up_in_every_round() {
    let (_session, device) = affine_device();
    exceptional::<G1>(&device, 0..36);
    exceptional::<G2>(&device, 0..12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_lists_of_few_points_add_up(
        seed in any::<u64>(),
        lists in prop::collection::vec(0usize..20, 1..30),
        distinct in 1u64..6,
        chain in 4u32..9,
        two_parts_from in prop::sample::select(vec![0, usize::MAX]),
    ) {
        let (_session, device) = affine_device();
        let mut of = rng(seed);
        let multiples: Vec<Fr> = (0..distinct).map(Fr::from).collect();
        let (mut entries, mut offsets) = (Vec::new(), vec![0u32]);
        for len in &lists {
            entries.extend((0..*len).map(|_| {
                let index = of.next_u64() % distinct;
                u32::try_from(index).expect("few") | (of.next_u32() & 1) << 31
            }));
            offsets.push(u32::try_from(entries.len()).expect("few"));
        }
        let digits = HostDigits { entries, offsets, windows: 1, buckets: lists.len() };
        let stream = device.new_stream().expect("a stream");
        let bases = stream.upload(&points::<G1>(&multiples)).expect("memory");
        let tuning = AffineTuning { max_chain: chain, tiles: 1, two_parts_from, ..tunings()[1] };
        let tree = AffineTree::<G1>::with_tuning(&device, tuning).expect("kernels");
        let sorted = digits.upload(&stream);
        let (entries, offsets) = (sorted.entries.as_slice(), sorted.offsets.as_slice());
        // SAFETY: the lists are as they were made above.
        let sums = unsafe { tree.sum_lists(&stream, bases.as_slice(), entries, offsets, 20) };
        let sums = sums.expect("launches").download().expect("the kernels run");
        prop_assert_eq!(sums, points::<G1>(&digits.sums(&multiples)));
    }
}

#[test]
fn the_scratch_is_what_the_plan_says() {
    let (_session, device) = affine_device();
    let stream = device.new_stream().expect("a stream");
    for tuning in tunings() {
        let digits = HostDigits::new(&[vec![1, 2, 3, 1, -2, 1], vec![3; 6]], 4);
        let tree = AffineTree::<G1>::with_tuning(&device, tuning).expect("kernels");
        let bases = stream.upload(&points::<G1>(&[Fr::ONE; 6])).expect("memory");
        let sorted = digits.upload(&stream);
        let device = stream.device();
        let before = device.memory().expect("an answer").used_bytes;
        let sums = tree
            .sum_buckets(&stream, bases.as_slice(), &sorted, None)
            .expect("launches");
        let memory = device.memory().expect("an answer");
        let asked = tree.scratch_bytes(digits.entries.len(), 8, 6) + 96 * sums.len();
        assert_eq!(memory.used_bytes, before + 96 * sums.len());
        assert!(memory.peak_bytes >= before + asked, "{memory:?}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let (_session, device) = affine_device();
    let stream = device.new_stream().expect("a stream");
    let tree = AffineTree::<G1>::new(&device).expect("kernels");
    let bases = stream.upload(&points::<G1>(&[Fr::ONE])).expect("memory");
    let none = stream.upload::<u32>(&[]).expect("nothing");
    // SAFETY: there are no lists.
    let error = unsafe {
        tree.sum_lists(
            &stream,
            bases.as_slice(),
            none.as_slice(),
            none.as_slice(),
            0,
        )
    };
    let error = error.expect_err("no offsets").to_string();
    assert_eq!(error, "offsets of lists, at least: expected 1, got 0");

    let selector = PointSelector::new(&device).expect("kernels");
    let error = selector
        .by_indices(&stream, &[0, 5, 9], 9)
        .expect_err("9 is not below 9");
    assert_eq!(error.to_string(), "an index below: expected 9, got 9");
    let bitmap = stream.upload(&[0u32; 3]).expect("memory");
    let error = selector
        .by_bitmap(&stream, bitmap.as_slice(), 64)
        .expect_err("a word too many");
    assert_eq!(error.to_string(), "words of a bitmap: expected 2, got 3");
    let error = selector.by_bitmap(&stream, bitmap.as_slice(), (1 << 31) + 1);
    assert!(matches!(error, Err(DeviceError::Length { .. })));
    let two = selector.by_indices(&stream, &[1], 2).expect("a selection");
    let error = tree
        .sum_selected(&stream, bases.as_slice(), &two)
        .expect_err("one point");
    assert_eq!(
        error.to_string(),
        "points to select from, at least: expected 2, got 1"
    );
}

/// The sum of the points whose bit is set, by all ways to select them.
fn check_selection<G: TestGroup>(device: &Device, n: usize, density: u32) {
    let mut of = rng(n as u64 + u64::from(density));
    let multiples = few_multiples(n, &mut of);
    let set: Vec<bool> = (0..n).map(|_| of.next_u32() % 100 < density).collect();
    let mut words = vec![0u32; n.div_ceil(32)];
    for (i, _) in set.iter().enumerate().filter(|(_, set)| **set) {
        words[i / 32] |= 1 << (i % 32);
    }
    // Bits past the end are nobody's.
    if let Some(last) = words.last_mut().filter(|_| !n.is_multiple_of(32)) {
        *last |= u32::MAX << (n % 32);
    }
    let indices: Vec<u32> = (0u32..)
        .zip(&set)
        .filter(|(_, set)| **set)
        .map(|(i, _)| i)
        .collect();
    let chosen = multiples.iter().zip(&set).filter(|(_, set)| **set);
    let expected = points::<G>(&[chosen.map(|(multiple, _)| *multiple).sum::<Fr>()]);

    let stream = device.new_stream().expect("a stream");
    let bases = stream.upload(&points::<G>(&multiples)).expect("memory");
    let (tree, selector) = (AffineTree::<G>::new(device), PointSelector::new(device));
    let (tree, selector) = (tree.expect("kernels"), selector.expect("kernels"));
    let bitmap = stream.upload(&words).expect("memory");
    let selections = [
        selector
            .by_bitmap(&stream, bitmap.as_slice(), n)
            .expect("launches"),
        selector.by_indices(&stream, &indices, n).expect("launches"),
    ];
    for selection in selections {
        assert_eq!((selection.len(), selection.points()), (indices.len(), n));
        assert_eq!(selection.is_empty(), indices.is_empty());
        let sum = tree
            .sum_selected(&stream, bases.as_slice(), &selection)
            .expect("launches");
        let sum = sum.download().expect("the kernels run");
        assert_eq!(sum, expected, "{} {n} points, {density} in 100", G::NAME);
    }
}

#[test]
fn selected_points_add_up() {
    let (_session, device) = affine_device();
    for n in [0, 1, 2, 3, 31, 32, 33, 64, 65, 300] {
        for density in [0, 50, 100] {
            check_selection::<G1>(&device, n, density);
            check_selection::<G2>(&device, n.min(65), density);
        }
    }
    // Several chunks of words.
    check_selection::<G1>(&device, 70_001, 1);
}

#[test]
fn a_list_may_name_a_point_several_times() {
    let (_session, device) = affine_device();
    let stream = device.new_stream().expect("a stream");
    let bases = stream
        .upload(&points::<G1>(&[Fr::from(5), Fr::from(9)]))
        .expect("memory");
    let tree = AffineTree::<G1>::new(&device).expect("kernels");
    let selector = PointSelector::new(&device).expect("kernels");
    let selection = selector.by_indices(&stream, &[1; 13], 2).expect("launches");
    let sum = tree
        .sum_selected(&stream, bases.as_slice(), &selection)
        .expect("launches");
    assert_eq!(
        sum.download().expect("the kernels run"),
        points::<G1>(&[Fr::from(117)])
    );
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    for tuning in tunings() {
        let run = || -> Result<usize, DeviceError> {
            let device = Device::open(&Default::default(), &Default::default())?;
            let stream = device.new_stream()?;
            let digits = HostDigits::new(&[vec![1, 3, 2, 4, 1], vec![2; 5]], 4);
            let sorted = SortedDigits {
                entries: stream.upload(&digits.entries)?,
                offsets: stream.upload(&digits.offsets)?,
                windows: digits.windows,
                buckets: digits.buckets,
                longest: digits.entries.len(),
            };
            let bases = stream.upload(&points::<G1>(&few_multiples(5, &mut rng(1))))?;
            let tree = AffineTree::<G1>::with_tuning(&device, tuning)?;
            let sums = tree.sum_buckets(&stream, bases.as_slice(), &sorted, None)?;
            let sums = tree.sum_buckets(&stream, bases.as_slice(), &sorted, Some(sums))?;
            let selection = PointSelector::new(&device)?.by_indices(&stream, &[1, 4], 5)?;
            let sum = tree.sum_selected(&stream, bases.as_slice(), &selection)?;
            stream.synchronize()?;
            Ok(sums.len() + sum.len())
        };
        crate::twin::fail_every_call(run, |sums| assert_eq!(sums, 9));
    }
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    check_kinds::<G1>(device, &[(3, 8, 300)]);
    check_kinds::<G2>(device, &[(3, 1, 40)]);
    exceptional::<G1>(device, 0..9);
    exceptional::<G2>(device, 0..9);
    check_selection::<G1>(device, 300, 50);
    check_selection::<G2>(device, 65, 50);
    super::lines::tests::small(device);
}

#[test]
#[ignore = "needs a CUDA device"]
fn sums_of_both_groups_are_right_on_a_device() {
    let device = open();
    let mut sizes = SMALL.to_vec();
    sizes.extend([
        (7, 32, 1000),
        (2, 1024, 5000),
        (20, 256, 600),
        (1, 1, 20_000),
        (3, 5000, 9000),
    ]);
    check_kinds::<G1>(&device, &sizes);
    check_kinds::<G2>(&device, &sizes[..11]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn exceptional_points_add_up_on_a_device() {
    let device = open();
    exceptional::<G1>(&device, 0..70);
    exceptional::<G2>(&device, 0..36);
}

#[test]
#[ignore = "needs a CUDA device"]
fn selected_points_add_up_on_a_device() {
    let device = open();
    for n in [0, 1, 2, 31, 32, 33, 255, 256, 257, 8191, 20_011] {
        for density in [0, 1, 50, 100] {
            check_selection::<G1>(&device, n, density);
            check_selection::<G2>(&device, n.min(8191), density);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_bytes_of_sums_are_the_same_every_time() {
    let device = open();
    let bases = points::<G1>(&few_multiples(3000, &mut rng(3)));
    let [_, _, cuts, _] = cuts(3000);
    for (name, digits) in kinds(4, 256, 3000) {
        for tuning in tunings() {
            let first = sums::<G1>(&device, tuning, &bases, &digits, &cuts);
            for _ in 0..50 {
                assert_eq!(
                    first,
                    sums::<G1>(&device, tuning, &bases, &digits, &cuts),
                    "{name}"
                );
            }
        }
    }
}
