//! On a real device, by `cargo xtask test-gpu`.

#[path = "../shared/machine.rs"]
mod machine;

mod memory;
mod small;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};

fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}
