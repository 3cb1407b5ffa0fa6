use cuzk::{Circuit, ConstraintSystem, Fr, SynthesisError, Variable};

/// A chain of squares, with constraints of bits between its steps.
///
/// A step is x' = x² + n for the n-th step, a full-size value; the last value is public. A bit b
/// is constrained by b·(1 − b) = 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    /// One at least.
    pub(crate) constraints: usize,
    /// How many of a hundred constraints are those of bits, below a hundred.
    pub(crate) bits_percent: usize,
}

impl Circuit for Chain {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut value = Fr::from(3);
        let mut variable = cs.alloc(|| "start", || Ok(value))?;
        let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
        for n in 0..self.constraints.saturating_sub(1) {
            // A different number for every constraint, so that bits and steps mix.
            mixed = mixed
                .wrapping_mul(0xd129_42f0_50c8_0a25)
                .wrapping_add(n as u64 | 1);
            if (mixed >> 33) % 100 < self.bits_percent as u64 {
                bit(cs, mixed >> 63 == 1)?;
            } else {
                value = value * value + Fr::from(n as u64);
                variable = step(cs, variable, n as u64, value)?;
            }
        }
        let last = cs.alloc_input(|| "last", || Ok(value))?;
        cs.enforce(
            || "last",
            |lc| lc + variable,
            |lc| lc + CS::one(),
            |lc| lc + last,
        );
        Ok(())
    }
}

fn bit<CS: ConstraintSystem>(cs: &mut CS, bit: bool) -> Result<(), SynthesisError> {
    let bit = cs.alloc(|| "bit", || Ok(Fr::from(u64::from(bit))))?;
    cs.enforce(
        || "b·(1 − b) = 0",
        |lc| lc + bit,
        |lc| lc + CS::one() - bit,
        |lc| lc,
    );
    Ok(())
}

/// x² = x' − n.
fn step<CS: ConstraintSystem>(
    cs: &mut CS,
    x: Variable,
    n: u64,
    next: Fr,
) -> Result<Variable, SynthesisError> {
    let next = cs.alloc(|| "next", || Ok(next))?;
    cs.enforce(
        || "x² = x' − n",
        |lc| lc + x,
        |lc| lc + x,
        |lc| lc + next - (Fr::from(n), CS::one()),
    );
    Ok(next)
}
