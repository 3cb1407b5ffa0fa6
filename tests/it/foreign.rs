//! A program of the testkit as a circuit of `bellman` and of `bellpepper-core`.

use bls12_381::Scalar;
use cuzk_curve::Fr;
use cuzk_r1cs::{Densities, Shape};
use cuzk_synth::Index;
use cuzk_testkit::{Program, Step, Terms};
use ff::{Field, PrimeField};

#[derive(Clone, Copy)]
pub(crate) struct Foreign<'a>(pub(crate) &'a Program);

/// A scalar of ours as one of `bls12_381`.
pub(crate) fn to_foreign(value: &Fr) -> Scalar {
    Scalar::from_repr(value.to_repr()).expect("canonical bytes of the same field")
}

macro_rules! circuit {
    ($trait:ident, $scalar:ty, $convert:expr) => {
        impl $trait::Circuit<$scalar> for Foreign<'_> {
            fn synthesize<CS: $trait::ConstraintSystem<$scalar>>(
                self,
                cs: &mut CS,
            ) -> Result<(), $trait::SynthesisError> {
                let combine = |mut sum: $trait::LinearCombination<$scalar>, terms: &Terms| {
                    for (variable, coefficient) in terms {
                        let index = match variable.index() {
                            Index::Input(i) => $trait::Index::Input(i),
                            Index::Aux(i) => $trait::Index::Aux(i),
                        };
                        let variable = $trait::Variable::new_unchecked(index);
                        sum = sum + ($convert(coefficient), variable);
                    }
                    sum
                };
                for (number, step) in self.0.steps.iter().enumerate() {
                    match step {
                        Step::Input(value) => {
                            let name = || format!("input {number}");
                            cs.alloc_input(name, || Ok($convert(value)))?;
                        }
                        Step::Aux(value) => {
                            cs.alloc(|| format!("aux {number}"), || Ok($convert(value)))?;
                        }
                        Step::Constraint(sides) => cs.enforce(
                            || format!("row {number}"),
                            |sum| combine(sum, &sides[0]),
                            |sum| combine(sum, &sides[1]),
                            |sum| combine(sum, &sides[2]),
                        ),
                    }
                }
                Ok(())
            }
        }
    };
}

circuit!(bellman, Scalar, to_foreign);
circuit!(bellpepper_core, Fr, |value: &Fr| *value);

/// The densities as the other provers count them: before terms of one variable are merged.
///
/// Where a variable occurs in a matrix only by terms that cancel, their provers look for a
/// point that their own generator left out, and fail.
pub(crate) fn is_sound_elsewhere(program: &Program, shape: &Shape) -> bool {
    let inputs = shape.num_inputs();
    let mut densities = Densities {
        a: (0..shape.num_variables()).map(|i| i < inputs).collect(),
        b: (0..shape.num_variables()).map(|_| false).collect(),
    };
    for step in &program.steps {
        let Step::Constraint(sides) = step else {
            continue;
        };
        for (side, density) in [(0, &mut densities.a), (1, &mut densities.b)] {
            for (variable, coefficient) in &sides[side] {
                if !coefficient.is_zero_vartime() {
                    density.set(match variable.index() {
                        Index::Input(i) => i,
                        Index::Aux(i) => inputs + i,
                    });
                }
            }
        }
    }
    densities == *shape.densities()
}
