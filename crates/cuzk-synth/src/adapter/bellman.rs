use std::marker::PhantomData;

use bellman::SynthesisError as ForeignError;
use cuzk_curve::Fr;
use ff::PrimeField;

use super::field::{require_same_field, to_fr};
use crate::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// A circuit written for `bellman` 0.14, over any type of the BLS12-381 scalar field.
///
/// ```
/// # use cuzk_synth::{Bellman, shape};
/// # struct Square(Option<bls12_381::Scalar>);
/// # impl bellman::Circuit<bls12_381::Scalar> for Square {
/// #     fn synthesize<CS: bellman::ConstraintSystem<bls12_381::Scalar>>(
/// #         self,
/// #         cs: &mut CS,
/// #     ) -> Result<(), bellman::SynthesisError> {
/// #         let missing = bellman::SynthesisError::AssignmentMissing;
/// #         let x = cs.alloc(|| "x", || self.0.ok_or(missing))?;
/// #         cs.enforce(|| "bit", |lc| lc + x, |lc| lc + x, |lc| lc + x);
/// #         Ok(())
/// #     }
/// # }
/// # let circuit = Square(None);
/// let shape = shape(Bellman::new(circuit))?;
/// # assert_eq!(shape.num_constraints(), 1);
/// # Ok::<(), cuzk_synth::SynthesisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bellman<S, C> {
    circuit: C,
    field: PhantomData<fn() -> S>,
}

impl<S: PrimeField, C: bellman::Circuit<S>> Bellman<S, C> {
    /// Wraps a circuit.
    #[must_use]
    pub fn new(circuit: C) -> Self {
        Self {
            circuit,
            field: PhantomData,
        }
    }
}

impl<S: PrimeField, C: bellman::Circuit<S>> Circuit for Bellman<S, C> {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        require_same_field::<S>()?;
        let mut system = System { cs };
        self.circuit.synthesize(&mut system).map_err(from_foreign)
    }
}

/// A constraint system of ours behind `bellman`'s trait.
struct System<'a, CS> {
    cs: &'a mut CS,
}

impl<S: PrimeField, CS: ConstraintSystem> bellman::ConstraintSystem<S> for System<'_, CS> {
    type Root = Self;

    #[inline]
    fn alloc<F, A, AR>(
        &mut self,
        annotation: A,
        value: F,
    ) -> Result<bellman::Variable, ForeignError>
    where
        F: FnOnce() -> Result<S, ForeignError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let variable = self.cs.alloc(annotation, || convert(value));
        variable.map(to_foreign_variable).map_err(to_foreign)
    }

    fn alloc_input<F, A, AR>(
        &mut self,
        annotation: A,
        value: F,
    ) -> Result<bellman::Variable, ForeignError>
    where
        F: FnOnce() -> Result<S, ForeignError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let variable = self.cs.alloc_input(annotation, || convert(value));
        variable.map(to_foreign_variable).map_err(to_foreign)
    }

    #[inline]
    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
        LB: FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
        LC: FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
    {
        self.cs.enforce(
            annotation,
            |sum| translate(sum, a),
            |sum| translate(sum, b),
            |sum| translate(sum, c),
        );
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.cs.push_namespace(name);
    }

    fn pop_namespace(&mut self) {
        self.cs.pop_namespace();
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

fn convert<S: PrimeField>(
    value: impl FnOnce() -> Result<S, ForeignError>,
) -> Result<Fr, SynthesisError> {
    value().map(|value| to_fr(&value)).map_err(from_foreign)
}

fn translate<S: PrimeField>(
    mut sum: LinearCombination,
    build: impl FnOnce(bellman::LinearCombination<S>) -> bellman::LinearCombination<S>,
) -> LinearCombination {
    let foreign = build(bellman::LinearCombination::zero());
    let terms = foreign.as_ref().iter();
    sum.extend(terms.map(|(variable, coefficient)| {
        let index = match variable.get_unchecked() {
            bellman::Index::Input(i) => Index::Input(i),
            bellman::Index::Aux(i) => Index::Aux(i),
        };
        (Variable::new_unchecked(index), to_fr(coefficient))
    }));
    sum
}

#[inline]
fn to_foreign_variable(variable: Variable) -> bellman::Variable {
    bellman::Variable::new_unchecked(match variable.index() {
        Index::Input(i) => bellman::Index::Input(i),
        Index::Aux(i) => bellman::Index::Aux(i),
    })
}

fn from_foreign(error: ForeignError) -> SynthesisError {
    match error {
        ForeignError::AssignmentMissing => SynthesisError::AssignmentMissing,
        ForeignError::DivisionByZero => SynthesisError::DivisionByZero,
        ForeignError::Unsatisfiable => SynthesisError::Unsatisfiable,
        // An error of ours that went through the circuit comes back as itself.
        ForeignError::IoError(error) => match error.downcast::<SynthesisError>() {
            Ok(own) => own,
            Err(error) => SynthesisError::circuit(ForeignError::IoError(error)),
        },
        other => SynthesisError::circuit(other),
    }
}

fn to_foreign(error: SynthesisError) -> ForeignError {
    match error {
        SynthesisError::AssignmentMissing => ForeignError::AssignmentMissing,
        SynthesisError::DivisionByZero => ForeignError::DivisionByZero,
        SynthesisError::Unsatisfiable => ForeignError::Unsatisfiable,
        SynthesisError::Circuit(error) => match error.downcast::<ForeignError>() {
            Ok(own) => *own,
            Err(error) => wrap(SynthesisError::Circuit(error)),
        },
        other => wrap(other),
    }
}

/// `bellman`'s error has one variant that carries another error.
fn wrap(error: SynthesisError) -> ForeignError {
    ForeignError::IoError(std::io::Error::other(error))
}
