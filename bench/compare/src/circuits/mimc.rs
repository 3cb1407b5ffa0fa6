use sha2::{Digest, Sha256};

use crate::{
    scalar::Scalar,
    system::{Circuit, System, Terms},
};

/// Rounds of one MiMC permutation.
const ROUNDS: usize = 322;

/// A chain of MiMC permutations over a Feistel pair, `(l, r) ↦ (r + (l + c)³, l)` a round.
///
/// Two constraints and two variables a round, all values of full size: the kind of circuit in
/// which the multi-scalar multiplications see uniform scalars.
#[derive(Debug, Clone)]
pub(crate) struct MimcChain {
    rounds: usize,
    start: [[u8; 32]; 2],
}

impl MimcChain {
    /// A chain of `constraints / 2` rounds, from a start that `seed` decides.
    pub(crate) fn new(constraints: usize, seed: u64) -> Self {
        Self {
            rounds: constraints / 2,
            start: ["left", "right"].map(|half| uniform(half, seed)),
        }
    }
}

/// A scalar from a label and a number, its top byte zero so that it is below the modulus.
fn uniform(label: &str, number: u64) -> [u8; 32] {
    let digest = Sha256::new()
        .chain_update(label)
        .chain_update(number.to_le_bytes())
        .finalize();
    let mut bytes: [u8; 32] = digest.into();
    bytes[31] = 0;
    bytes
}

fn round_constants<F: Scalar>() -> Vec<F> {
    (0..ROUNDS as u64)
        .map(|i| F::from_le_bytes(uniform("round", i)))
        .collect()
}

impl Circuit for MimcChain {
    fn synthesize<S: System>(&self, system: &mut S) -> Result<(), S::Error> {
        let constants = round_constants::<S::Scalar>();
        let [mut left_value, mut right_value] = self.start.map(S::Scalar::from_le_bytes);
        let mut left = system.alloc(|| left_value)?;
        let mut right = system.alloc(|| right_value)?;
        for round in 0..self.rounds {
            let constant = constants[round % ROUNDS];
            let sum = left_value + constant;
            let square_value = sum * sum;
            let square = system.alloc(|| square_value)?;
            let plus_constant =
                |terms: S::Terms| terms.plus(S::Scalar::ONE, left).plus(constant, S::one());
            system.enforce(plus_constant, plus_constant, |terms| {
                terms.plus(S::Scalar::ONE, square)
            })?;
            let next_value = square_value * sum + right_value;
            // The last value is the public input.
            let next = if round + 1 == self.rounds {
                system.alloc_input(|| next_value)?
            } else {
                system.alloc(|| next_value)?
            };
            system.enforce(
                |terms| terms.plus(S::Scalar::ONE, square),
                plus_constant,
                |terms| {
                    terms
                        .plus(S::Scalar::ONE, next)
                        .plus(-S::Scalar::ONE, right)
                },
            )?;
            (left, right) = (next, left);
            (left_value, right_value) = (next_value, left_value);
        }
        Ok(())
    }

    fn public_inputs<F: Scalar>(&self) -> Vec<F> {
        let constants = round_constants::<F>();
        let [mut left, mut right] = self.start.map(F::from_le_bytes);
        for round in 0..self.rounds {
            let sum = left + constants[round % ROUNDS];
            (left, right) = (sum * sum * sum + right, left);
        }
        vec![left]
    }
}
