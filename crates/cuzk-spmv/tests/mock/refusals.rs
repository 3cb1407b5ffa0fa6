//! What is refused, with both sizes.

use cuzk_device::{Device, DeviceError, DeviceOptions, DeviceSelector};
use cuzk_spmv::{SpmvEngine, SpmvError};

use crate::suite::{MIXES, check, random_matrix, random_witness, rng};
use crate::{begin, open};

#[test]
fn lengths_that_disagree_are_refused_with_both() {
    let _session = begin();
    let device = open();
    let engine = SpmvEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let rng = &mut rng(1);
    let matrix = random_matrix(rng, [1, 2, 40], 100, 3);
    let prepared = engine.prepare(&matrix, &stream).expect("prepared");
    let witness = |len| {
        let witness = random_witness(&mut crate::suite::rng(2), len, MIXES[1]);
        engine.upload_witness(&witness, &stream).expect("uploaded")
    };
    let error = engine.multiply(&prepared, &witness(99), 4, &stream);
    assert_eq!(
        error.expect_err("one too few").to_string(),
        "variables of the witness for the columns: expected 100, got 99"
    );
    let error = engine.multiply(&prepared, &witness(100), 2, &stream);
    assert_eq!(
        error.expect_err("one too few").to_string(),
        "too many rows for the result: expected at most 2, got 3"
    );
    let error = engine.multiply(&prepared, &witness(100), 1 << 32, &stream);
    assert_eq!(
        error.expect_err("one too many").to_string(),
        "too many places of a result: expected at most 4294967295, got 4294967296"
    );
}

#[test]
fn an_operand_of_another_device_is_refused() {
    let _session = begin();
    let (device, other) = (open(), open());
    let engine = SpmvEngine::open(&device).expect("the kernels load");
    let stream = other.new_stream().expect("a stream");
    let matrix = random_matrix(&mut rng(1), [1], 10, 3);
    let error = engine.prepare(&matrix, &stream).expect_err("opened twice");
    assert!(
        matches!(&error, SpmvError::OtherDevice { what: "stream", .. }),
        "{error}"
    );
    let witness = random_witness(&mut rng(2), 10, MIXES[0]);
    assert!(engine.upload_witness(&witness, &stream).is_err());

    let elsewhere = SpmvEngine::open(&other).expect("the kernels load");
    let uploaded = elsewhere
        .upload_witness(&witness, &stream)
        .expect("uploaded");
    let stream = device.new_stream().expect("a stream");
    let prepared = engine.prepare(&matrix, &stream).expect("prepared");
    let error = engine
        .multiply(&prepared, &uploaded, 1, &stream)
        .expect_err("elsewhere");
    assert!(
        matches!(
            &error,
            SpmvError::OtherDevice {
                what: "witness",
                ..
            }
        ),
        "{error}"
    );
    assert!(engine.expand(&uploaded, &stream).is_err());
}

#[test]
fn a_budget_that_is_too_small_refuses_and_later_products_are_right() {
    let session = begin();
    let options = DeviceOptions {
        budget_bytes: Some(1 << 20),
        ..DeviceOptions::default()
    };
    let device = Device::open(&DeviceSelector::default(), &options).expect("a device");
    let engine = SpmvEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let rng = &mut rng(3);
    let matrix = random_matrix(rng, (0..900).map(|i| i % 5), 500, 3);
    let witness = random_witness(rng, 500, MIXES[2]);
    let prepared = engine.prepare(&matrix, &stream).expect("prepared");
    let uploaded = engine.upload_witness(&witness, &stream).expect("uploaded");
    let used = device.memory().expect("the driver says").used_bytes;
    assert_eq!(used, prepared.bytes() + uploaded.bytes());
    let error = engine.multiply(&prepared, &uploaded, 1 << 15, &stream);
    let error = error.expect_err("a result of 1 MiB does not fit");
    assert!(
        matches!(&error, SpmvError::Device(DeviceError::OverBudget { .. })),
        "{error:?}"
    );
    drop((prepared, uploaded));
    check(
        &engine,
        &stream,
        &matrix,
        &witness,
        1024,
        "after the refusal",
    );
    drop((engine, stream, device));
    assert_eq!(session.leaks(), Default::default());
}
