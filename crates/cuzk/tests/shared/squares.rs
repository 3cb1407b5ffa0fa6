use cuzk::{Circuit, ConstraintSystem, Fr, SynthesisError};

/// Squares a secret so many times; the last square is public.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Squares {
    pub(crate) start: u64,
    pub(crate) n: usize,
}

impl Circuit for Squares {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut value = Fr::from(self.start);
        let mut variable = cs.alloc(|| "start", || Ok(value))?;
        for _ in 0..self.n {
            value *= value;
            let square = cs.alloc(|| "square", || Ok(value))?;
            cs.enforce(
                || "squaring",
                |lc| lc + variable,
                |lc| lc + variable,
                |lc| lc + square,
            );
            variable = square;
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
