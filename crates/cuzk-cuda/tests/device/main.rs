//! On a real device, by `cargo xtask test-gpu`: the suites that every backend passes, and proofs
//! whose bytes are those of the CPU.

#[path = "../shared/proofs.rs"]
mod proofs;

mod small;

use cuzk_cuda::Cuda;
use cuzk_curve::{G1, G2};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_testkit::{
    MimcChain, Sha256Chain, evaluate_conformance, fixed_base_conformance, fold_inverse_conformance,
    fold_matrix_conformance, msm_conformance, ntt_conformance, product_conformance,
    quotient_conformance, vector_conformance, witness_msm_conformance,
};

fn cuda() -> Cuda {
    Cuda::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("a device")
}

#[test]
#[ignore = "needs a CUDA device"]
fn vectors_conform() {
    vector_conformance(&cuda());
}

#[test]
#[ignore = "needs a CUDA device"]
fn transforms_conform() {
    ntt_conformance(&cuda(), 0..=15);
}

#[test]
#[ignore = "needs a CUDA device"]
fn quotients_conform() {
    quotient_conformance(&cuda(), 0..=13);
    product_conformance(&cuda(), 0..=13);
}

#[test]
#[ignore = "needs a CUDA device"]
fn maps_folded_into_points_conform() {
    fold_inverse_conformance(&cuda(), 0..=7);
    fold_matrix_conformance(&cuda(), [0, 1, 2, 9, 70, 900]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn proofs_with_folded_keys_have_the_bytes_of_the_cpu() {
    proofs::folded_keys_have_the_bytes_of_the_cpu(&cuda(), &[1, 2, 31, 33, 1000]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn products_of_one_point_conform() {
    fixed_base_conformance::<G1, _>(&cuda(), [0, 1, 2, 300, 2000]);
    fixed_base_conformance::<G2, _>(&cuda(), [0, 1, 500]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn sparse_products_conform() {
    evaluate_conformance(&cuda(), [0, 1, 2, 3, 7, 8, 9, 100, 1000, 5000]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn sums_conform() {
    msm_conformance::<G1, _>(&cuda(), [0, 1, 2, 3, 31, 32, 33, 200, 3000]);
    msm_conformance::<G2, _>(&cuda(), [0, 1, 2, 33, 600]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn witness_sums_conform() {
    witness_msm_conformance::<G1, _>(&cuda(), [1, 2, 63, 64, 65, 500]);
    witness_msm_conformance::<G2, _>(&cuda(), [1, 2, 65]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn proofs_of_random_circuits_have_the_bytes_of_the_cpu() {
    let sizes = [1, 2, 3, 7, 31, 33, 100, 1000, 5000];
    proofs::random_circuits_have_the_bytes_of_the_cpu(&cuda(), &sizes);
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_batch_and_a_direct_pass_have_the_bytes_of_the_cpu() {
    proofs::a_batch_and_a_direct_pass_have_the_bytes_of_the_cpu(&cuda(), 3000);
}

#[test]
#[ignore = "needs a CUDA device"]
fn parameters_have_the_bytes_of_the_cpu() {
    proofs::parameters_have_the_bytes_of_the_cpu(&cuda(), &[1, 2, 33, 1000, 20_000]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn threads_that_share_a_device_have_the_bytes_of_the_cpu() {
    let (one, other) = (cuda(), cuda());
    proofs::concurrent_proofs_have_the_bytes_of_the_cpu(&[&one, &other], 20);
}

#[test]
#[ignore = "needs a CUDA device"]
fn chains_of_bits_and_of_full_values_have_the_bytes_of_the_cpu() {
    proofs::repeated_proofs_have_the_bytes_of_the_cpu(&cuda(), &Sha256Chain::new(1, 1));
    proofs::repeated_proofs_have_the_bytes_of_the_cpu(&cuda(), &MimcChain::new(1, 20_000));
}
