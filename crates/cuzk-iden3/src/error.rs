use cuzk_r1cs::R1csError;
use thiserror::Error;

/// Bytes that are not such a file, or not one of this field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Iden3Error {
    /// The first four bytes are others.
    #[error("no {expected} file: expected it to begin with {expected:?}, got {got:02x?}")]
    Magic {
        /// `"r1cs"` or `"wtns"`.
        expected: &'static str,
        /// The first bytes, four at most.
        got: Vec<u8>,
    },
    /// A version that is not read here.
    #[error("{file} version is not known: expected {expected}, got {got}")]
    Version {
        /// `"r1cs"` or `"wtns"`.
        file: &'static str,
        /// The version that is read.
        expected: u32,
        /// The version that came.
        got: u32,
    },
    /// The bytes end early, or a count is too large for them.
    #[error("{what} at byte {offset} is cut: expected {expected} bytes, got {got}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where it begins, from the start of the file.
        offset: u64,
        /// Bytes it takes.
        expected: u64,
        /// Bytes that are there.
        got: u64,
    },
    /// Bytes are left where there should be none.
    #[error("{what} ends at byte {offset}, and {got} bytes are left")]
    Trailing {
        /// What had been read.
        what: &'static str,
        /// Where it ends, from the start of the file.
        offset: u64,
        /// Bytes that are left.
        got: u64,
    },
    /// A section that must be there once is there not at all, or twice.
    #[error("section {section} ({name}): expected once, got {got} times")]
    Section {
        /// The section's type.
        section: u32,
        /// What it holds.
        name: &'static str,
        /// How often it is there.
        got: usize,
    },
    /// The file is over another field.
    #[error("the file is over another field: expected prime {expected}, got {got}")]
    Prime {
        /// The group order of BLS12-381, hexadecimal.
        expected: String,
        /// The file's prime, hexadecimal.
        got: String,
    },
    /// The circuit has custom gates, which have no place in an R1CS proof.
    #[error("the circuit has custom gates, in section {section}")]
    CustomGates {
        /// The section they were found in.
        section: u32,
    },
    /// A value is not below the prime.
    #[error("{what} at byte {offset} is not below the prime")]
    NotCanonical {
        /// `"coefficient"` or `"witness value"`.
        what: &'static str,
        /// Where it is, from the start of the file.
        offset: u64,
    },
    /// Two counts that must agree do not.
    #[error("{what}: expected {expected}, got {got}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// The count that would fit.
        expected: u64,
        /// The count that came.
        got: u64,
    },
    /// The matrices or the witness do not hold together.
    #[error("the constraint system does not hold together")]
    System(#[from] R1csError),
}
