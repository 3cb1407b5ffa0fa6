//! Against the stand-in for the driver: everything on the host's side.

#[path = "../shared/machine.rs"]
mod machine;

mod faults;
mod memory;
mod work;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_mock_driver::{MockDevice, Session, session};

fn one() -> (Session, Device) {
    let session = session(vec![MockDevice::default()]);
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    (session, device.expect("the stand-in has a device"))
}
