//! What a sanitizer can bear.

use cuzk_curve::{G1, G2};
use cuzk_device::Timing;
use cuzk_kernel_host::{check_curves, check_fields};

use crate::machine::DeviceMachine;
use crate::open;

const CASES: usize = 10_000;

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
    let sources: Vec<_> = cuzk_kernels::modules().iter().collect();
    let modules = device.load_all(&sources).expect("the modules load");
    for (source, module) in sources.into_iter().zip(modules) {
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
