use cuzk_curve::Fr;
use cuzk_r1cs::R1csError;
use thiserror::Error;

/// A circuit that could not be synthesized.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SynthesisError {
    /// A value that the pass needs is not known.
    #[error("the value of a variable is missing")]
    AssignmentMissing,
    /// A gadget divided by zero.
    #[error("a gadget divided by zero")]
    DivisionByZero,
    /// The circuit can see by itself that no assignment satisfies it.
    #[error("the circuit cannot be satisfied")]
    Unsatisfiable,
    /// A constraint names a variable that this constraint system did not hand out.
    #[error("constraint {constraint} names a variable of another constraint system")]
    UnknownVariable {
        /// The index of the constraint.
        constraint: usize,
    },
    /// The circuit's field is not the scalar field of BLS12-381.
    #[error("the circuit is over another field: expected modulus {expected}, got {got}")]
    Field {
        /// The modulus of the scalar field.
        expected: &'static str,
        /// The modulus of the circuit's field.
        got: &'static str,
    },
    /// A sub-system was appended to a constraint system that takes none.
    #[error("this constraint system takes no sub-systems")]
    NotExtensible,
    /// The matrices or the witness do not hold together.
    #[error("the constraint system does not hold together")]
    System(#[from] R1csError),
    /// The circuit's own error.
    #[error("the circuit failed")]
    Circuit(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl SynthesisError {
    /// Wraps an error of the circuit's own.
    pub fn circuit(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Circuit(error.into())
    }
}

/// A constraint `a · b = c` that the assignment does not satisfy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("constraint {constraint} ({path}) is not satisfied: {a:?} · {b:?} is not {c:?}")]
pub struct Unsatisfied {
    /// The index of the constraint, from zero.
    pub constraint: usize,
    /// Its namespaces and its own name, joined by `/`.
    pub path: String,
    /// The value of its first linear combination.
    pub a: Fr,
    /// The value of its second linear combination.
    pub b: Fr,
    /// The value of its third linear combination.
    pub c: Fr,
}

/// What a checking pass finds.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The first constraint that does not hold.
    #[error(transparent)]
    Unsatisfied(Box<Unsatisfied>),
    /// The circuit did not come to its end.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
}
