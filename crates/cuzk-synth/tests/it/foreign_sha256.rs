//! A chain of SHA-256 in the gadgets of `bellpepper`.

use bellpepper::gadgets::boolean::{AllocatedBit, Boolean};
use bellpepper::gadgets::multipack;
use bellpepper::gadgets::sha256::sha256;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_curve::Fr;

/// Hashes 32 bytes again and again; every hash takes one compression, padding included.
#[derive(Debug, Clone)]
pub(crate) struct ForeignSha256 {
    hashes: usize,
}

impl ForeignSha256 {
    pub(crate) fn new(hashes: usize) -> Self {
        Self { hashes }
    }
}

impl Circuit<Fr> for ForeignSha256 {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut bits = Vec::with_capacity(256);
        for i in 0..256 {
            let bit = AllocatedBit::alloc(cs.namespace(|| format!("bit {i}")), Some(i % 3 == 0))?;
            bits.push(Boolean::from(bit));
        }
        for i in 0..self.hashes {
            bits = sha256(cs.namespace(|| format!("hash {i}")), &bits)?;
        }
        multipack::pack_into_inputs(cs.namespace(|| "state"), &bits)
    }
}
