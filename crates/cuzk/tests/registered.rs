//! The switch `host-memory` with a device, on a stand-in for the driver.
#![cfg(feature = "cuda")]

#[path = "shared/squares.rs"]
mod squares;

use cuzk::{
    Backend, Blinding, Check, Fr, Parameters, Prover, ReadOptions, Timeline, Tuning,
    layers::hostmem::LockOutcome,
};
use cuzk_kernel_host::run_kernel;
use cuzk_mock_driver::{Launch, MockDevice, session};
use squares::Squares;

fn run(launch: &Launch) {
    let (blocks, threads) = (launch.grid[0], launch.block[0]);
    // SAFETY: the structure's size was compared with the kernel's, the stand-in's device memory
    // is host memory in words of 16 bytes, and the library answers for the rest.
    unsafe { run_kernel(&launch.symbol, blocks, threads, &launch.params) };
}

fn is_locked(parameters: &Parameters) -> bool {
    matches!(parameters.h.memory().outcome(), LockOutcome::Locked)
}

#[test]
fn registered_parameters_are_registered_with_the_device_and_released_once() {
    let session = session(vec![MockDevice::default()]);
    for module in cuzk_kernels::modules() {
        for entry in module.entry_points {
            session.define(entry.symbol, run);
        }
    }
    let circuit = Squares { start: 5, n: 30 };
    let mut bytes = Vec::new();
    {
        let cpu = Prover::builder()
            .backend(Backend::Cpu)
            .build()
            .expect("cpu");
        let shape = cpu.shape(circuit).expect("sound");
        let parameters = cpu.setup(&shape, |_| ()).expect("parameters");
        parameters.write(&mut bytes).expect("memory");
    }
    let options = ReadOptions {
        check: Check::OnCurve,
        ..ReadOptions::default()
    };
    let registrations = |name: &str| {
        let calls = session.calls();
        calls.iter().filter(|call| call.contains(name)).count()
    };
    let prove = |host_memory: &str| {
        let mut tuning = Tuning::new();
        tuning.set("host-memory", host_memory).expect(host_memory);
        let builder = Prover::builder().backend(Backend::Cuda).tuning(tuning);
        let prover = builder.build().expect("the device passes its trial");
        let timeline = Timeline::start();
        let loaded = prover.load_bytes(&bytes, &options, &timeline);
        let parameters = loaded.expect("sound").parameters;
        let compiled = prover.compile(circuit, &parameters).expect("the key");
        let blinding = Blinding::fixed(Fr::from(11), Fr::from(12));
        let proved = compiled.prove_timed(circuit, &blinding, &timeline);
        (proved.expect("satisfied"), is_locked(&parameters))
    };
    let (expected, locked) = prove("pageable");
    assert!(!locked);
    assert_eq!(registrations("cuMemHostRegister"), 0);
    let (proved, locked) = prove("registered");
    assert!(locked);
    assert_eq!(proved, expected);
    // The five queries; all are gone again.
    assert_eq!(registrations("cuMemHostRegister"), 5);
    assert_eq!(registrations("cuMemHostUnregister"), 5);
    // Buffers that are copied once, and are small, are not worth it.
    for host_memory in ["staged", "auto"] {
        assert_eq!(prove(host_memory), (expected.clone(), false));
    }
    assert_eq!(registrations("cuMemHostRegister"), 5);
}
