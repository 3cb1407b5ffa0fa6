//! The feature `cuda` on a machine without an NVIDIA driver: everything runs on the processor, and
//! who asks for the device is told what is missing.
#![cfg(feature = "cuda")]

#[path = "shared/squares.rs"]
mod squares;

use cuzk::{Backend, Error, Prover};
use squares::Squares;

#[test]
fn auto_proves_on_the_processor_and_cuda_says_what_is_missing() {
    // Where this machine has a driver, the other half of the feature's tests speaks.
    let refused = match Prover::builder().backend(Backend::Cuda).build() {
        Err(error) => error,
        Ok(_) => return,
    };
    assert!(matches!(refused, Error::Cuda(_)), "{refused}");
    assert_eq!(refused.to_string(), "the CUDA device cannot be used");
    let prover = Prover::builder().build().expect("no device is needed");
    // Enough rows for a device, if there were one.
    let circuit = Squares {
        start: 3,
        n: 1 << 8,
    };
    let shape = prover.shape(circuit).expect("sound");
    let parameters = prover.setup(&shape, |_| ()).expect("parameters");
    let compiled = prover.compile(circuit, &parameters).expect("the key");
    compiled.prove(circuit).expect("a proof");
    assert_eq!(prover.last_report().expect("kept").backend, "cpu");
}
