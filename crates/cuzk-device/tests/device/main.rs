//! On a real device, by `cargo xtask test-gpu`.

#[path = "../shared/machine.rs"]
mod machine;

use cuzk_curve::{G1, G2};
use cuzk_device::{Device, DeviceOptions, DeviceSelector, Timing};
use cuzk_kernel_host::{check_curves, check_fields};
use machine::DeviceMachine;

const CASES: usize = 10_000;

fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

#[test]
#[ignore = "needs a CUDA device"]
fn fields_agree_with_the_oracle() {
    check_fields(&DeviceMachine::new(&open()), CASES);
}

#[test]
#[ignore = "needs a CUDA device"]
fn g1_agrees_with_the_oracle() {
    check_curves::<G1>(&DeviceMachine::new(&open()), CASES);
}

#[test]
#[ignore = "needs a CUDA device"]
fn g2_agrees_with_the_oracle() {
    check_curves::<G2>(&DeviceMachine::new(&open()), CASES);
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_module_loads_and_every_kernel_fits_its_bounds() {
    let device = open();
    for source in cuzk_kernels::modules() {
        let module = device.load(source).expect("the module loads");
        for entry in source.entry_points {
            let blocks = module
                .resident_blocks(entry.symbol)
                .expect("the driver says");
            assert!(blocks >= entry.min_blocks, "{}: {blocks}", entry.symbol);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn memory_comes_back_when_buffers_are_dropped() {
    let device = open();
    let stream = device.new_stream().expect("a stream");
    let before = device.memory().expect("the driver says");
    for _ in 0..50 {
        let buffer = stream.alloc_zeroed::<u64>(1 << 22).expect("32 MiB");
        assert_eq!(buffer.len(), 1 << 22);
    }
    device.trim().expect("nothing failed");
    let after = device.memory().expect("the driver says");
    assert_eq!(after.used_bytes, 0);
    // The driver keeps its own granules.
    assert!(
        before.free_bytes - after.free_bytes < 64 << 20,
        "{before:?} {after:?}"
    );
}

#[test]
#[ignore = "needs a CUDA device"]
fn more_than_the_device_has_is_refused_with_numbers_and_later_work_goes_on() {
    let device = open();
    let stream = device.new_stream().expect("a stream");
    let error = stream
        .alloc::<u8>(1 << 46)
        .expect_err("no device has 64 TiB");
    assert!(
        matches!(error, cuzk_device::DeviceError::OutOfMemory { .. }),
        "{error}"
    );
    let values = [7u32; 1000];
    let buffer = stream.upload(&values).expect("small memory is there");
    assert_eq!(buffer.download().expect("a copy"), values);
}

#[test]
#[ignore = "needs a CUDA device"]
fn events_measure_and_order_streams() {
    let device = open();
    let (first, second) = (
        device.new_stream().expect("one"),
        device.new_stream().expect("two"),
    );
    let start = device.new_event(Timing::Enabled).expect("an event");
    let end = device.new_event(Timing::Enabled).expect("an event");
    first.record(&start).expect("recorded");
    let mut buffer = first.alloc_zeroed::<u8>(1 << 28).expect("256 MiB");
    buffer.move_to(&second).expect("moved");
    buffer.as_mut_slice().zero(&second).expect("cleared");
    second.record(&end).expect("recorded");
    end.synchronize().expect("reached");
    assert!(end.is_reached().expect("the driver says"));
    assert!(!end.elapsed_since(&start).expect("measured").is_zero());
}
