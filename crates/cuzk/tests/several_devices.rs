//! Two devices as one machine: who proves what, in which order it comes back, and what happens
//! where one fails; on a stand-in for the driver that runs the kernels as compiled for the host.
#![cfg(feature = "cuda")]

#[path = "shared/kernels.rs"]
mod kernels;
#[path = "shared/squares.rs"]
mod squares;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
};

use cuzk::{
    Backend, Blinding, Compiled, DeviceOptions, DeviceSelector, Devices, Error, Fr, Parameters,
    Pipeline, PipelineOptions, ProveError, Proved, Prover, Shape, Timeline,
};
use cuzk_mock_driver::{MockDevice, Session};
use kernels::{begin_with, run};
use squares::Squares;

/// What a driver does not forget.
const ILLEGAL_ADDRESS: i32 = 700;

const OUT_OF_MEMORY: i32 = 2;

fn device(i: u8) -> MockDevice {
    MockDevice {
        name: format!("Mock {i}"),
        uuid: [0x10 + i; 16],
        ..MockDevice::default()
    }
}

fn two_devices() -> Session {
    begin_with(run, vec![device(0), device(1)])
}

fn set_up(circuit: Squares) -> (Arc<Shape>, Parameters) {
    let cpu = Prover::builder().backend(Backend::Cpu).build();
    let cpu = cpu.expect("the processor");
    let shape = cpu.shape(circuit).expect("sound");
    let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
    (Arc::new(shape), parameters)
}

fn on(devices: Devices) -> Result<Prover, Error> {
    Prover::builder()
        .backend(Backend::Cuda)
        .devices(devices, DeviceOptions::default())
        .build()
}

fn on_all() -> Prover {
    on(Devices::All).expect("both pass their trial")
}

fn last_of(circuit: Squares) -> Fr {
    (0..circuit.n).fold(Fr::from(circuit.start), |value, _| value * value)
}

fn check(compiled: &Compiled, circuit: Squares, proved: &Proved) {
    assert_eq!(proved.public_inputs, [last_of(circuit)]);
    compiled
        .verify(&proved.proof, &proved.public_inputs)
        .expect("it verifies");
}

/// Launches on each device.
fn launches(session: &Session) -> [usize; 2] {
    let launches = session.launches();
    [0, 1].map(|i| launches.iter().filter(|launch| launch.device == i).count())
}

#[test]
fn twenty_proofs_of_different_circuits_at_once_are_those_of_the_processor() {
    let session = two_devices();
    let prover = on_all();
    let cpu = Prover::builder().backend(Backend::Cpu).build();
    let cpu = cpu.expect("the processor");
    let devices = Mutex::new(BTreeMap::<String, usize>::new());
    thread::scope(|scope| {
        for i in 0..20u64 {
            let (prover, cpu, devices) = (&prover, &cpu, &devices);
            scope.spawn(move || {
                let n = 1 + usize::try_from(i).expect("small");
                let circuit = Squares { start: 2 + i, n };
                let (shape, parameters) = set_up(circuit);
                let blinding = Blinding::fixed(Fr::from(i), Fr::from(50 + i));
                let prove = |prover: &Prover| {
                    let timeline = Timeline::start();
                    let compiled = prover.prepare(shape.clone(), &parameters, &timeline);
                    let compiled = compiled.expect("memory");
                    let timeline = Timeline::start();
                    let proved = compiled.prove_timed(circuit, &blinding, &timeline);
                    (proved.expect("a verified proof"), timeline.finish().device)
                };
                let (got, device) = prove(prover);
                assert_eq!(got, prove(cpu).0);
                let mut devices = devices.lock().expect("no panic");
                *devices.entry(device).or_default() += 1;
            });
        }
    });
    let devices = devices.into_inner().expect("no panic");
    assert_eq!(devices.values().sum::<usize>(), 20, "{devices:?}");
    // Keys go to the device with fewer of them, and a proof to an idle one that has the key.
    assert_eq!(devices.len(), 2, "{devices:?}");
    drop(prover);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn first_proofs_at_once_in_a_small_pool_do_not_wait_for_each_other() {
    let session = two_devices();
    let prover = Prover::builder()
        .backend(Backend::Cuda)
        .devices(Devices::All, DeviceOptions::default())
        .threads(2)
        .build()
        .expect("both pass their trial");
    let circuit = Squares { start: 3, n: 5 };
    let (_, parameters) = set_up(circuit);
    for _ in 0..3 {
        let compiled = prover.compile(circuit, &parameters).expect("memory");
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let proved = compiled.prove(circuit).expect("satisfied");
                    check(&compiled, circuit, &proved);
                });
            }
        });
    }
    drop(prover);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_batch_is_spread_and_comes_back_in_order() {
    let session = two_devices();
    let circuit = Squares { start: 3, n: 12 };
    let (_, parameters) = set_up(circuit);
    let prover = on_all();
    let compiled = prover.compile(circuit, &parameters).expect("memory");
    let circuits: Vec<_> = (0..12)
        .map(|i| Squares {
            start: 3 + i,
            n: 12 + usize::from(i == 5),
        })
        .collect();
    let before = launches(&session);
    let proofs = compiled.prove_batch(circuits.clone()).expect("it goes on");
    let after = launches(&session);
    for (i, (circuit, proof)) in circuits.into_iter().zip(&proofs).enumerate() {
        match proof {
            Ok(proved) => check(&compiled, circuit, proved),
            Err(Error::Prove(ProveError::WitnessMismatch { .. })) => assert_eq!(i, 5),
            Err(error) => panic!("{i}: {error:?}"),
        }
    }
    assert!(proofs[5].is_err());
    for i in [0, 1] {
        assert!(after[i] > before[i], "device {i} did nothing");
    }
    let device = prover.last_report().expect("kept").device;
    assert!(
        device.contains("Mock 0") && device.contains("Mock 1"),
        "{device}"
    );
    drop((compiled, prover));
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn a_pipeline_uses_both_devices_with_the_bytes_of_one() {
    let session = two_devices();
    let circuits = [4, 9].map(|n| Squares { start: 2, n });
    let keys = circuits.map(set_up);
    let proofs = |devices| {
        let prover = on(devices).expect("they pass their trial");
        let compiled = [0, 1].map(|i| {
            let compiled = prover.compile(circuits[i], &keys[i].1);
            Arc::new(compiled.expect("memory"))
        });
        let pipeline = Pipeline::new(PipelineOptions::default()).expect("threads");
        let before = launches(&session);
        let submit = |i: usize| {
            let blinding = Blinding::fixed(Fr::from(i as u64), Fr::from(7));
            let ticket = pipeline.submit_blinded(&compiled[i % 2], circuits[i % 2], blinding);
            ticket.expect("room")
        };
        let tickets: Vec<_> = (0..8).map(submit).collect();
        let finished = tickets.into_iter().map(|ticket| ticket.wait());
        let proofs: Vec<_> = finished.map(|f| f.expect("a proof").proved).collect();
        assert_eq!(pipeline.status().witness_bytes, 0);
        let after = launches(&session);
        (proofs, [0, 1].map(|i| after[i] > before[i]))
    };
    let (both, used) = proofs(Devices::All);
    assert_eq!(used, [true, true]);
    let (second, used) = proofs(DeviceSelector::Index(1).into());
    assert_eq!(used, [false, true]);
    assert_eq!(both, second);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn what_a_lost_device_leaves_another_proves() {
    let session = two_devices();
    let circuit = Squares { start: 3, n: 10 };
    let (_, parameters) = set_up(circuit);
    let prover = on_all();
    let compiled = Arc::new(prover.compile(circuit, &parameters).expect("memory"));
    let batch = || {
        let circuits: Vec<_> = (0..6).map(|start| Squares { start, n: 10 }).collect();
        let proofs = compiled.prove_batch(circuits.clone()).expect("it goes on");
        for (circuit, proof) in circuits.into_iter().zip(proofs) {
            check(&compiled, circuit, &proof.expect("the other device"));
        }
    };
    batch();
    for lost in [0, 1] {
        // In the midst of its work, and before the next.
        session.fail_on(lost, "cuLaunchKernel", 40, ILLEGAL_ADDRESS);
        batch();
        session.lose(lost, ILLEGAL_ADDRESS);
        batch();
        compiled.prove(circuit).expect("the other device");
        let report = prover.last_report().expect("kept");
        let other = format!("Mock {}", 1 - lost);
        assert!(report.device.contains(&other), "{}", report.device);
        let pipeline = Pipeline::new(PipelineOptions::default()).expect("threads");
        let submit = |_| pipeline.submit(&compiled, circuit).expect("room");
        for ticket in (0..3).map(submit).collect::<Vec<_>>() {
            check(
                &compiled,
                circuit,
                &ticket.wait().expect("the other").proved,
            );
        }
        session.mend();
        batch();
    }
    for lost in [0, 1] {
        session.lose(lost, ILLEGAL_ADDRESS);
    }
    let refused = compiled.prove(circuit).expect_err("no device is left");
    assert!(
        matches!(refused, Error::Prove(ProveError::Backend { .. })),
        "{refused:?}"
    );
    let proofs = compiled.prove_batch(vec![circuit; 4]).expect("it goes on");
    for proof in proofs {
        let is_typed = matches!(proof, Err(Error::Prove(ProveError::Backend { .. })));
        assert!(is_typed, "{proof:?}");
    }
    session.mend();
    batch();
}

#[test]
fn a_device_that_has_no_memory_left_leaves_the_key_to_the_other() {
    let circuit = Squares { start: 3, n: 10 };
    let (_, parameters) = set_up(circuit);
    for full in [0, 1] {
        let session = two_devices();
        let prover = on_all();
        for _ in 0..500 {
            session.fail_on(full, "cuMemAllocFromPoolAsync", 0, OUT_OF_MEMORY);
        }
        let compiled = prover.compile(circuit, &parameters).expect("one has room");
        let proofs = compiled.prove_batch(vec![circuit; 4]).expect("it goes on");
        for proof in proofs {
            check(&compiled, circuit, &proof.expect("one has room"));
        }
        compiled.prove(circuit).expect("one has room");
        let report = prover.last_report().expect("kept");
        let other = format!("Mock {}", 1 - full);
        assert!(report.device.contains(&other), "{}", report.device);
        drop((compiled, prover));
        assert_eq!(session.leaks(), Default::default());
    }
}

#[test]
fn devices_are_chosen_by_index_and_uuid_each_once() {
    let session = two_devices();
    let parse = |text: &str| text.parse::<Devices>().expect("a list");
    for (text, names) in [
        ("0", &["Mock 0"][..]),
        ("1", &["Mock 1"]),
        ("GPU-1111", &["Mock 1"]),
        ("1,GPU-1010", &["Mock 1", "Mock 0"]),
        ("all", &["Mock 0", "Mock 1"]),
    ] {
        let prover = on(parse(text)).expect("they pass their trial");
        let timeline = Timeline::start();
        prover.name_device(&timeline);
        let device = timeline.finish().device;
        let places: Vec<_> = names.iter().map(|name| device.find(name)).collect();
        assert!(
            places.is_sorted() && places[0].is_some(),
            "{text}: {device}"
        );
        assert_eq!(device.matches("Mock").count(), names.len(), "{device}");
    }
    match on(parse("1,GPU-1111")) {
        Err(Error::DeviceTwice { uuid }) => assert!(uuid.starts_with("GPU-1111"), "{uuid}"),
        other => panic!("{other:?}"),
    }
    for unknown in ["0,2", "GPU-12"] {
        let refused = on(parse(unknown)).expect_err("no such device");
        assert!(matches!(refused, Error::Cuda(_)), "{refused:?}");
    }
    let refused = on(Devices::These(Vec::new())).expect_err("none is asked for");
    assert!(matches!(refused, Error::NoDevices), "{refused:?}");
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn auto_goes_on_with_the_devices_that_pass() {
    let large = Squares {
        start: 3,
        n: 1 << 9,
    };
    let (_, parameters) = set_up(large);
    let session = two_devices();
    session.lose(0, ILLEGAL_ADDRESS);
    let prover = Prover::builder()
        .devices(Devices::All, DeviceOptions::default())
        .build()
        .expect("auto");
    prover.compile(large, &parameters).expect("one passes");
    let report = prover.last_report().expect("kept");
    assert_eq!(report.backend, "cuda");
    assert!(!report.device.contains("Mock 0"), "{}", report.device);
    // Who asks for them is told.
    assert!(on(Devices::All).is_err());
    drop(prover);
    session.mend();
}
