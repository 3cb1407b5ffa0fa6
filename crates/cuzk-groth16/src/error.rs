use std::error::Error;

use cuzk_curve::{DomainError, PointError};
use cuzk_hostmem::AllocError;
use cuzk_phase::Phase;
use thiserror::Error;

/// A proof that was not made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProveError {
    /// A section of the key has another length than the circuit needs.
    #[error("the key does not belong to this circuit, {what}: expected {expected}, got {got}")]
    KeyMismatch {
        /// The section, as it is called in the file: `"h query"`.
        what: &'static str,
        /// Points that the circuit needs.
        expected: usize,
        /// Points of the key.
        got: usize,
    },
    /// The witness, or its evaluations, have another length than the circuit needs.
    #[error("the witness does not belong to this circuit, {what}: expected {expected}, got {got}")]
    WitnessMismatch {
        /// What was counted.
        what: &'static str,
        /// The number that the circuit needs.
        expected: usize,
        /// The number that came.
        got: usize,
    },
    /// Not as many blindings as witnesses.
    #[error("blindings for the witnesses: expected {expected}, got {got}")]
    BlindingCount {
        /// Witnesses of the batch.
        expected: usize,
        /// Blindings that came.
        got: usize,
    },
    /// The circuit needs more rows than a domain can have.
    #[error("the circuit has too many constraints")]
    Domain(#[from] DomainError),
    /// The verifying part of the key cannot be used.
    #[error("the verifying key cannot be used")]
    Key(#[from] VerifyError),
    /// A random combination of folded queries is not that of the parameters.
    #[error(
        "the folded queries are not those of the parameters and the circuit: the computation went \
         wrong, they were made for others, or the parameters hold points outside the subgroup"
    )]
    FoldedQueries,
    /// There is no host memory for points.
    #[error("no memory for the points of the folded queries")]
    Memory(#[from] AllocError),
    /// The machine failed.
    #[error("the backend failed in phase {phase}")]
    Backend {
        /// The phase whose work failed.
        phase: Phase,
        /// The backend's own error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The witness does not satisfy a constraint.
    #[error(
        "the witness does not satisfy constraint {constraint}, counted from 0; a checking pass \
         over the circuit names it and its values"
    )]
    Unsatisfied {
        /// The first constraint that does not hold.
        constraint: usize,
    },
    /// The witness satisfies every constraint, and still the proof does not verify.
    #[error(
        "the proof does not verify although the witness satisfies every constraint: the key was \
         made for another circuit, or the computation went wrong"
    )]
    ProofRefused,
    /// A point of the proof is one that no verifier accepts.
    #[error(
        "point {what} of the proof is not a finite point of the subgroup: the key holds unchecked \
         points, or the proof is of a trivial circuit without blinding"
    )]
    ProofPoint {
        /// `"a"`, `"b"` or `"c"`.
        what: &'static str,
        /// The rule broken.
        source: PointError,
    },
}

impl ProveError {
    /// Wraps a backend's error with the phase it arose in.
    pub(crate) fn backend<E: Error + Send + Sync + 'static>(phase: Phase) -> impl Fn(E) -> Self {
        move |source| Self::Backend {
            phase,
            source: Box::new(source),
        }
    }

    /// The same where the two come together.
    pub(crate) fn in_phase<E: Error + Send + Sync + 'static>((phase, error): (Phase, E)) -> Self {
        Self::backend(phase)(error)
    }
}

/// Parameters that were not generated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The circuit needs more rows than a domain can have.
    #[error("the circuit has too many constraints")]
    Domain(#[from] DomainError),
    /// There is no memory for the points.
    #[error("no memory for the points of the parameters")]
    Memory(#[from] AllocError),
    /// The machine failed.
    #[error("the backend failed in phase {phase}")]
    Backend {
        /// The phase whose work failed.
        phase: Phase,
        /// The backend's own error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// An auxiliary variable stands in no constraint, so any value would do.
    #[error("auxiliary variable {aux}, counted from 0, stands in no constraint")]
    Unconstrained {
        /// The first such variable.
        aux: usize,
    },
    /// A given trapdoor value makes a key that proves nothing.
    #[error("trapdoor value {what} is degenerate: expected {expected}")]
    Trapdoor {
        /// The name of the value.
        what: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
}

impl SetupError {
    /// Wraps a backend's error with the phase it arose in.
    pub(crate) fn backend<E: Error + Send + Sync + 'static>(phase: Phase) -> impl Fn(E) -> Self {
        move |source| Self::Backend {
            phase,
            source: Box::new(source),
        }
    }
}

/// A proof that was refused, or that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Not as many public inputs as the key has.
    #[error("public inputs for the verifying key: expected {expected}, got {got}")]
    InputCount {
        /// Public inputs of the circuit, without the constant one.
        expected: usize,
        /// Public inputs that came.
        got: usize,
    },
    /// The same, for one proof of a batch.
    #[error("public inputs for proof {index} of the batch: expected {expected}, got {got}")]
    BatchInputCount {
        /// The proof, counted from 0.
        index: usize,
        /// Public inputs of the circuit, without the constant one.
        expected: usize,
        /// Public inputs that came.
        got: usize,
    },
    /// The proof is not one of these inputs under this key.
    #[error("the proof does not verify")]
    Refused,
    /// Some proofs of the batch do not verify; all others do.
    #[error("{} of {len} proofs do not verify: {culprits:?}", culprits.len())]
    BatchRefused {
        /// Their indices, ascending, counted from 0.
        culprits: Vec<usize>,
        /// Proofs in the batch.
        len: usize,
    },
    /// A point of the verifying key is the identity, under which anything verifies.
    #[error("point {what} of the verifying key is the identity")]
    DegenerateKey {
        /// The name of the point.
        what: &'static str,
    },
}

/// Bytes that are not a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProofError {
    /// Not the exact length.
    #[error("bytes of {proofs} proofs: expected {expected}, got {got}")]
    Length {
        /// How many proofs were asked for.
        proofs: usize,
        /// Their bytes.
        expected: usize,
        /// The bytes that came.
        got: usize,
    },
    /// A point breaks the rules of its encoding.
    #[error("point {what} of proof {index}")]
    Point {
        /// The proof, counted from 0.
        index: usize,
        /// `"a"`, `"b"` or `"c"`.
        what: &'static str,
        /// The rule broken.
        source: PointError,
    },
}
