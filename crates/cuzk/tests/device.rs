//! Every CUDA device that is there, as one machine; each test says how many it used.

#[path = "shared/squares.rs"]
mod squares;

use std::{
    sync::{Arc, Mutex},
    thread,
};

use cuzk::{
    Backend, Blinding, DeviceOptions, Devices, Fr, Parameters, Pipeline, PipelineOptions, Proved,
    Prover, Shape, Timeline, layers::device::devices,
};
use squares::Squares;

fn on_all() -> Prover {
    let prover = Prover::builder()
        .backend(Backend::Cuda)
        .devices(Devices::All, DeviceOptions::default())
        .build();
    prover.expect("every device passes its trial")
}

fn on_the_processor() -> Prover {
    let prover = Prover::builder().backend(Backend::Cpu).build();
    prover.expect("the processor")
}

fn set_up(circuit: Squares) -> (Arc<Shape>, Parameters) {
    let cpu = on_the_processor();
    let shape = cpu.shape(circuit).expect("sound");
    let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
    (Arc::new(shape), parameters)
}

fn prove(
    prover: &Prover,
    circuit: Squares,
    key: &(Arc<Shape>, Parameters),
    blinding: &Blinding,
) -> Proved {
    let timeline = Timeline::start();
    let compiled = prover.prepare(key.0.clone(), &key.1, &timeline);
    let proved = compiled
        .expect("memory")
        .prove_timed(circuit, blinding, &timeline);
    proved.expect("a verified proof")
}

fn tell(used: usize) {
    let there = devices().expect("a driver").len();
    eprintln!("used {used} of {there} devices");
    assert!((1..=there).contains(&used));
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_pipeline_on_all_devices_has_the_bytes_of_the_processor() {
    let circuits = [1 << 10, 3 << 10].map(|n| Squares { start: 3, n });
    let keys = circuits.map(set_up);
    let prover = on_all();
    let compiled = [0, 1].map(|i| {
        let compiled = prover.prepare(keys[i].0.clone(), &keys[i].1, &Timeline::start());
        Arc::new(compiled.expect("memory"))
    });
    let pipeline = Pipeline::new(PipelineOptions::default()).expect("threads");
    let blinding = |i: usize| Blinding::fixed(Fr::from(i as u64), Fr::from(7));
    let submit = |i: usize| {
        let ticket = pipeline.submit_blinded(&compiled[i % 2], circuits[i % 2], blinding(i));
        ticket.expect("room")
    };
    let tickets: Vec<_> = (0..32).map(submit).collect();
    let mut names: Vec<String> = Vec::new();
    let cpu = on_the_processor();
    for (i, ticket) in tickets.into_iter().enumerate() {
        let finished = ticket.wait().expect("a verified proof");
        if i < 4 {
            let expected = prove(&cpu, circuits[i % 2], &keys[i % 2], &blinding(i));
            assert_eq!(finished.proved, expected);
        }
        if !names.contains(&finished.report.device) {
            names.push(finished.report.device);
        }
    }
    assert_eq!(pipeline.status().witness_bytes, 0);
    tell(names.len());
}

#[test]
#[ignore = "needs a CUDA device"]
fn twenty_proofs_of_different_circuits_at_once_are_those_of_the_processor() {
    let (prover, cpu) = (on_all(), on_the_processor());
    let names = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for i in 0..20u64 {
            let (prover, cpu, names) = (&prover, &cpu, &names);
            scope.spawn(move || {
                let n = 100 + 37 * usize::try_from(i).expect("small");
                let circuit = Squares { start: 2 + i, n };
                let key = set_up(circuit);
                let blinding = Blinding::fixed(Fr::from(i), Fr::from(50 + i));
                let got = prove(prover, circuit, &key, &blinding);
                assert_eq!(got, prove(cpu, circuit, &key, &blinding));
                let timeline = Timeline::start();
                let compiled = prover.prepare(key.0, &key.1, &timeline).expect("memory");
                compiled
                    .prove_timed(circuit, &blinding, &timeline)
                    .expect("a verified proof");
                let device = timeline.finish().device;
                let mut names = names.lock().expect("no panic");
                if !names.contains(&device) {
                    names.push(device);
                }
            });
        }
    });
    tell(names.into_inner().expect("no panic").len());
}

/// Small enough for a sanitizer.
mod small {
    use super::*;

    #[test]
    #[ignore = "needs a CUDA device"]
    fn two_circuits_take_turns_on_a_device_and_have_the_bytes_of_the_processor() {
        let (prover, cpu) = (on_all(), on_the_processor());
        let circuits = [20, 70].map(|n| Squares { start: 3, n });
        let keys = circuits.map(set_up);
        for i in [0, 1, 0] {
            let blinding = Blinding::fixed(Fr::from(3), Fr::from(7));
            let got = prove(&prover, circuits[i], &keys[i], &blinding);
            assert_eq!(got, prove(&cpu, circuits[i], &keys[i], &blinding));
        }
    }
}
