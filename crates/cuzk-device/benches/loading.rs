//! How long the kernels take to load: all that a proof needs at once (with `--all` all that there
//! are), then all, then all once more, and each file alone.
//!
//! A first load compiles for the device, a later one finds that in the driver's cache.
//! `CUDA_CACHE_PATH` says where that cache is: the first run on an empty folder shows a first
//! start, the second run a second one.

use std::time::Instant;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};

#[expect(clippy::print_stdout, reason = "the result of a measurement")]
fn main() {
    let start = Instant::now();
    let device =
        Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a CUDA device");
    println!("opening the device: {:.1} ms", milliseconds(start));
    // Those that a backend loads when it is opened.
    let is_needed = |m: &&cuzk_kernels::Module| {
        !m.is_for_tests() && m.name != "fold_g1" && !m.name.starts_with("msm_fixed_")
    };
    let modules = cuzk_kernels::modules();
    let all: Vec<_> = modules.iter().collect();
    let of_a_proof: Vec<_> = modules.iter().filter(is_needed).collect();
    let first = if std::env::args().any(|argument| argument == "--all") {
        ("at once", &all)
    } else {
        ("of a proof", &of_a_proof)
    };
    let sets = [first, ("with those of tests", &all), ("once more", &all)];
    for (what, sources) in sets {
        let start = Instant::now();
        let loaded = device.load_all(sources).expect("the modules load");
        let milliseconds = milliseconds(start);
        println!("{} modules, {what}: {milliseconds:.1} ms", loaded.len());
    }
    for source in modules {
        let start = Instant::now();
        let module = device.load(source).expect("the module loads");
        let milliseconds = milliseconds(start);
        let bytes = source.ptx.len();
        println!("{}: {milliseconds:.1} ms, {bytes} bytes", module.name());
    }
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
