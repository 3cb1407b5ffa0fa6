//! Sizes at which a sanitizer is done in seconds: one tile, several, one pass and two.
//!
//! `every_kernel_once` is the shortest run that launches all of them.

use cuzk_testkit::{ntt_conformance, quotient_conformance, vector_conformance};

use crate::backend::DeviceNtt;
use crate::{cases, open};

#[test]
#[ignore = "needs a CUDA device"]
fn transforms_conform() {
    let machine = DeviceNtt::new(&open());
    vector_conformance(&machine);
    ntt_conformance(&machine, [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn quotients_conform() {
    quotient_conformance(&DeviceNtt::new(&open()), [0, 1, 3, 8, 11]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_coset_is_reached_without_a_permutation() {
    let machine = DeviceNtt::new(&open());
    for log_n in [0, 3, 8, 11] {
        cases::values_on_the_coset_are_those_of_two_transforms(&machine, log_n);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_cut_gives_the_same_result() {
    let cuts: [&[u32]; 6] = [
        &[3, 8],
        &[8, 3],
        &[1, 10],
        &[10, 1],
        &[2, 4, 5],
        &[5, 2, 2, 2],
    ];
    cases::every_cut_gives_the_same(&DeviceNtt::new(&open()), &cuts);
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_kernel_once() {
    let machine = DeviceNtt::new(&open());
    cases::every_order_agrees_with_the_cpu(&machine, 11);
    cases::values_on_the_coset_are_those_of_two_transforms(&machine, 11);
}
