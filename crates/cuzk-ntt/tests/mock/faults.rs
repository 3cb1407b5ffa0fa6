//! What is refused, and failures of the driver: every call of a whole run fails in turn.

use cuzk_backend::{Ntt as _, Transform};
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_ntt::{NttEngine, NttError, Plan, Scalars};
use ff::Field as _;

use crate::backend::{DeviceNtt, TRANSFORMS};
use crate::inputs::values;
use crate::{devices, one, open};

#[test]
fn other_lengths_are_refused_and_the_values_left() {
    let (session, device) = one();
    let machine = DeviceNtt::new(&device);
    let domain = Domain::new(4).expect("a small domain");
    let prepared = machine.domain(&domain).expect("prepared");
    let launched = session.launches().len();
    for n in [0, 8, 15, 17, 32] {
        let input = values(n, 0);
        for transform in TRANSFORMS {
            let mut data = machine.stream.upload(&input).expect("memory");
            let error = prepared
                .transform(transform, &mut data)
                .expect_err("refused");
            let text = format!("values for the transform: expected 16, got {n}");
            assert_eq!(error.to_string(), text);
            assert_eq!(data.download().expect("a copy"), input);
        }
    }
    let data = || machine.stream.upload(&values(16, 0)).expect("memory");
    let short = machine.stream.upload(&values(15, 0)).expect("memory");
    let [a, b, c] = [data(), data(), short].map(Scalars::natural);
    assert!(matches!(
        prepared.quotient(a, b, c),
        Err(NttError::Shape(_))
    ));
    let short = machine.stream.upload(&values(15, 0)).expect("memory");
    let error = machine
        .engine
        .reorder(Scalars::natural(short))
        .expect_err("refused");
    assert_eq!(
        error.to_string(),
        "values to reorder, by powers of two: expected 16, got 15"
    );
    assert_eq!(session.launches().len(), launched, "nothing was launched");
}

#[test]
fn a_transform_that_was_not_prepared_is_refused_by_name() {
    let (_session, device) = one();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let domain = Domain::new(3).expect("a small domain");
    let prepared = engine
        .prepare(&stream, &domain, &[Transform::Inverse])
        .expect("prepared");
    let mut data = stream.upload(&values(8, 0)).expect("memory");
    prepared
        .transform(Transform::Inverse, &mut data)
        .expect("it was prepared");
    let error = prepared
        .transform(Transform::CosetForward, &mut data)
        .expect_err("refused");
    let text = "the domain of 2^3 elements was not prepared for CosetForward";
    assert_eq!(error.to_string(), text);
    let error = prepared
        .to_coset(Scalars::natural(data))
        .expect_err("refused");
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_plan_for_another_size_is_refused() {
    let (_session, device) = one();
    let engine = NttEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let domain = Domain::new(3).expect("a small domain");
    let plan = Plan::new(4).expect("a plan");
    let error = engine
        .prepare_planned(&stream, &domain, plan, &[])
        .expect_err("refused");
    let text = "stages of the plan for the domain: expected 3, got 4";
    assert_eq!(error.to_string(), text);
}

#[test]
fn values_on_another_device_are_refused_with_both_names() {
    let _session = devices(2);
    let (here, there) = (open(0), open(1));
    let machine = DeviceNtt::new(&here);
    let domain = Domain::new(3).expect("a small domain");
    let prepared = machine.domain(&domain).expect("prepared");
    let foreign = there.new_stream().expect("a stream");
    let mut data = foreign.upload(&values(8, 0)).expect("memory");
    let error = prepared
        .transform(Transform::Forward, &mut data)
        .expect_err("refused");
    let uuids = [&there, &here].map(|device| device.info().uuid.clone());
    assert_eq!(
        error.to_string(),
        format!("values on {}, expected on {}", uuids[0], uuids[1])
    );
    let mut own = machine.stream.upload(&values(8, 0)).expect("memory");
    let error = machine.engine.multiply_scale(&mut own, &data, Fr::ONE);
    assert!(matches!(error, Err(NttError::OtherDevice { .. })));
}

#[test]
fn more_memory_than_there_is_is_refused_and_the_engine_goes_on() {
    let (_session, device) = one();
    let machine = DeviceNtt::new(&device);
    let large = Domain::new(26).expect("a domain");
    let error = machine.domain(&large).expect_err("2 GiB of 1 GiB");
    assert!(matches!(error, NttError::Device(_)), "{error}");
    let small = Domain::new(3).expect("a domain");
    let data = machine.stream.upload(&values(8, 0)).expect("memory");
    machine
        .transform(Transform::Forward, &small, data)
        .expect("goes on");
}

/// Prepares, transforms in every order, multiplies across streams, and closes everything.
fn whole_run() -> Result<Vec<FrLimbs>, NttError> {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    let engine = NttEngine::open(&device)?;
    let (stream, other) = (device.new_stream()?, device.new_stream()?);
    let domain = Domain::new(11).expect("a domain");
    let prepared = engine.prepare(&stream, &domain, &TRANSFORMS)?;
    let upload = |seed| {
        stream
            .upload(&values(domain.n(), seed))
            .map(Scalars::natural)
    };
    let h = prepared.quotient(upload(1)?, upload(2)?, upload(3)?)?;
    let mut h = engine.reorder(h)?.into_values();
    let b = other.upload(&values(domain.n(), 4))?;
    engine.multiply_subtract_scale(&mut h, &b, &b, Fr::from(3))?;
    prepared.transform(Transform::CosetForward, &mut h)?;
    Ok(h.download()?)
}

#[test]
fn whichever_call_fails_the_error_says_so_nothing_leaks_and_the_next_run_is_right() {
    const CODES: [i32; 5] = [1, 719, 999, 226, 100];
    let (expected, count) = {
        let session = devices(1);
        (whole_run().expect("nothing fails"), session.calls().len())
    };
    assert!(count > 150, "{count} calls");
    for k in 0..count {
        let session = devices(1);
        session.fail_any(u32::try_from(k).expect("small"), CODES[k % CODES.len()]);
        let outcome = whole_run();
        let failed = session.calls()[k].clone();
        let closing = [
            "Destroy",
            "Free",
            "Release",
            "Unload",
            "CtxSynchronize",
            "SetCurrent",
        ];
        let may_close = closing.iter().any(|word| failed.contains(word));
        match outcome {
            // A failure in a destructor is logged.
            Ok(values) => {
                assert!(may_close, "{failed} at {k} failed unnoticed");
                assert_eq!(values, expected, "after {failed} at {k}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if !may_close {
            assert_eq!(session.leaks(), Default::default(), "after {failed} at {k}");
        }
        session.mend();
        if k % 20 == 0 {
            assert_eq!(
                whole_run().expect("mended"),
                expected,
                "after {failed} at {k}"
            );
        }
    }
}

#[test]
fn an_engine_whose_launch_failed_serves_the_next_call() {
    let (session, device) = one();
    let machine = DeviceNtt::new(&device);
    let domain = Domain::new(11).expect("a domain");
    let prepared = machine.domain(&domain).expect("prepared");
    let input = values(domain.n(), 1);
    let expected = crate::oracle::transformed(Transform::Inverse, &domain, &input);
    // Two passes and a permutation.
    for launch in 0..3 {
        session.fail("cuLaunchKernel", launch, 701);
        let mut data = machine.stream.upload(&input).expect("memory");
        let error = prepared
            .transform(Transform::Inverse, &mut data)
            .expect_err("it fails");
        assert!(
            error.to_string().starts_with("launching cuzk_ntt_"),
            "{error}"
        );
        let mut data = machine.stream.upload(&input).expect("memory");
        prepared
            .transform(Transform::Inverse, &mut data)
            .expect("it works again");
        assert_eq!(data.download().expect("a copy"), expected);
    }
}
