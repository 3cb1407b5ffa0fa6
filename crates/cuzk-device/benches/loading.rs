//! How long each file of kernels takes to load, once: a first load compiles it for the device, a
//! later one finds that in the driver's cache.
//!
//! `CUDA_CACHE_PATH` says where that cache is: the first run on an empty folder is a first load
//! of everything, the second run a second one.

use std::time::Instant;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};

#[expect(clippy::print_stdout, reason = "the result of a measurement")]
fn main() {
    let start = Instant::now();
    let device =
        Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a CUDA device");
    println!("opening the device: {:.1} ms", milliseconds(start));
    let start = Instant::now();
    for source in cuzk_kernels::modules() {
        let start = Instant::now();
        let module = device.load(source).expect("the module loads");
        let milliseconds = milliseconds(start);
        println!(
            "{}: {milliseconds:.1} ms, {} bytes",
            source.name,
            source.ptx.len()
        );
        drop(module);
    }
    println!("all modules: {:.1} ms", milliseconds(start));
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
