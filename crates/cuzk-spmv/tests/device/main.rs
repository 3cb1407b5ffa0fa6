//! On a real device, by `cargo xtask test-gpu`.

#[path = "../shared/suite.rs"]
mod suite;

mod small;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_spmv::SpmvEngine;

fn open() -> Device {
    Device::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_million_rows_are_the_definition() {
    let device = open();
    let engine = SpmvEngine::open(&device).expect("the kernels load");
    let stream = device.new_stream().expect("a stream");
    let columns = (1 << 20) - 5;
    for (seed, mix) in suite::MIXES.into_iter().enumerate() {
        let rng = &mut suite::rng(20 + seed as u64);
        // Of a circuit's lengths, and some rows over half of all columns.
        let lengths = (0..1 << 20).map(|i: usize| match i % 8192 {
            4000 => 700,
            8000 if i < 1 << 15 => columns / 40,
            k => [0, 1, 1, 3, 1, 9, 2, 1][k % 8],
        });
        let matrix = suite::random_matrix(rng, lengths, columns, 1000);
        let witness = suite::random_witness(rng, columns, mix);
        let name = format!("2^20 rows, mix {mix:?}");
        suite::check(&engine, &stream, &matrix, &witness, 1 << 21, &name);
    }
}
