use thiserror::Error;

/// A constraint system or witness that does not hold together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum R1csError {
    /// More of something than an index can name.
    #[error("too many {what}: expected at most {max}, got {got}")]
    TooMany {
        /// What was counted.
        what: &'static str,
        /// The most there may be.
        max: u64,
        /// How many came.
        got: u64,
    },
    /// A term names a column that the system does not have.
    #[error("row {row} names a column out of range: expected below {columns}, got {got}")]
    Column {
        /// The row of the term.
        row: usize,
        /// Columns of the matrix.
        columns: usize,
        /// The column named.
        got: usize,
    },
    /// Two parts that must agree in length do not.
    #[error("{what} differ in length: expected {expected}, got {got}")]
    Length {
        /// What was compared.
        what: &'static str,
        /// The length asked for.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// The first input of an assignment is not one.
    #[error("the first input is not the constant one")]
    FirstInputNotOne,
}
