//! The host's side against the stand-in for the driver, with the kernels compiled for the host.

#[path = "../shared/suite.rs"]
mod suite;

mod faults;
mod prop;
mod refusals;

use cuzk_device::{Device, DeviceOptions, DeviceSelector};
use cuzk_kernel_host::spmv_kernel;
use cuzk_mock_driver::{Launch, MockDevice, Session, session};

const KERNELS: [&str; 8] = [
    "cuzk_spmv_multiply_fr",
    "cuzk_spmv_multiply_wide_fr",
    "cuzk_spmv_join_fr",
    "cuzk_spmv_count_fr",
    "cuzk_spmv_scan_fr",
    "cuzk_spmv_rank_fr",
    "cuzk_spmv_small_fr",
    "cuzk_spmv_expand_fr",
];

fn on_host(launch: &Launch) {
    let threads = u64::from(launch.grid[0]) * u64::from(launch.block[0]);
    // SAFETY: the stand-in's device memory is host memory at multiples of 16, and the parameters
    // are those with which the kernel would run on a device.
    unsafe { spmv_kernel(&launch.symbol, &launch.params, threads) };
}

/// A session in which every kernel of the product runs.
fn begin() -> Session {
    let session = session(vec![MockDevice::default()]);
    KERNELS
        .iter()
        .for_each(|symbol| session.define(symbol, on_host));
    session
}

fn open() -> Device {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default());
    device.expect("the stand-in has a device")
}

/// Runs a part of the suite and looks for leaks.
fn run(part: fn(&Device)) {
    let session = begin();
    let device = open();
    part(&device);
    drop(device);
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn rows_of_every_length_are_the_definition() {
    run(suite::edges);
}

#[test]
fn small_sizes_are_the_definition() {
    run(suite::small_sizes);
}

#[test]
fn a_dictionary_beyond_16_bits_is_the_definition() {
    run(suite::wide_dictionary);
}

#[test]
fn a_witness_is_expanded_and_its_parts_are_there() {
    run(suite::expansion);
}

#[test]
fn operands_may_be_on_other_streams_and_dropped_early() {
    run(suite::streams);
}

#[test]
fn every_kernel_of_the_file_has_its_host_twin() {
    let module = cuzk_kernels::module("spmv_fr").expect("compiled in");
    let mut symbols: Vec<&str> = module.entry_points.iter().map(|e| e.symbol).collect();
    let mut known = KERNELS;
    symbols.sort_unstable();
    known.sort_unstable();
    assert_eq!(symbols, known);
}
