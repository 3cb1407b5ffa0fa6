use cuzk_curve::{Fr, G1, G2};
use cuzk_device::{Device, DeviceError};
use ff::Field as _;
use rand_chacha::rand_core::RngCore as _;

use crate::plan::most_list_points;
use crate::reduce::{Reducer, log_segment};
use crate::twin::{
    TestGroup, assert_multiples, few_multiples, host_device, open, points, rng, scaled, window_sums,
};

/// Compares the points of all windows, of XYZZ and of affine sums.
fn check<G: TestGroup>(device: &Device, windows: usize, buckets: usize, sums: &[Fr]) {
    let what = format!("{}: {windows} x {buckets}", G::NAME);
    let stream = device.new_stream().expect("a stream");
    let reducer = Reducer::<G>::new(device).expect("kernels");
    let affine = points::<G>(sums);
    let xyzz = scaled::<G>(&affine, &mut rng(sums.len() as u64));
    let expected = window_sums(sums, buckets);

    let sums = stream.upload(&xyzz).expect("memory");
    let got = reducer.reduce(&stream, &sums, windows, buckets);
    let got = got.expect("launches").download().expect("kernels");
    assert_multiples::<G>(&what, &got, &expected);
    let sums = stream.upload(&affine).expect("memory");
    let got = reducer.reduce_affine(&stream, &sums, windows, buckets);
    let got = got.expect("launches").download().expect("kernels");
    assert_multiples::<G>(&format!("{what}, affine"), &got, &expected);
}

/// Sums of every kind: mixed, none, all the same, opposite neighbours, one alone.
fn check_kinds<G: TestGroup>(device: &Device, shapes: &[(usize, usize)]) {
    for (windows, buckets) in shapes {
        let n = windows * buckets;
        let mut rng = rng(n as u64);
        let mut alone = vec![Fr::ZERO; n];
        if n > 0 {
            alone[rng.next_u32() as usize % n] = Fr::from(rng.next_u64());
        }
        let opposite = |i: usize| if i & 1 == 0 { Fr::ONE } else { -Fr::ONE };
        for sums in [
            few_multiples(n, &mut rng),
            vec![Fr::ZERO; n],
            vec![Fr::from(7); n],
            (0..n).map(opposite).collect(),
            alone,
        ] {
            check::<G>(device, *windows, *buckets, &sums);
        }
    }
}

const SMALL: [(usize, usize); 8] = [
    (0, 1),
    (1, 1),
    (3, 1),
    (1, 2),
    (5, 4),
    (2, 32),
    (1, 256),
    (60, 2),
];

#[test]
fn windows_of_g1_are_right_whatever_the_sums() {
    let (_session, device) = host_device();
    check_kinds::<G1>(&device, &SMALL);
}

#[test]
fn windows_of_g2_are_right_whatever_the_sums() {
    let (_session, device) = host_device();
    check_kinds::<G2>(&device, &SMALL[..6]);
}

#[test]
fn long_segments_are_right_too() {
    // Four multiprocessors want 768 threads.
    assert_eq!(log_segment(1, 1024, 4), 0);
    assert_eq!(log_segment(7, 1024, 4), 3);
    let (_session, device) = host_device();
    let sums = few_multiples(7 * 1024, &mut rng(5));
    check::<G1>(&device, 7, 1024, &sums);
}

#[test]
fn segments_are_as_long_as_the_device_is_wide() {
    assert_eq!(log_segment(13, 1 << 19, 132), 4);
    assert_eq!(log_segment(16, 1 << 15, 132), 4);
    assert_eq!(log_segment(16, 1 << 13, 132), 2);
    assert_eq!(log_segment(1000, 2, 1), 1);
    assert_eq!(log_segment(1, 1, 132), 0);
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let reducer = Reducer::<G1>::new(&device).expect("kernels");
    let sums = stream.alloc(12).expect("memory");
    for (windows, buckets, text) in [
        (
            4,
            3,
            "buckets of a window, a power of two: expected 4, got 3",
        ),
        (
            0,
            0,
            "buckets of a window, a power of two: expected 1, got 0",
        ),
        (2, 4, "sums of buckets: expected 8, got 12"),
        (
            usize::MAX,
            2,
            "sums of buckets: expected 18446744073709551615, got 12",
        ),
    ] {
        let error = reducer.reduce(&stream, &sums, windows, buckets);
        assert_eq!(error.expect_err("refused").to_string(), text);
    }
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    let run = || -> Result<usize, DeviceError> {
        let device = Device::open(&Default::default(), &Default::default())?;
        let stream = device.new_stream()?;
        let sums = stream.upload(&points::<G1>(&few_multiples(32, &mut rng(2))))?;
        let reducer = Reducer::<G1>::new(&device)?;
        let windows = reducer.reduce_affine(&stream, &sums, 2, 16)?;
        stream.synchronize()?;
        Ok(windows.len())
    };
    crate::twin::fail_every_call(run, |windows| assert_eq!(windows, 2));
}

/// Small enough for a sanitizer.
pub(crate) fn small(device: &Device) {
    check_kinds::<G1>(device, &SMALL[4..6]);
    check_kinds::<G2>(device, &SMALL[4..6]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn windows_of_both_groups_are_right_on_a_device() {
    let device = open();
    let mut shapes = SMALL.to_vec();
    shapes.extend([(13, 64), (3, 2048), (1, 1 << 14), (17, 256)]);
    check_kinds::<G1>(&device, &shapes);
    check_kinds::<G2>(&device, &shapes);
}

#[test]
fn the_lists_of_a_reduction_are_no_more_than_the_plan_counts() {
    for windows in [1, 2, 7, 13, 40] {
        for log_buckets in 0..=21 {
            let buckets = 1usize << log_buckets;
            for multiprocessors in [1, 20, 132, 256] {
                let log_m = log_segment(windows, buckets, multiprocessors);
                let segments = (windows * buckets) >> log_m;
                let points = 2 * segments + 3 * segments.div_ceil(2);
                let most = most_list_points(windows * buckets);
                assert!(
                    points <= most,
                    "{windows} windows of 2^{log_buckets}: {points}, {most}"
                );
            }
        }
    }
}
