use std::marker::PhantomData;

use bellman::{Circuit, ConstraintSystem, SynthesisError as ForeignError, Variable};
use cuzk_curve::Fr;
use cuzk_synth::{Bellman, CheckError, DirectOptions, Index, SynthesisError};
use cuzk_testkit::{Program, RandomSystem, Step, Terms};
use ff::{Field, PrimeField};
use proptest::prelude::*;

use crate::recording::{Recording, same};

/// A program as a circuit of `bellman`.
#[derive(Clone)]
struct Foreign<'a, S> {
    program: &'a Program,
    field: PhantomData<S>,
}

fn foreign<S: PrimeField>(program: &Program) -> Foreign<'_, S> {
    Foreign {
        program,
        field: PhantomData,
    }
}

impl<S: PrimeField> Circuit<S> for Foreign<'_, S> {
    fn synthesize<CS: ConstraintSystem<S>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        let mut inputs = vec![CS::one()];
        let mut aux: Vec<Variable> = vec![];
        for step in &self.program.steps {
            match step {
                Step::Input(value) => inputs.push(cs.alloc_input(|| "i", || Ok(same(value)))?),
                Step::Aux(value) => aux.push(cs.alloc(|| "a", || Ok(same(value)))?),
                Step::Constraint(sides) => {
                    let [a, b, c] = sides.as_ref();
                    let sum = |terms: &Terms| {
                        let zero = bellman::LinearCombination::zero();
                        terms.iter().fold(zero, |sum, (variable, coefficient)| {
                            let variable = match variable.index() {
                                Index::Input(i) => inputs[i],
                                Index::Aux(i) => aux[i],
                            };
                            sum + (same(coefficient), variable)
                        })
                    };
                    let mut cs = cs.namespace(|| "row");
                    cs.enforce(|| "", |zero| zero + &sum(a), |_| sum(b), |_| sum(c));
                }
            }
        }
        Ok(())
    }
}

fn assert_adapter<S: PrimeField>(program: &Program) {
    let mut recording = Recording::new();
    foreign::<S>(program)
        .synthesize(&mut recording)
        .expect("the recording succeeds");
    recording.assert_passes(&Bellman::<S, _>::new(foreign(program)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_circuits_come_out_as_recorded(
        seed: u64,
        constraints in 0usize..120,
        public_inputs in 0usize..9,
    ) {
        let system = RandomSystem::new(seed, constraints).with_public_inputs(public_inputs);
        let program = system.program();
        assert_adapter::<bls12_381::Scalar>(&program);
        assert_adapter::<Fr>(&program);
        // The same circuit on our own trait is the same system.
        let own = cuzk_synth::shape(&program).expect("synthesis succeeds");
        let adapted = Bellman::<Fr, _>::new(foreign(&program));
        prop_assert_eq!(own, cuzk_synth::shape(adapted).expect("synthesis succeeds"));
    }
}

#[derive(Clone)]
struct Fails<S>(fn() -> ForeignError, PhantomData<S>);

impl<S: PrimeField> Circuit<S> for Fails<S> {
    fn synthesize<CS: ConstraintSystem<S>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        let mut cs = cs.namespace(|| "outer");
        cs.alloc(|| "value", || Err((self.0)()))?;
        Ok(())
    }
}

#[test]
fn errors_of_value_closures_keep_their_meaning() {
    let failed = |error: fn() -> ForeignError| {
        let circuit = Fails::<bls12_381::Scalar>(error, PhantomData);
        cuzk_synth::witness(Bellman::new(circuit)).expect_err("the closure fails")
    };
    assert!(matches!(
        failed(|| ForeignError::AssignmentMissing),
        SynthesisError::AssignmentMissing
    ));
    assert!(matches!(
        failed(|| ForeignError::DivisionByZero),
        SynthesisError::DivisionByZero
    ));
    assert!(matches!(
        failed(|| ForeignError::Unsatisfiable),
        SynthesisError::Unsatisfiable
    ));
    let SynthesisError::Circuit(error) = failed(|| ForeignError::UnconstrainedVariable) else {
        panic!("an error of the circuit's own");
    };
    let foreign = error
        .downcast::<ForeignError>()
        .expect("the foreign error itself");
    assert!(matches!(*foreign, ForeignError::UnconstrainedVariable));
}

#[test]
fn a_circuit_over_another_field_is_refused() {
    let circuit = Fails::<jubjub::Fr>(|| ForeignError::Unsatisfiable, PhantomData);
    let refused = cuzk_synth::shape(Bellman::new(circuit));
    assert!(matches!(refused, Err(SynthesisError::Field { .. })));
}

struct Wrong;

impl Circuit<bls12_381::Scalar> for Wrong {
    fn synthesize<CS: ConstraintSystem<bls12_381::Scalar>>(
        self,
        cs: &mut CS,
    ) -> Result<(), ForeignError> {
        let two = bls12_381::Scalar::from(2);
        let x = cs.alloc(|| "x", || Ok(two))?;
        let mut cs = cs.namespace(|| "outer");
        let mut cs = cs.namespace(|| "inner");
        cs.enforce(|| "holds", |lc| lc + x, |lc| lc + CS::one(), |lc| lc + x);
        cs.enforce(|| "wrong", |lc| lc + x, |lc| lc + x, |lc| lc + x);
        // What follows the first failure is not looked at.
        cs.enforce(|| "also wrong", |lc| lc + x, |lc| lc + x, |lc| lc);
        cs.alloc(|| "y", || Err(ForeignError::DivisionByZero))?;
        Ok(())
    }
}

#[test]
fn the_checking_pass_names_a_foreign_constraint() {
    let Err(CheckError::Unsatisfied(found)) = cuzk_synth::check(Bellman::new(Wrong)) else {
        panic!("the second constraint does not hold");
    };
    assert_eq!(found.path, "outer/inner/wrong");
    assert_eq!(found.constraint, 1);
    let two = Fr::ONE.double();
    assert_eq!((found.a, found.b, found.c), (two, two, two));
}

#[test]
fn the_direct_pass_takes_hints() {
    let program = RandomSystem::new(11, 50).program();
    let capacity = cuzk_synth::Capacity {
        constraints: 50,
        aux: 60,
    };
    let hinted = DirectOptions::default().with_capacity(capacity);
    let direct = |options| {
        let circuit = Bellman::<Fr, _>::new(foreign(&program));
        cuzk_synth::direct(circuit, &options).expect("synthesis succeeds")
    };
    assert_eq!(direct(hinted), direct(DirectOptions::default()));
}
