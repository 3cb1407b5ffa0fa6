use cuzk_curve::Fr;
use ff::Field;

use crate::system::Assigned;
use crate::values::Values;
use crate::{
    CheckError, Circuit, ConstraintSystem, LinearCombination, SynthesisError, Unsatisfied, Variable,
};

/// How large a circuit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Constraints, without the rows of the inputs.
    pub constraints: usize,
    /// Inputs, the constant one among them.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
}

/// Checks every constraint and names the first that does not hold.
///
/// The one pass that calls annotations: of namespaces always, of a constraint where it fails.
///
/// # Errors
/// [`CheckError::Unsatisfied`] for the first constraint that does not hold, otherwise what
/// the circuit reports.
#[tracing::instrument(level = "debug", name = "check_pass", skip_all)]
pub fn check<C: Circuit>(circuit: C) -> Result<Counts, CheckError> {
    let mut pass = CheckPass::default();
    pass.values.push_input(Fr::ONE);
    let outcome = circuit.synthesize(&mut pass);
    // A failed constraint ends the pass early; its own error says more than how it ended.
    match pass.failure {
        Some(Failure::Unsatisfied(found)) => return Err(CheckError::Unsatisfied(found)),
        Some(Failure::UnknownVariable(constraint)) => {
            return Err(SynthesisError::UnknownVariable { constraint }.into());
        }
        None => outcome?,
    }
    Ok(Counts {
        constraints: pass.constraints,
        inputs: pass.values.inputs.len(),
        aux: pass.values.aux.len(),
    })
}

enum Failure {
    Unsatisfied(Box<Unsatisfied>),
    UnknownVariable(usize),
}

#[derive(Default)]
struct CheckPass {
    values: Values,
    constraints: usize,
    path: Vec<String>,
    failure: Option<Failure>,
}

impl CheckPass {
    /// Ends a pass that has failed: `enforce` cannot report, the next allocation can.
    fn go_on(&self) -> Result<(), SynthesisError> {
        match self.failure {
            None => Ok(()),
            Some(_) => Err(SynthesisError::Unsatisfiable),
        }
    }
}

impl ConstraintSystem for CheckPass {
    type Root = Self;

    fn alloc<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.go_on()?;
        Ok(self.values.push_aux(value()?))
    }

    fn alloc_input<V, A, N>(&mut self, _: A, value: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.go_on()?;
        Ok(self.values.push_input(value()?))
    }

    fn enforce<A, N, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> N,
        N: Into<String>,
        LA: FnOnce(LinearCombination) -> LinearCombination,
        LB: FnOnce(LinearCombination) -> LinearCombination,
        LC: FnOnce(LinearCombination) -> LinearCombination,
    {
        if self.failure.is_some() {
            return;
        }
        let constraint = self.constraints;
        self.constraints += 1;
        let sums = [
            a(LinearCombination::zero()),
            b(LinearCombination::zero()),
            c(LinearCombination::zero()),
        ];
        match sums.map(|sum| self.values.evaluate(sum.terms())) {
            [Some(a), Some(b), Some(c)] if a * b == c => {}
            [Some(a), Some(b), Some(c)] => {
                self.path.push(annotation().into());
                self.failure = Some(Failure::Unsatisfied(Box::new(Unsatisfied {
                    constraint,
                    path: self.path.join("/"),
                    a,
                    b,
                    c,
                })));
                self.path.pop();
            }
            _ => self.failure = Some(Failure::UnknownVariable(constraint)),
        }
    }

    fn push_namespace<A, N>(&mut self, name: A)
    where
        A: FnOnce() -> N,
        N: Into<String>,
    {
        self.path.push(name().into());
    }

    fn pop_namespace(&mut self) {
        self.path.pop();
    }

    fn root(&mut self) -> &mut Self {
        self
    }

    fn assigned(&self) -> Option<Assigned> {
        Some(self.values.assigned())
    }
}
