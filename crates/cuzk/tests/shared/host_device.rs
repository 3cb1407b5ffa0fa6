#[path = "kernels.rs"]
mod kernels;

use cuzk_mock_driver::{Launch, MockDevice, Session};

pub(crate) use kernels::run;

/// Leaves the result of every sum of points as it was.
pub(crate) fn broken(launch: &Launch) {
    if !launch.symbol.starts_with("cuzk_msm_finish") {
        run(launch);
    }
}

/// One device, whose kernels are all this one.
pub(crate) fn begin(kernel: fn(&Launch)) -> Session {
    kernels::begin_with(kernel, vec![MockDevice::default()])
}
