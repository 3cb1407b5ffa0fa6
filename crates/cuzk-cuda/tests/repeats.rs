//! Memory from proof to proof, counted byte by byte, against the stand-in for the driver.

#[path = "shared/counting.rs"]
mod counting;
#[path = "shared/proofs.rs"]
#[expect(dead_code, reason = "the other tests' part of it")]
mod proofs;
#[path = "shared/repeats.rs"]
mod repeats;

use cuzk_cuda::Cuda;
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_kernel_host::run_kernel;
use cuzk_mock_driver::{Launch, MockDevice, session};
use cuzk_testkit::RandomSystem;
use proofs::Case;

#[global_allocator]
static COUNTING: counting::Counting = counting::Counting;

fn run(launch: &Launch) {
    let (blocks, threads) = (launch.grid[0], launch.block[0]);
    // SAFETY: the structure's size was compared with the kernel's, the stand-in's device memory
    // is host memory in words of 16 bytes, and the code under test answers for the rest.
    unsafe { run_kernel(&launch.symbol, blocks, threads, &launch.params) };
}

#[test]
fn two_hundred_proofs_hold_no_more_than_three() {
    let session = session(vec![MockDevice::default()]);
    for module in cuzk_kernels::modules() {
        for entry in module.entry_points {
            session.define(entry.symbol, run);
        }
    }
    {
        let case = Case::of(&RandomSystem::new(5, 7).with_bits_percent(50).program());
        let cuda = Cuda::open(&DeviceSelector::default(), &DeviceOptions::default());
        let cuda = cuda.expect("the stand-in");
        let forget = || session.forget();
        repeats::two_hundred_proofs_hold_no_more_than_three(&cuda, &case, &forget);
    }
    assert_eq!(session.leaks(), Default::default());
}
