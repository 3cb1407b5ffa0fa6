//! Every size up to 2^20 against the CPU, and larger ones at a few points.

use cuzk_backend::Transform;
use cuzk_curve::{Fr, FrLimbs};
use cuzk_device::DeviceBuf;
use cuzk_ntt::{FromNatural, FromReversed, NttEngine, Plan, Scalars};
use cuzk_testkit::{ntt_conformance, quotient_conformance};
use ff::Field as _;

use crate::backend::DeviceNtt;
use crate::inputs::values;
use crate::oracle::assert_same;
use crate::points::evaluated;
use crate::{cases, domain, open};

#[test]
#[ignore = "needs a CUDA device"]
fn every_order_agrees_with_the_cpu_at_every_size_up_to_2_to_the_20() {
    let machine = DeviceNtt::new(&open());
    for log_n in (0..=20).rev() {
        cases::every_order_agrees_with_the_cpu(&machine, log_n);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_suites_pass_at_middle_sizes() {
    let machine = DeviceNtt::new(&open());
    ntt_conformance(&machine, [13, 14, 15]);
    quotient_conformance(&machine, [13, 16]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn cuts_of_the_middle_sizes_give_the_same_result() {
    let cuts: [&[u32]; 7] = [
        &[9, 9],
        &[10, 10],
        &[9, 6, 4],
        &[4, 6, 9],
        &[7, 7, 6],
        &[6, 7, 7],
        &[5, 5, 5, 5],
    ];
    cases::every_cut_gives_the_same(&DeviceNtt::new(&open()), &cuts);
}

fn at(data: &DeviceBuf<FrLimbs>, i: usize) -> FrLimbs {
    let mut value = [FrLimbs::default()];
    let part = data.as_slice().part(i..i + 1).expect("inside");
    part.copy_to_host(data.stream(), &mut value)
        .expect("a copy");
    value[0]
}

/// All values up to 2^24, the first and the last ones beyond.
fn assert_home(data: &DeviceBuf<FrLimbs>, expected: &[FrLimbs], context: &dyn std::fmt::Debug) {
    const PART: usize = 1 << 23;
    let n = data.len();
    let first = PART.min(n);
    for range in [0..first, n - first..n] {
        let mut got = vec![FrLimbs::default(); first];
        let part = data.as_slice().part(range.clone()).expect("inside");
        let copied = part.copy_to_host(data.stream(), &mut got);
        copied.expect("the kernels run");
        assert_same(&got, &expected[range], context);
    }
}

/// Forward and inverse, on the domain and on the coset, in natural order and across.
fn sampled(log_n: u32) {
    let device = open();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let domain = domain(log_n);
    let n = domain.n();
    let coefficients = values(n, log_n.into());
    let mut data = stream.upload(&coefficients).expect("memory");
    let places = [n / 3, n - 1, 1, 0, n / 2 + 1];
    let places = &places[..if log_n > 25 { 2 } else { 5 }];
    for (there, back, shift) in [
        (Transform::Forward, Transform::Inverse, Fr::ONE),
        (
            Transform::CosetForward,
            Transform::CosetInverse,
            domain.coset_shift(),
        ),
    ] {
        let prepared = engine
            .prepare(&stream, &domain, &[there, back])
            .expect("memory");
        prepared.transform(there, &mut data).expect("launched");
        for &place in places {
            let point = shift * domain.generator().pow_vartime([place as u64]);
            let expected = evaluated(&coefficients, point);
            assert_eq!(
                at(&data, place),
                expected,
                "{there:?}, 2^{log_n} at {place}"
            );
        }
        prepared.transform(back, &mut data).expect("launched");
        assert_home(&data, &coefficients, &(back, log_n));
        if there == Transform::Forward {
            let across = prepared.to_reversed(FromNatural::Forward, Scalars::natural(data));
            let across = across.expect("launched");
            let point = domain.generator().pow_vartime([3]);
            let place = 3usize.reverse_bits() >> (usize::BITS - log_n);
            let expected = evaluated(&coefficients, point);
            assert_eq!(at(across.values(), place), expected, "2^{log_n}, reversed");
            let home = prepared.to_natural(FromReversed::Inverse, across);
            data = home.expect("launched").into_values();
            assert_home(&data, &coefficients, &("across", log_n));
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn sizes_from_2_to_the_21_on_are_right_at_some_points() {
    for log_n in 21..=25 {
        sampled(log_n);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_largest_sizes_are_right_at_some_points() {
    for log_n in 26..=28 {
        sampled(log_n);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn passes_of_ten_stages_are_right_beyond_2_to_the_32_bytes() {
    let device = open();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let plan = Plan::with_stages(&[8, 10, 10]).expect("within the limits");
    let domain = domain(28);
    let transforms = [Transform::Forward];
    let prepared = engine
        .prepare_planned(&stream, &domain, plan, &transforms)
        .expect("memory");
    let coefficients = values(domain.n(), 0);
    let mut data = stream.upload(&coefficients).expect("memory");
    prepared
        .transform(Transform::Forward, &mut data)
        .expect("launched");
    let place = domain.n() - 5;
    let point = domain.generator().pow_vartime([place as u64]);
    assert_eq!(at(&data, place), evaluated(&coefficients, point));
}
