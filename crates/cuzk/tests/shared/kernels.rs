use cuzk_kernel_host::run_kernel;
use cuzk_mock_driver::{Launch, MockDevice, Session, session};

/// Runs the kernel as compiled for the host.
pub(crate) fn run(launch: &Launch) {
    let (blocks, threads) = (launch.grid[0], launch.block[0]);
    // SAFETY: the structure's size was compared with the kernel's, the stand-in's device memory
    // is host memory in words of 16 bytes, and the library answers for the rest.
    unsafe { run_kernel(&launch.symbol, blocks, threads, &launch.params) };
}

/// These devices, whose kernels are all this one.
pub(crate) fn begin_with(kernel: fn(&Launch), devices: Vec<MockDevice>) -> Session {
    let session = session(devices);
    for module in cuzk_kernels::modules() {
        for entry in module.entry_points {
            session.define(entry.symbol, kernel);
        }
    }
    session
}
