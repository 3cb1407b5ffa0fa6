//! Against the stand-in for the driver, on which the kernels run as compiled for the host.

#[path = "../shared/backend.rs"]
mod backend;
#[path = "../shared/cases.rs"]
mod cases;
#[path = "../shared/inputs.rs"]
mod inputs;
#[path = "../shared/oracle.rs"]
mod oracle;

mod conformance;
mod faults;
mod use_of_memory;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_kernel_host::launch_ntt;
use cuzk_mock_driver::{Launch, MockDevice, Session, session};

/// The kernels, in the order of their rows.
const KERNELS: [&str; 6] = [
    "cuzk_ntt_frequency_fr",
    "cuzk_ntt_time_fr",
    "cuzk_ntt_reverse_fr",
    "cuzk_ntt_multiply_fr",
    "cuzk_ntt_twiddle_top_fr",
    "cuzk_ntt_twiddle_level_fr",
];

/// A session whose devices run the kernels.
fn devices(count: u8) -> Session {
    let device = |i| MockDevice {
        uuid: [i + 1; 16],
        ..MockDevice::default()
    };
    let session = session((0..count).map(device).collect());
    for symbol in KERNELS {
        session.define(symbol, |launch: &Launch| {
            let threads = u64::from(launch.grid[0]) * u64::from(launch.block[0]);
            // SAFETY: the structure's size was compared with the kernel's, and memory of the
            // stand-in is host memory in words of 16 bytes.
            unsafe { launch_ntt(&launch.symbol, threads, &launch.params) };
        });
    }
    session
}

fn open(index: u32) -> Device {
    let options = DeviceOptions::default();
    Device::open(&DeviceSelector::Index(index), &options).expect("the stand-in has it")
}

fn one() -> (Session, Device) {
    let session = devices(1);
    let device = open(0);
    (session, device)
}
