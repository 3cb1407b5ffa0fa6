//! Small enough for a sanitizer: every method of the backend, and proofs.

use cuzk_curve::{G1, G2};
use cuzk_testkit::{
    evaluate_conformance, fixed_base_conformance, msm_conformance, quotient_conformance,
    vector_conformance, witness_msm_conformance,
};

use crate::{cuda, proofs};

#[test]
#[ignore = "needs a CUDA device"]
fn every_method_conforms() {
    let cuda = cuda();
    vector_conformance(&cuda);
    quotient_conformance(&cuda, 0..=6);
    evaluate_conformance(&cuda, [0, 1, 7, 100]);
    msm_conformance::<G1, _>(&cuda, [0, 1, 33]);
    msm_conformance::<G2, _>(&cuda, [1, 33]);
    fixed_base_conformance::<G1, _>(&cuda, [0, 33]);
    fixed_base_conformance::<G2, _>(&cuda, [3]);
    witness_msm_conformance::<G1, _>(&cuda, [1, 65]);
    witness_msm_conformance::<G2, _>(&cuda, [65]);
}

#[test]
#[ignore = "needs a CUDA device"]
fn proofs_have_the_bytes_of_the_cpu() {
    proofs::random_circuits_have_the_bytes_of_the_cpu(&cuda(), &[1, 100, 1000]);
}
