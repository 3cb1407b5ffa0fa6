use bls12_381::Scalar;
use cuzk_synth::{Bellman, SynthesisError};
use sapling_crypto::circuit::{Output, Spend};

/// An unmodified circuit of `sapling-crypto`, with or without values.
///
/// Runs through the passes of `cuzk-synth` and, for comparison, through `bellman`.
#[derive(Debug, Clone)]
pub enum Instance {
    /// Of the Output circuit.
    Output(Box<Output>),
    /// Of the Spend circuit.
    Spend(Box<Spend>),
}

impl cuzk_synth::Circuit for Instance {
    fn synthesize<CS: cuzk_synth::ConstraintSystem>(
        self,
        cs: &mut CS,
    ) -> Result<(), SynthesisError> {
        match self {
            Self::Output(circuit) => Bellman::new(*circuit).synthesize(cs),
            Self::Spend(circuit) => Bellman::new(*circuit).synthesize(cs),
        }
    }
}

impl bellman::Circuit<Scalar> for Instance {
    fn synthesize<CS: bellman::ConstraintSystem<Scalar>>(
        self,
        cs: &mut CS,
    ) -> Result<(), bellman::SynthesisError> {
        match self {
            Self::Output(circuit) => circuit.synthesize(cs),
            Self::Spend(circuit) => circuit.synthesize(cs),
        }
    }
}
