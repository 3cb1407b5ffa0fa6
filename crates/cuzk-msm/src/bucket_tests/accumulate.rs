use std::ops::Range;

use cuzk_curve::{G1, G2};
use cuzk_device::{Device, DeviceError};
use rand_chacha::rand_core::RngCore as _;

use crate::accumulate::Accumulator;
use crate::twin::{
    HostDigits, TestGroup, Xyzz, assert_multiples, cuts, few_multiples, host_device, open, points,
    rng,
};

/// Compares all sums of the digits, of points with repeats, opposites and identities.
fn check<G: TestGroup>(device: &Device, what: &str, n: usize, digits: &HostDigits) -> Vec<Xyzz<G>> {
    let multiples = few_multiples(n, &mut rng(n as u64));
    let stream = device.new_stream().expect("a stream");
    let bases = stream.upload(&points::<G>(&multiples)).expect("memory");
    let accumulator = Accumulator::<G>::new(device).expect("kernels");
    let expected = digits.sums(&multiples);
    let of = |cuts: &[Range<usize>]| {
        let mut sums = None;
        for range in cuts {
            let points = bases.as_slice().part(range.clone()).expect("a part");
            let digits = digits.part(range).upload(&stream);
            let after = accumulator.sum_buckets(&stream, points, &digits, sums.take());
            sums = Some(after.expect("launches"));
        }
        let sums = sums.expect("a range").download().expect("the kernels run");
        assert_multiples::<G>(&format!("{what}, {cuts:?}"), &sums, &expected);
        sums
    };
    let [whole, cut @ ..] = cuts(n);
    for cuts in cut {
        of(&cuts);
    }
    of(&whole)
}

/// Digits of every kind: spread out, few, one for all, all but one bucket small.
fn kinds(windows: usize, buckets: usize, n: usize) -> Vec<(String, HostDigits)> {
    let seed = (windows * buckets * n) as u64;
    let signed = |rng: &mut rand_chacha::ChaCha8Rng, most: usize| {
        let size = i64::from(rng.next_u32()) % (most as i64 + 1);
        if rng.next_u32() & 1 == 0 { size } else { -size }
    };
    let name = |kind: &str| format!("{n} digits in {windows} x {buckets}, {kind}");
    let mut of = rng(seed);
    let uniform = HostDigits::drawn(windows, buckets, n, || signed(&mut of, buckets));
    let few = HostDigits::drawn(windows, buckets, n, || signed(&mut of, buckets.min(2)));
    let one = HostDigits::drawn(windows, buckets, n, || buckets as i64);
    let skewed = HostDigits::drawn(windows, buckets, n, || match of.next_u32() % 8 {
        0 => signed(&mut of, buckets),
        1..4 => 0,
        _ => 1,
    });
    vec![
        (name("uniform"), uniform),
        (name("few"), few),
        (name("one"), one),
        (name("skewed"), skewed),
    ]
}

fn check_kinds<G: TestGroup>(device: &Device, sizes: &[(usize, usize, usize)]) {
    for (windows, buckets, n) in sizes {
        for (name, digits) in kinds(*windows, *buckets, *n) {
            check::<G>(device, &format!("{}: {name}", G::NAME), *n, &digits);
        }
    }
}

const SMALL: [(usize, usize, usize); 7] = [
    (1, 1, 0),
    (1, 1, 1),
    (3, 1, 40),
    (2, 4, 33),
    (3, 8, 300),
    (5, 16, 100),
    (1, 64, 700),
];

#[test]
fn every_sum_of_g1_is_right_however_the_digits_lie() {
    let (_session, device) = host_device();
    check_kinds::<G1>(&device, &SMALL);
}

#[test]
fn every_sum_of_g2_is_right_however_the_digits_lie() {
    let (_session, device) = host_device();
    check_kinds::<G2>(&device, &SMALL[..5]);
}

#[test]
fn one_bucket_of_all_entries_is_added_up_in_rounds() {
    let (session, device) = host_device();
    // Parts of four times the average of 5: 250 of them, so four rounds.
    let digits = HostDigits::new(&[vec![1; 5000]], 1024);
    check::<G1>(&device, "one bucket", 5000, &digits);
    let launches = session.launches();
    // The whole is the last.
    let rounds = launches.iter().rev().map(|launch| launch.symbol.as_str());
    let rounds = rounds.take_while(|symbol| *symbol == "cuzk_msm_combine_g1");
    assert_eq!(rounds.count(), 4);
}

#[test]
fn digits_without_entries_give_identities() {
    let (_session, device) = host_device();
    let digits = HostDigits::new(&[vec![0; 10], vec![0; 10]], 8);
    check::<G1>(&device, "zeros", 10, &digits);
    let none = HostDigits::new(&[], 8);
    check::<G1>(&device, "no windows", 10, &none);
}

#[test]
fn bounds_that_do_not_fit_the_buckets_are_refused() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let mut digits = HostDigits::new(&[vec![1, 2, 3]], 4);
    digits.offsets.pop();
    let accumulator = Accumulator::<G1>::new(&device).expect("kernels");
    let bases = stream.upload(&points::<G1>(&[])).expect("memory");
    let error = accumulator
        .sum_buckets(&stream, bases.as_slice(), &digits.upload(&stream), None)
        .expect_err("a bound is missing");
    assert_eq!(error.to_string(), "bounds of buckets: expected 5, got 4");
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    let run = || -> Result<usize, DeviceError> {
        let device = Device::open(&Default::default(), &Default::default())?;
        let stream = device.new_stream()?;
        let digits = HostDigits::new(&[vec![1; 100], vec![2; 100]], 4);
        let sorted = crate::sorted::SortedDigits {
            entries: stream.upload(&digits.entries)?,
            offsets: stream.upload(&digits.offsets)?,
            windows: digits.windows,
            buckets: digits.buckets,
            longest: digits.entries.len(),
        };
        let bases = stream.upload(&points::<G1>(&few_multiples(100, &mut rng(1))))?;
        let accumulator = Accumulator::<G1>::new(&device)?;
        let sums = accumulator.sum_buckets(&stream, bases.as_slice(), &sorted, None)?;
        let sums = accumulator.sum_buckets(&stream, bases.as_slice(), &sorted, Some(sums))?;
        stream.synchronize()?;
        Ok(sums.len())
    };
    crate::twin::fail_every_call(run, |sums| assert_eq!(sums, 8));
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    check_kinds::<G1>(device, &[(3, 8, 300)]);
    check_kinds::<G2>(device, &[(2, 4, 33)]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn sums_of_both_groups_are_right_on_a_device() {
    let device = open();
    let mut sizes = SMALL.to_vec();
    sizes.extend([(7, 32, 1000), (1, 512, 5000), (6, 64, 600), (1, 1, 70_000)]);
    check_kinds::<G1>(&device, &sizes);
    check_kinds::<G2>(&device, &sizes);
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_bytes_of_sums_are_the_same_every_time() {
    let device = open();
    for (name, digits) in kinds(2, 64, 3000) {
        let first = check::<G1>(&device, &name, 3000, &digits);
        for _ in 0..10 {
            let again = check::<G1>(&device, &name, 3000, &digits);
            assert!(first == again, "{name}");
        }
    }
}
