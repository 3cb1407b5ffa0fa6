use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError as ForeignError, Variable,
};
use cuzk_curve::Fr;
use cuzk_synth::{
    Bellpepper, CheckError, DirectOptions, SynthesisError, check, direct, shape, witness,
};
use cuzk_testkit::{Program, RandomSystem, Step, Terms};
use ff::{Field, PrimeField};
use proptest::prelude::*;
use rayon::prelude::*;

use crate::foreign_sha256::ForeignSha256;
use crate::recording::{Recording, same};

impl<S: PrimeField> ConstraintSystem<S> for Recording {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, ForeignError>
    where
        F: FnOnce() -> Result<S, ForeignError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable(Index::Aux(self.aux(same(&f()?)))))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, ForeignError>
    where
        F: FnOnce() -> Result<S, ForeignError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable(Index::Input(self.input(same(&f()?)))))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        let zero = LinearCombination::zero;
        let row = [a(zero()), b(zero()), c(zero())];
        self.row(row.map(|sum| {
            let terms = sum.iter().map(|(variable, coefficient)| {
                let index = match variable.get_unchecked() {
                    Index::Input(i) => cuzk_synth::Index::Input(i),
                    Index::Aux(i) => cuzk_synth::Index::Aux(i),
                };
                (index, same(coefficient))
            });
            terms.collect()
        }));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

fn run<CS: ConstraintSystem<Fr>>(cs: &mut CS, program: &Program) -> Result<(), ForeignError> {
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
                            cuzk_synth::Index::Input(i) => inputs[i],
                            cuzk_synth::Index::Aux(i) => aux[i],
                        };
                        sum + (coefficient, variable)
                    })
                };
                let mut cs = cs.namespace(|| "row");
                cs.enforce(|| "", |zero| zero + &sum(a), |_| sum(b), |_| sum(c));
            }
        }
    }
    Ok(())
}

/// Many like parts, in parallel where the constraint system can be extended.
///
/// Each part is built in a system of its own, which has an input standing for the constant
/// one; the parts are then appended in order.
#[derive(Clone, Copy)]
struct Sectors<'a> {
    parts: &'a [Program],
    chunk: usize,
    may_extend: bool,
}

impl Circuit<Fr> for Sectors<'_> {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        if !(self.may_extend && CS::is_extensible()) {
            for (i, part) in self.parts.iter().enumerate() {
                run(&mut cs.namespace(|| format!("part {i}")), part)?;
            }
            return Ok(());
        }
        let chunks = self.parts.par_chunks(self.chunk.max(1)).map(|parts| {
            let mut cs = CS::new();
            cs.alloc_input(|| "stand-in for one", || Ok(Fr::ONE))?;
            for (i, part) in parts.iter().enumerate() {
                run(&mut cs.namespace(|| format!("part {i}")), part)?;
            }
            Ok(cs)
        });
        let chunks: Vec<CS> = chunks.collect::<Result<_, ForeignError>>()?;
        for chunk in &chunks {
            cs.extend(chunk);
        }
        Ok(())
    }
}

fn parts(seeds: Vec<(u64, usize)>) -> Vec<Program> {
    let program = |(seed, constraints)| {
        let system = RandomSystem::new(seed, constraints).with_public_inputs(2);
        system.program()
    };
    seeds.into_iter().map(program).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_built_in_parallel_come_out_as_the_plain_recording(
        seeds in prop::collection::vec((any::<u64>(), 0usize..30), 0..8),
        chunk in 1usize..4,
    ) {
        let parts = parts(seeds);
        let [extending, plain] = [true, false].map(|may_extend| Sectors {
            parts: &parts,
            chunk,
            may_extend,
        });
        // The recorder is not extensible, so this is the plain way.
        let mut recording = Recording::new();
        extending.synthesize(&mut recording).expect("the recording succeeds");
        recording.assert_passes(&Bellpepper(plain));
        recording.assert_passes(&Bellpepper(extending));
        prop_assert_eq!(
            shape(Bellpepper(extending)).expect("synthesis succeeds"),
            shape(Bellpepper(plain)).expect("synthesis succeeds")
        );
        prop_assert_eq!(
            witness(Bellpepper(extending)).expect("synthesis succeeds"),
            witness(Bellpepper(plain)).expect("synthesis succeeds")
        );
    }
}

#[test]
fn the_sha256_gadgets_of_bellpepper_come_out_as_the_plain_recording() {
    let circuit = ForeignSha256::new(1);
    let mut recording = Recording::new();
    circuit
        .clone()
        .synthesize(&mut recording)
        .expect("the recording succeeds");
    recording.assert_passes(&Bellpepper(circuit));
}

/// Hands its values over in bulk where only values are wanted.
#[derive(Clone, Copy)]
struct Bulk {
    allowed: bool,
}

impl Circuit<Fr> for Bulk {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        let value = |i: u64| Fr::from(i) * Fr::from(u64::MAX) - Fr::ONE;
        let first = cs.alloc(|| "first", || Ok(Fr::from(7)))?;
        if self.allowed && cs.is_witness_generator() {
            let (aux, inputs) = cs.allocate_empty(3, 2);
            for (i, slot) in aux.iter_mut().enumerate() {
                *slot = value(i as u64);
            }
            inputs.copy_from_slice(&[value(10), value(11)]);
            cs.extend_aux(&[value(3)]);
            cs.extend_inputs(&[value(12)]);
            cs.allocate_empty_aux(1)[0] = value(4);
            cs.allocate_empty_inputs(1)[0] = value(13);
            assert_eq!(cs.aux_slice().len(), 6);
            assert_eq!(cs.aux_slice()[5], value(4));
            assert_eq!(cs.inputs_slice().len(), 5);
            assert_eq!(cs.inputs_slice()[0], Fr::ONE);
        } else {
            for i in 0..5 {
                cs.alloc(|| "aux", || Ok(value(i)))?;
            }
            for i in 10..14 {
                cs.alloc_input(|| "input", || Ok(value(i)))?;
            }
        }
        let last = cs.alloc(|| "last", || Ok(Fr::from(7)))?;
        assert_eq!(last.get_unchecked(), Index::Aux(6));
        cs.enforce(
            || "same",
            |lc| lc + first,
            |lc| lc + CS::one(),
            |lc| lc + last,
        );
        if self.allowed && cs.is_witness_generator() {
            assert_eq!(cs.aux_slice().len(), 7);
            // Values promised at the very end are handed over too.
            cs.extend_inputs(&[value(20)]);
        } else {
            cs.alloc_input(|| "end", || Ok(value(20)))?;
        }
        Ok(())
    }
}

#[test]
fn values_given_in_bulk_are_those_given_one_by_one() {
    let mut recording = Recording::new();
    Bulk { allowed: false }
        .synthesize(&mut recording)
        .expect("the recording succeeds");
    recording.assert_passes(&Bellpepper(Bulk { allowed: false }));
    recording.assert_passes(&Bellpepper(Bulk { allowed: true }));
}

/// A part whose last values, or all of them, were only promised.
#[derive(Clone, Copy)]
struct BulkParts {
    allocate_one: bool,
}

impl Circuit<Fr> for BulkParts {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        if !(CS::is_extensible() && cs.is_witness_generator()) {
            cs.alloc_input(|| "input", || Ok(Fr::from(5)))?;
            cs.alloc(|| "aux", || Ok(Fr::from(6)))?;
            return Ok(());
        }
        let mut part = CS::new();
        if self.allocate_one {
            part.alloc_input(|| "stand-in for one", || Ok(Fr::ONE))?;
            let (aux, inputs) = part.allocate_empty(1, 1);
            (aux[0], inputs[0]) = (Fr::from(6), Fr::from(5));
        } else {
            let (aux, inputs) = part.allocate_empty(1, 2);
            aux[0] = Fr::from(6);
            inputs.copy_from_slice(&[Fr::ONE, Fr::from(5)]);
        }
        cs.extend(&part);
        Ok(())
    }
}

#[test]
fn values_promised_in_a_part_are_appended_with_it() {
    for allocate_one in [false, true] {
        let circuit = BulkParts { allocate_one };
        let mut recording = Recording::new();
        circuit
            .synthesize(&mut recording)
            .expect("the recording succeeds");
        recording.assert_passes(&Bellpepper(circuit));
    }
}

/// A part that is empty but for parts of its own, one of them with an input in bulk.
struct Nested {
    may_extend: bool,
}

impl Nested {
    fn square<CS: ConstraintSystem<Fr>>(cs: &mut CS, k: u64) -> Result<(), ForeignError> {
        let x = cs.alloc_input(|| "x", || Ok(Fr::from(k)))?;
        let y = cs.alloc(|| "y", || Ok(Fr::from(k * k)))?;
        cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + y);
        Ok(())
    }
}

impl Circuit<Fr> for Nested {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        if !(self.may_extend && CS::is_extensible()) {
            (2..4).try_for_each(|k| Self::square(cs, k))?;
            cs.alloc_input(|| "bulk", || Ok(Fr::from(9)))?;
            return Self::square(cs, 4);
        }
        let mut outer = CS::new();
        for k in 2..4 {
            let mut part = CS::new();
            part.alloc_input(|| "stand-in", || Ok(Fr::ONE))?;
            Self::square(&mut part, k)?;
            outer.extend(&part);
        }
        let mut bulk = CS::new();
        bulk.extend_inputs(&[Fr::ONE, Fr::from(9)]);
        outer.extend(&bulk);
        Self::square(&mut outer, 4)?;
        cs.extend(&outer);
        Ok(())
    }
}

#[test]
fn parts_of_an_empty_part_come_out_as_the_plain_recording() {
    let [apart, plain] = [true, false].map(|may_extend| move || Bellpepper(Nested { may_extend }));
    let options = DirectOptions::default();
    assert_eq!(
        shape(apart()).expect("sound"),
        shape(plain()).expect("sound")
    );
    assert_eq!(
        witness(apart()).expect("known"),
        witness(plain()).expect("known")
    );
    assert_eq!(
        direct(apart(), &options).expect("known"),
        direct(plain(), &options).expect("known")
    );
}

/// Builds a part without asking whether it may.
struct Unasked;

impl Circuit<Fr> for Unasked {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        let mut part = CS::new();
        part.enforce(|| "", |lc| lc, |lc| lc, |lc| lc);
        cs.extend(&part);
        Ok(())
    }
}

#[test]
fn a_part_where_none_is_taken_is_an_error_and_no_panic() {
    assert!(matches!(
        check(Bellpepper(Unasked)),
        Err(CheckError::Synthesis(SynthesisError::NotExtensible))
    ));
    assert_eq!(
        shape(Bellpepper(Unasked))
            .expect("parts are taken")
            .num_constraints(),
        1
    );
}

struct Fails(fn() -> ForeignError);

impl Circuit<Fr> for Fails {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), ForeignError> {
        cs.namespace(|| "outer")
            .alloc_input(|| "value", || Err((self.0)()))?;
        Ok(())
    }
}

#[test]
fn errors_of_value_closures_keep_their_meaning() {
    let failed = |error| witness(Bellpepper(Fails(error))).expect_err("the closure fails");
    assert!(matches!(
        failed(|| ForeignError::AssignmentMissing),
        SynthesisError::AssignmentMissing
    ));
    let SynthesisError::Circuit(error) = failed(|| ForeignError::InvalidPairing) else {
        panic!("an error of the circuit's own");
    };
    let foreign = error
        .downcast::<ForeignError>()
        .expect("the foreign error itself");
    assert!(matches!(*foreign, ForeignError::InvalidPairing));
    assert!(
        direct(
            Bellpepper(Fails(|| ForeignError::MalformedSrs)),
            &DirectOptions::default()
        )
        .is_err()
    );
    assert!(shape(Bellpepper(Fails(|| ForeignError::MalformedSrs))).is_ok());
}
