use cuzk_curve::Fr;
use cuzk_r1cs::R1csError;
use cuzk_synth::{
    CheckError, Circuit, ConstraintSystem, DirectOptions, Index, SynthesisError, Variable, check,
    direct, shape, witness,
};
use cuzk_testkit::{MimcChain, RandomSystem, Sha256Chain, Step};
use ff::Field;
use proptest::prelude::*;

use crate::recording::Recording;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_passes_agree_with_a_plain_recording(
        seed: u64,
        constraints in 0usize..150,
        public_inputs in 0usize..12,
        bits_percent in 0u32..=100,
    ) {
        let system = RandomSystem::new(seed, constraints)
            .with_public_inputs(public_inputs)
            .with_bits_percent(bits_percent);
        let program = system.program();
        let mut recording = Recording::new();
        program.synthesize(&mut recording).expect("the recording succeeds");
        recording.assert_passes(&&program);
    }
}

#[test]
fn chains_agree_with_a_plain_recording() {
    let mimc = MimcChain::new(1, 701);
    let mut recording = Recording::new();
    mimc.synthesize(&mut recording)
        .expect("the recording succeeds");
    recording.assert_passes(&&mimc);

    let sha256 = Sha256Chain::new(1, 1);
    let mut recording = Recording::new();
    sha256
        .synthesize(&mut recording)
        .expect("the recording succeeds");
    recording.assert_passes(&&sha256);
}

/// Has closures that must not be called in one pass or another.
#[derive(Clone, Copy)]
struct Touchy {
    values: bool,
    constraints: bool,
}

impl Circuit for Touchy {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let value = || {
            assert!(self.values, "a value closure was called");
            Ok(Fr::ONE)
        };
        let name = || -> String { panic!("an annotation was called") };
        let mut cs = cs.namespace(name);
        let x = cs.alloc(name, value)?;
        let y = cs.alloc_input(name, value)?;
        let z = cs.alloc_bit(name, || value().map(|_| true))?;
        let add = |lc, variable| {
            assert!(self.constraints, "a closure of enforce was called");
            lc + variable
        };
        let mut cs = cs.namespace(name);
        cs.enforce(name, |lc| add(lc, x), |lc| add(lc, y), |lc| add(lc, z));
        Ok(())
    }
}

#[test]
fn every_pass_calls_only_the_closures_it_needs() {
    let [no_values, no_constraints, both] =
        [(false, true), (true, false), (true, true)].map(|(values, constraints)| Touchy {
            values,
            constraints,
        });
    assert_eq!(
        shape(no_values)
            .expect("no value is asked for")
            .num_constraints(),
        1
    );
    assert_eq!(
        witness(no_constraints)
            .expect("no constraint is asked for")
            .len(),
        4
    );
    assert_eq!(
        direct(both, &DirectOptions::default())
            .expect("all is there")
            .a
            .len(),
        3
    );
}

struct Interleaved;

impl Circuit for Interleaved {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = cs.alloc(|| "x", || Ok(Fr::from(3)))?;
        cs.enforce(
            || "one",
            |lc| lc + x,
            |lc| lc + x,
            |lc| lc + (Fr::from(9), CS::one()),
        );
        let y = cs.alloc_input(|| "y", || Ok(Fr::from(9)))?;
        cs.enforce(|| "two", |lc| lc + x, |lc| lc + x, |lc| lc + y);
        let z = cs.alloc(|| "z", || Ok(Fr::from(12)))?;
        cs.enforce(
            || "three",
            |lc| lc + y + x,
            |lc| lc + CS::one(),
            |lc| lc + z,
        );
        Ok(())
    }
}

#[test]
fn inputs_that_come_after_constraints_stand_first() {
    let shape = shape(Interleaved).expect("synthesis succeeds");
    let row = |matrix: &cuzk_r1cs::CsrMatrix, row| matrix.row_terms(row).collect::<Vec<_>>();
    let one = Fr::ONE;
    assert_eq!(row(shape.a(), 0), [(2, one)]);
    assert_eq!(row(shape.c(), 1), [(1, one)]);
    assert_eq!(row(shape.a(), 2), [(1, one), (2, one)]);
    assert_eq!(row(shape.c(), 2), [(3, one)]);
    assert_eq!(row(shape.a(), 4), [(1, one)]);
    let witness = witness(Interleaved).expect("synthesis succeeds");
    assert_eq!(witness.unpack(), [1, 9, 3, 12].map(Fr::from));
    check(Interleaved).expect("satisfied");
}

#[test]
fn a_changed_value_is_found_by_name() {
    let mut program = RandomSystem::new(4, 39).program();
    let x = Variable::new_unchecked(Index::Aux(program.num_aux()));
    let (one, seven) = (Fr::ONE, Fr::from(7));
    let sides = [
        vec![(x, one)],
        vec![(Variable::ONE, one)],
        vec![(Variable::ONE, seven)],
    ];
    program.steps.push(Step::Aux(seven));
    program.steps.push(Step::Constraint(Box::new(sides)));
    check(&program).expect("satisfied before");
    let last = program.steps.len() - 1;
    program.steps[last - 1] = Step::Aux(seven + one);
    let Err(CheckError::Unsatisfied(found)) = check(&program) else {
        panic!("the last constraint does not hold");
    };
    assert_eq!(found.constraint, 39);
    assert_eq!(found.path, format!("step {last}/row"));
    assert_eq!((found.a, found.b, found.c), (seven + one, one, seven));
    let direct = direct(&program, &DirectOptions::default()).expect("nothing is checked");
    assert_eq!(
        (found.a, found.b, found.c),
        (direct.a[39], direct.b[39], direct.c[39])
    );
}

struct Stranger(Variable);

impl Circuit for Stranger {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        cs.enforce(|| "fine", |lc| lc, |lc| lc, |lc| lc);
        cs.enforce(|| "odd", |lc| lc + self.0, |lc| lc, |lc| lc);
        Ok(())
    }
}

#[test]
fn a_variable_of_another_system_is_an_error() {
    for index in [
        Index::Input(1),
        Index::Aux(0),
        Index::Input(1 << 31),
        Index::Aux(usize::MAX >> 1),
    ] {
        let circuit = || Stranger(Variable::new_unchecked(index));
        assert!(matches!(
            shape(circuit()),
            Err(SynthesisError::UnknownVariable { constraint: 1 }
                | SynthesisError::System(R1csError::TooMany { .. }))
        ));
        let unknown = direct(circuit(), &DirectOptions::default());
        assert!(matches!(
            unknown,
            Err(SynthesisError::UnknownVariable { constraint: 1 })
        ));
        assert!(matches!(
            check(circuit()),
            Err(CheckError::Synthesis(SynthesisError::UnknownVariable {
                constraint: 1
            }))
        ));
    }
}

struct Missing;

impl Circuit for Missing {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        cs.alloc(|| "x", || Err(SynthesisError::AssignmentMissing))?;
        Ok(())
    }
}

#[test]
fn a_missing_value_ends_the_passes_that_need_it() {
    assert_eq!(shape(Missing).expect("no value is asked for").num_aux(), 1);
    let missing = |error: &SynthesisError| matches!(error, SynthesisError::AssignmentMissing);
    assert!(witness(Missing).is_err_and(|error| missing(&error)));
    assert!(direct(Missing, &DirectOptions::default()).is_err_and(|error| missing(&error)));
    assert!(matches!(check(Missing), Err(CheckError::Synthesis(error)) if missing(&error)));
}
