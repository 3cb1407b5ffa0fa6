//! Against the stand-in for the driver, on which the kernels run as compiled for the host: the
//! suites, whole proofs, failures of every call, and what is shared or short of memory.

#[path = "../shared/budgets.rs"]
mod budgets;
mod faults;
mod memory;
mod phases;
mod plans;
#[path = "../shared/proofs.rs"]
mod proofs;
mod several_keys;
mod sharing;
mod strategies;
mod whole_proofs;

use std::error::Error;

use cuzk_backend::{Msm, Ntt, Transform};
use cuzk_cuda::Cuda;
use cuzk_curve::{Domain, Fr, G1, G1Affine, G2};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_kernel_host::run_kernel;
use cuzk_mock_driver::{Launch, MockDevice, Session, session};
use cuzk_testkit::{
    MimcChain, evaluate_conformance, fixed_base_conformance, fold_inverse_conformance,
    fold_matrix_conformance, msm_conformance, ntt_conformance, product_conformance,
    quotient_conformance, vector_conformance, witness_msm_conformance,
};
use group::prime::PrimeCurveAffine;

/// A session whose device runs every kernel.
fn begin() -> Session {
    begin_with(vec![MockDevice::default()])
}

fn begin_with(devices: Vec<MockDevice>) -> Session {
    let session = session(devices);
    for module in cuzk_kernels::modules() {
        for entry in module.entry_points {
            session.define(entry.symbol, run);
        }
    }
    session
}

fn run(launch: &Launch) {
    let (blocks, threads) = (launch.grid[0], launch.block[0]);
    // SAFETY: the structure's size was compared with the kernel's, the stand-in's device memory
    // is host memory in words of 16 bytes, and the code under test answers for the rest.
    unsafe { run_kernel(&launch.symbol, blocks, threads, &launch.params) };
}

fn open() -> Cuda {
    Cuda::open(&DeviceSelector::default(), &DeviceOptions::default()).expect("the stand-in")
}

/// Whether an error says at its root that memory was short.
fn is_short(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // A transparent variant shows its content's source, and so the backend's own is asked.
        if let Some(cuda) = error.downcast_ref::<cuzk_cuda::CudaError>() {
            return cuda.is_memory();
        }
        cause = error.source();
    }
    false
}

/// Runs a suite, and looks for what it left behind.
fn with_cuda(suite: impl Fn(&Cuda)) {
    let session = begin();
    suite(&open());
    assert_eq!(session.leaks(), Default::default());
}

#[test]
fn vectors_conform() {
    with_cuda(vector_conformance);
}

#[test]
fn transforms_and_quotients_conform() {
    with_cuda(|cuda| ntt_conformance(cuda, 0..=6));
    with_cuda(|cuda| quotient_conformance(cuda, 0..=6));
    with_cuda(|cuda| product_conformance(cuda, 0..=6));
}

#[test]
fn maps_folded_into_points_conform() {
    with_cuda(|cuda| fold_inverse_conformance(cuda, 0..=4));
    with_cuda(|cuda| fold_matrix_conformance(cuda, [0, 1, 2, 9, 70]));
}

#[test]
fn products_of_one_point_conform() {
    with_cuda(|cuda| fixed_base_conformance::<G1, _>(cuda, [0, 1, 40]));
    with_cuda(|cuda| fixed_base_conformance::<G2, _>(cuda, [0, 3]));
}

#[test]
fn sparse_products_conform() {
    with_cuda(|cuda| evaluate_conformance(cuda, [0, 1, 2, 7, 33, 200]));
}

#[test]
fn sums_conform() {
    with_cuda(|cuda| msm_conformance::<G1, _>(cuda, [0, 1, 2, 33]));
    with_cuda(|cuda| msm_conformance::<G2, _>(cuda, [0, 1, 2]));
}

#[test]
fn witness_sums_conform() {
    with_cuda(|cuda| witness_msm_conformance::<G1, _>(cuda, [1, 2, 65]));
    with_cuda(|cuda| witness_msm_conformance::<G2, _>(cuda, [1, 2]));
}

#[test]
fn proofs_have_the_bytes_of_the_cpu() {
    with_cuda(|cuda| proofs::random_circuits_have_the_bytes_of_the_cpu(cuda, &[1, 3, 20]));
    with_cuda(|cuda| proofs::a_batch_and_a_direct_pass_have_the_bytes_of_the_cpu(cuda, 12));
    let chain = MimcChain::new(1, 40);
    with_cuda(|cuda| proofs::repeated_proofs_have_the_bytes_of_the_cpu(cuda, &chain));
    with_cuda(|cuda| proofs::folded_keys_have_the_bytes_of_the_cpu(cuda, &[1, 3, 20]));
}

#[test]
fn parameters_have_the_bytes_of_the_cpu() {
    with_cuda(|cuda| proofs::parameters_have_the_bytes_of_the_cpu(cuda, &[1, 2, 40]));
}

#[test]
fn lengths_that_disagree_are_named() {
    with_cuda(|cuda| {
        let bases = vec![G1Affine::generator(); 5].into();
        let bases = Msm::<G1>::prepare(cuda, bases).expect("memory");
        let upload = |n| cuzk_backend::Backend::upload(cuda, &vec![Fr::from(2); n]);
        let scalars = upload(4).expect("memory");
        let error = Msm::<G1>::msm(cuda, &bases, &scalars).expect_err("one too few");
        assert_eq!(
            error.to_string(),
            "scalars for the bases: expected 5, got 4"
        );
        let domain = Domain::new(3).expect("small");
        let error = cuda.transform(Transform::Inverse, &domain, scalars);
        let error = error.expect_err("four of eight");
        assert_eq!(
            error.to_string(),
            "values for the transform: expected 8, got 4"
        );
    });
}
