//! The feature `cuda` on a stand-in for the driver that runs the kernels as compiled for the host.
#![cfg(feature = "cuda")]

#[path = "shared/host_device.rs"]
mod host_device;
#[path = "shared/squares.rs"]
mod squares;

use std::time::Duration;

use cuzk::{
    Backend, Blinding, DeviceOptions, DeviceSelector, Error, Fr, Phase, Prover, SetupError,
    Timeline,
};
use cuzk_mock_driver::Launch;
use host_device::{begin, broken, run};
use squares::Squares;

#[test]
fn a_device_that_is_asked_for_proves_with_the_bytes_of_the_processor() {
    let session = begin(run);
    let circuit = Squares { start: 5, n: 30 };
    let blinding = Blinding::fixed(Fr::from(11), Fr::from(12));
    let cpu = Prover::builder()
        .backend(Backend::Cpu)
        .build()
        .expect("the processor");
    let shape = cpu.shape(circuit).expect("sound");
    let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
    let prove = |prover: &Prover| {
        let compiled = prover.compile(circuit, &parameters).expect("the key");
        let timeline = Timeline::start();
        let proved = compiled
            .prove_timed(circuit, &blinding, &timeline)
            .expect("a proof");
        (proved, timeline.finish())
    };
    let (expected, report) = prove(&cpu);
    assert_eq!(report.backend, "cpu");
    assert!(report.phases.iter().all(|row| row.device.is_none()));
    let cuda = Prover::builder()
        .backend(Backend::Cuda)
        .device(DeviceSelector::Index(0), DeviceOptions::default())
        .build()
        .expect("the device passes its trial");
    let (got, report) = prove(&cuda);
    assert_eq!((got, report.backend.as_str()), (expected, "cuda"));
    // A witness comes in four stretches, and four sums of ones share a phase.
    let stretches = [
        (Phase::Upload, 4),
        (Phase::Evaluate, 1),
        (Phase::Ntt, 1),
        (Phase::MsmH, 1),
        (Phase::PrepMsm, 1),
        (Phase::BatchAddition, 4),
        (Phase::TailMsmL, 1),
        (Phase::TailMsmA, 1),
        (Phase::TailMsmBG1, 1),
        (Phase::MsmBG2, 1),
    ];
    for (phase, expected) in stretches {
        let row = report.phase(phase).expect("the phase ran");
        let spans: Vec<_> = report
            .device_spans
            .iter()
            .filter(|span| span.phase == phase && span.part.is_none())
            .collect();
        assert_eq!(spans.len(), expected, "{phase:?}");
        let in_all: Duration = spans.iter().map(|span| span.device).sum();
        assert_eq!(row.device, Some(in_all), "{phase:?}");
        // A witness of full values is not split, and has no ones: nothing is enqueued for them.
        let is_idle = [Phase::PrepMsm, Phase::BatchAddition].contains(&phase);
        assert_eq!(in_all.is_zero(), is_idle, "{phase:?}");
    }
    let verify = report.phase(Phase::Verify).expect("verified");
    assert_eq!(verify.device, None);
    drop(cuda);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn small_circuits_open_no_device() {
    let session = begin(run);
    let prover = Prover::builder().build().expect("auto");
    let circuit = Squares { start: 2, n: 10 };
    let shape = prover.shape(circuit).expect("sound");
    let parameters = prover.setup(&shape, |_| ()).expect("parameters");
    let compiled = prover.compile(circuit, &parameters).expect("the key");
    compiled.prove(circuit).expect("a proof");
    assert_eq!(prover.last_report().expect("kept").backend, "cpu");
    assert_eq!(session.calls(), Vec::<String>::new());
}

#[test]
fn a_device_that_computes_wrongly_is_not_taken() {
    let session = begin(broken);
    let refused = Prover::builder()
        .backend(Backend::Cuda)
        .build()
        .expect_err("wrong sums");
    assert!(
        matches!(refused, Error::KnownAnswer | Error::Prove(_)),
        "{refused}"
    );
    assert_eq!(session.leaks(), Default::default());
}

/// Leaves products of a fixed point as they were.
fn without_products(launch: &Launch) {
    if !launch.symbol.starts_with("cuzk_msm_fixed_multiply") {
        run(launch);
    }
}

#[test]
fn parameters_made_on_a_device_prove_on_the_processor() {
    let session = begin(run);
    let circuit = Squares { start: 3, n: 20 };
    let cuda = Prover::builder().backend(Backend::Cuda).build();
    let cuda = cuda.expect("the device passes its trial");
    let shape = cuda.shape(circuit).expect("sound");
    let parameters = cuda.setup(&shape, |_| ()).expect("parameters");
    let report = cuda.last_report().expect("kept");
    assert_eq!(report.backend, "cuda");
    let products = report.phase(Phase::FixedBase).expect("it occurred");
    assert!(products.device.is_some_and(|time| !time.is_zero()));
    let cpu = Prover::builder().backend(Backend::Cpu).build();
    let compiled = cpu.expect("the processor").compile(circuit, &parameters);
    let proved = compiled.expect("the key").prove(circuit);
    proved.expect("a proof that was verified");
    drop(cuda);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn where_a_device_multiplies_wrongly_the_processor_makes_the_parameters() {
    let session = begin(without_products);
    let circuit = Squares {
        start: 3,
        n: 1 << 16,
    };
    let auto = Prover::builder().build().expect("auto");
    let shape = auto.shape(circuit).expect("sound");
    auto.setup(&shape, |_| ()).expect("parameters");
    let report = auto.last_report().expect("kept");
    let products = report.phase(Phase::FixedBase).expect("it occurred");
    // On the device, and then where the last word of a report is.
    assert_eq!((report.backend.as_str(), products.calls), ("cpu", 2));
    let asked_for = Prover::builder().backend(Backend::Cuda).build();
    let asked_for = asked_for.expect("it proves well");
    let shape = auto.shape(Squares { start: 3, n: 9 }).expect("sound");
    let error = asked_for.setup(&shape, |_| ()).expect_err("wrong points");
    let Error::Setup(SetupError::Backend { phase, source }) = &error else {
        panic!("{error}");
    };
    assert_eq!(*phase, Phase::FixedBase);
    assert!(source.to_string().ends_with("is wrong"), "{source}");
    drop((auto, asked_for));
    assert_eq!(session.leaks(), Default::default());
}
