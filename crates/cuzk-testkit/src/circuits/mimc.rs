use cuzk_curve::Fr;
use cuzk_synth::{Circuit, ConstraintSystem, SynthesisError};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// Distinct round constants; further rounds use them again.
const CONSTANTS: usize = 322;

/// A chain of cubing rounds: every value of the witness is full-size.
///
/// One round takes `(l, r)` to `(r + (l + k)³, l)`, as the block cipher of `[MiMC]` in Feistel
/// form does, with two constraints. The left half at the end is the public input.
#[derive(Debug, Clone)]
pub struct MimcChain {
    constraints: usize,
    left: Fr,
    right: Fr,
    constants: Vec<Fr>,
}

impl MimcChain {
    /// A chain of exactly this many constraints, two at least.
    #[must_use]
    pub fn new(seed: u64, constraints: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let left = Fr::random(&mut rng);
        let right = Fr::random(&mut rng);
        // The constants are the circuit's: they do not depend on the seed.
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        Self {
            constraints: constraints.max(2),
            left,
            right,
            constants: (0..CONSTANTS).map(|_| Fr::random(&mut rng)).collect(),
        }
    }

    /// Constraints, without the rows of the inputs.
    #[must_use]
    pub fn num_constraints(&self) -> usize {
        self.constraints
    }

    /// The public input.
    #[must_use]
    pub fn image(&self) -> Fr {
        let (mut left, mut right) = (self.left, self.right);
        for round in 0..self.constraints / 2 {
            let sum = left + self.constants[round % CONSTANTS];
            (left, right) = (right + sum.square() * sum, left);
        }
        left
    }
}

impl Circuit for &MimcChain {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let one = CS::one();
        let (mut left, mut right) = (self.left, self.right);
        let mut left_variable = cs.alloc(|| "left", || Ok(left))?;
        let mut right_variable = cs.alloc(|| "right", || Ok(right))?;
        if self.constraints % 2 == 1 {
            let square = cs.alloc(|| "square", || Ok(left.square()))?;
            let x = left_variable;
            cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + square);
        }
        let rounds = self.constraints / 2;
        for round in 0..rounds {
            let constant = self.constants[round % CONSTANTS];
            let mut cs = cs.namespace(|| format!("round {round}"));
            let sum = left + constant;
            let square = sum.square();
            let next = right + square * sum;
            let square_variable = cs.alloc(|| "square", || Ok(square))?;
            let (l, r) = (left_variable, right_variable);
            cs.enforce(
                || "square",
                |lc| lc + l + (constant, one),
                |lc| lc + l + (constant, one),
                |lc| lc + square_variable,
            );
            let next_variable = if round + 1 == rounds {
                cs.alloc_input(|| "image", || Ok(next))?
            } else {
                cs.alloc(|| "left", || Ok(next))?
            };
            cs.enforce(
                || "cube",
                |lc| lc + square_variable,
                |lc| lc + l + (constant, one),
                |lc| lc + next_variable - r,
            );
            (left, right) = (next, left);
            (left_variable, right_variable) = (next_variable, l);
        }
        Ok(())
    }
}
