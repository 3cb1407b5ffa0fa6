//! On a real device, by `cargo xtask test-gpu`.

#[path = "../shared/backend.rs"]
mod backend;
#[path = "../shared/cases.rs"]
mod cases;
#[path = "../shared/inputs.rs"]
mod inputs;
#[path = "../shared/oracle.rs"]
mod oracle;
#[path = "../shared/points.rs"]
mod points;

mod large;
mod small;

use cuzk_curve::Domain;
use cuzk_device::{Device, DeviceOptions, DeviceSelector};

fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

fn domain(log_n: u32) -> Domain {
    Domain::new(log_n).expect("a domain")
}
