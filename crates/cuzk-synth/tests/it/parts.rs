//! Parts of a circuit that are built apart and appended.

use cuzk_curve::Fr;
use cuzk_synth::{
    Circuit, ConstraintSystem, DirectOptions, Index, LinearCombination, SynthesisError, Variable,
    check, direct, shape, witness,
};
use cuzk_testkit::{Program, RandomSystem, Step, Terms};
use ff::Field;
use proptest::prelude::*;

use crate::recording::Recording;

/// Several programs in one system, one after the other or apart.
#[derive(Clone, Copy)]
struct Joined<'a> {
    programs: &'a [Program],
    apart: bool,
}

fn run<CS: ConstraintSystem>(cs: &mut CS, program: &Program) -> Result<(), SynthesisError> {
    let mut inputs = vec![CS::one()];
    let mut aux: Vec<Variable> = vec![];
    for step in &program.steps {
        match step {
            Step::Input(value) => inputs.push(cs.alloc_input(|| "i", || Ok(*value))?),
            Step::Aux(value) => aux.push(cs.alloc(|| "a", || Ok(*value))?),
            Step::Constraint(sides) => {
                let [a, b, c] = sides.as_ref();
                let sum = |terms: &Terms| {
                    let zero = LinearCombination::zero();
                    terms.iter().fold(zero, |sum, &(variable, coefficient)| {
                        let variable = match variable.index() {
                            Index::Input(i) => inputs[i],
                            Index::Aux(i) => aux[i],
                        };
                        sum + (coefficient, variable)
                    })
                };
                cs.enforce(|| "row", |_| sum(a), |_| sum(b), |_| sum(c));
            }
        }
    }
    Ok(())
}

impl Circuit for Joined<'_> {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for program in self.programs {
            match CS::detached().filter(|_| self.apart) {
                Some(mut part) => {
                    part.alloc_input(|| "stand-in", || Ok(Fr::ONE))?;
                    run(&mut part, program)?;
                    cs.append(&part)?;
                }
                None => run(cs, program)?,
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_come_out_as_if_built_in_place(
        seeds in prop::collection::vec((any::<u64>(), 0usize..40, 0usize..5), 0..5),
    ) {
        let programs: Vec<Program> = seeds
            .into_iter()
            .map(|(seed, constraints, public_inputs)| {
                let system = RandomSystem::new(seed, constraints);
                system.with_public_inputs(public_inputs).program()
            })
            .collect();
        let [apart, in_place] = [true, false].map(|apart| Joined {
            programs: &programs,
            apart,
        });
        let mut recording = Recording::new();
        in_place.synthesize(&mut recording).expect("the recording succeeds");
        recording.assert_passes(&in_place);
        recording.assert_passes(&apart);
        let options = DirectOptions::default();
        prop_assert_eq!(
            shape(apart).expect("synthesis succeeds"),
            shape(in_place).expect("synthesis succeeds")
        );
        prop_assert_eq!(
            direct(apart, &options).expect("synthesis succeeds"),
            direct(in_place, &options).expect("synthesis succeeds")
        );
    }
}

struct Careless;

impl Circuit for Careless {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut part = CS::detached().ok_or(SynthesisError::NotExtensible)?;
        let one = part.alloc_input(|| "stand-in", || Ok(Fr::ONE))?;
        let stranger = Variable::new_unchecked(Index::Aux(3));
        part.enforce(|| "odd", |lc| lc + one, |lc| lc + stranger, |lc| lc);
        cs.enforce(|| "empty", |lc| lc, |lc| lc, |lc| lc);
        cs.append(&part)
    }
}

#[test]
fn a_fault_in_a_part_is_a_fault_of_the_whole() {
    assert!(matches!(
        shape(Careless),
        Err(SynthesisError::UnknownVariable { constraint: 1 })
    ));
    assert!(matches!(
        direct(Careless, &DirectOptions::default()),
        Err(SynthesisError::UnknownVariable { constraint: 1 })
    ));
    assert!(check(Careless).is_err());
    assert_eq!(
        witness(Careless)
            .expect("constraints are not looked at")
            .len(),
        1
    );
}

/// Parts within a part that allocates its own inputs before, between or after them.
#[derive(Clone, Copy)]
struct Nested {
    inputs_before: bool,
    apart: bool,
}

impl Nested {
    fn inner<CS: ConstraintSystem>(cs: &mut CS, k: u64) -> Result<(), SynthesisError> {
        let x = cs.alloc_input(|| "x", || Ok(Fr::from(k)))?;
        let y = cs.alloc(|| "y", || Ok(Fr::from(k * k)))?;
        cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + y);
        cs.enforce(|| "one", |lc| lc + y, |lc| lc + CS::one(), |lc| lc + y);
        Ok(())
    }

    fn outer<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for k in [3, 4] {
            match CS::detached().filter(|_| self.apart) {
                Some(mut part) => {
                    part.alloc_input(|| "stand-in", || Ok(Fr::ONE))?;
                    Self::inner(&mut part, k)?;
                    cs.append(&part)?;
                }
                None => Self::inner(cs, k)?,
            }
        }
        Self::inner(cs, 5)
    }
}

impl Circuit for Nested {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        Self::inner(cs, 2)?;
        match CS::detached().filter(|_| self.apart) {
            Some(mut part) => {
                if self.inputs_before {
                    part.alloc_input(|| "stand-in", || Ok(Fr::ONE))?;
                }
                self.outer(&mut part)?;
                cs.append(&part)
            }
            None => self.outer(cs),
        }
    }
}

#[test]
fn parts_within_a_part_come_out_as_if_built_in_place() {
    let in_place = Nested {
        inputs_before: true,
        apart: false,
    };
    let options = DirectOptions::default();
    let expected = shape(in_place).expect("sound");
    let values = witness(in_place).expect("values are known");
    let evaluations = direct(in_place, &options).expect("values are known");
    for inputs_before in [true, false] {
        let apart = Nested {
            inputs_before,
            apart: true,
        };
        assert_eq!(shape(apart).expect("sound"), expected);
        assert_eq!(witness(apart).expect("values are known"), values);
        assert_eq!(
            direct(apart, &options).expect("values are known"),
            evaluations
        );
    }
}
