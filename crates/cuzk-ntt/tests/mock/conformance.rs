//! Results, by the kernels as compiled for the host.

use cuzk_testkit::{ntt_conformance, quotient_conformance, vector_conformance};

use crate::backend::DeviceNtt;
use crate::{cases, one};

#[test]
fn transforms_conform() {
    let (_session, device) = one();
    let machine = DeviceNtt::new(&device);
    vector_conformance(&machine);
    ntt_conformance(&machine, 0..=12);
}

#[test]
fn quotients_conform_without_a_permutation_between_their_transforms() {
    let (_session, device) = one();
    quotient_conformance(&DeviceNtt::new(&device), [0, 1, 2, 3, 7, 11]);
}

#[test]
fn every_order_agrees_with_the_cpu_at_small_sizes() {
    let (_session, device) = one();
    let machine = DeviceNtt::new(&device);
    // From the largest: the smaller ones share its table.
    for log_n in (0..=13).rev() {
        cases::every_order_agrees_with_the_cpu(&machine, log_n);
    }
}

#[test]
fn the_coset_is_reached_without_a_permutation() {
    let (_session, device) = one();
    let machine = DeviceNtt::new(&device);
    for log_n in [0, 1, 5, 11] {
        cases::values_on_the_coset_are_those_of_two_transforms(&machine, log_n);
    }
}

#[test]
fn every_cut_gives_the_same_result() {
    let (_session, device) = one();
    let cuts: [&[u32]; 6] = [
        &[3, 8],
        &[8, 3],
        &[1, 10],
        &[10, 1],
        &[2, 4, 5],
        &[5, 2, 2, 2],
    ];
    cases::every_cut_gives_the_same(&DeviceNtt::new(&device), &cuts);
}
