//! Tables: what they take, who shares them, and when they go.

use cuzk_backend::Transform;
use cuzk_curve::{Domain, Fr};
use cuzk_ntt::NttEngine;

use crate::inputs::values;
use crate::one;

fn domain(log_n: u32) -> Domain {
    Domain::new(log_n).expect("a domain")
}

#[test]
fn smaller_domains_share_the_tables_of_larger_ones_but_on_cosets() {
    let (session, device) = one();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let prepare = |log_n, transforms: &[_]| {
        engine
            .prepare(&stream, &domain(log_n), transforms)
            .expect("prepared")
    };
    let bytes = |log_n| NttEngine::table_bytes(&domain(log_n));
    let plain = [Transform::Forward, Transform::Inverse];
    let large = prepare(12, &plain);
    assert_eq!(session.leaks().bytes, 2 * bytes(12));
    let small = prepare(9, &plain);
    assert_eq!(session.leaks().bytes, 2 * bytes(12), "shared");
    drop(large);
    assert_eq!(
        session.leaks().bytes,
        2 * bytes(12),
        "held by the smaller one"
    );
    let coset = [Transform::CosetForward];
    let (first, second) = (prepare(9, &coset), prepare(8, &coset));
    assert_eq!(session.leaks().bytes, 2 * bytes(12) + bytes(9) + bytes(8));
    let again = prepare(9, &coset);
    assert_eq!(
        session.leaks().bytes,
        2 * bytes(12) + bytes(9) + bytes(8),
        "shared"
    );
    drop((small, first));
    assert_eq!(session.leaks().bytes, bytes(9) + bytes(8));
    drop((second, again));
    assert_eq!(session.leaks().bytes, 0);
}

#[test]
fn the_last_user_of_a_table_waits_for_the_device() {
    let (session, device) = one();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let prepared = engine
        .prepare(&stream, &domain(5), &[Transform::Forward])
        .expect("prepared");
    let waits = || {
        let calls = session.calls();
        calls
            .iter()
            .filter(|call| *call == "cuCtxSynchronize")
            .count()
    };
    let before = waits();
    let again = prepared.clone();
    drop(prepared);
    assert_eq!(waits(), before);
    drop(again);
    assert_eq!(waits(), before + 1);
    assert_eq!(
        session.calls().last().map(String::as_str),
        Some("cuMemFreeAsync")
    );
}

#[test]
fn streams_wait_for_each_other_only_where_they_differ() {
    let (session, device) = one();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let (stream, other) = (
        device.new_stream().expect("one"),
        device.new_stream().expect("two"),
    );
    let waits = || {
        let calls = session.calls();
        calls
            .iter()
            .filter(|call| *call == "cuStreamWaitEvent")
            .count()
    };
    let mut a = stream.upload(&values(4, 1)).expect("memory");
    let same = stream.upload(&values(4, 2)).expect("memory");
    engine
        .multiply_scale(&mut a, &same, Fr::from(3))
        .expect("launched");
    assert_eq!(waits(), 0);
    let there = other.upload(&values(4, 2)).expect("memory");
    engine
        .multiply_scale(&mut a, &there, Fr::from(3))
        .expect("launched");
    assert_eq!(waits(), 2, "before and after");
    assert_eq!(session.leaks().events, 0);
}
