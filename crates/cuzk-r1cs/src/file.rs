//! Shapes and witnesses as bytes.
//!
//! Numbers are little-endian; a *short number* is in groups of seven bits, lowest first, the
//! upper bit of a byte set where another follows. A scalar is 32 bytes, canonical.
//!
//! ```text
//! shape      "cuzkshp1", u64 inputs, matrix A, matrix B, matrix C, u64 checksum
//! matrix     u64 rows, columns, terms, coefficients; the coefficients as scalars; the rows
//! row        short number of terms; each term
//! term       short number of its column, short number of its coefficient
//! witness    "cuzkwit1", u64 inputs, variables, small values, full values; the lower class bits
//!            and the upper ones in u64; the small values in u64; the full ones as scalars;
//!            u64 checksum
//! ```
//!
//! The column of a row's first term is the difference to that of the last row that had one, as an
//! unsigned number: 0, −1, 1, −2 … are 0, 1, 2, 3. The column of a later term is the number of
//! columns left out before it. The checksum is FNV-1a of 64 bits `[FNV]` over all before it: it is
//! against damage, not against intent.

mod bytes;
mod matrix;
mod witness;

use bytes::{Reader, Writer};
use thiserror::Error;

use crate::{PackedWitness, R1csError, Shape};

/// A file that does not hold together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The first bytes are others.
    #[error("not a file of this kind: expected {expected:?} at its beginning, got {got:02x?}")]
    Magic {
        /// The bytes at the beginning of such a file.
        expected: &'static str,
        /// The bytes that are there.
        got: Vec<u8>,
    },
    /// The file ends early.
    #[error("the file ends in {what}: expected {expected} bytes at {at}, got {got}")]
    Short {
        /// What was being read.
        what: &'static str,
        /// Where.
        at: usize,
        /// Bytes that had to be there.
        expected: usize,
        /// Bytes that were.
        got: usize,
    },
    /// Bytes are left after the end.
    #[error("the file goes on after its end: expected {expected} bytes, got {got}")]
    Long {
        /// Bytes that belong to it.
        expected: usize,
        /// Bytes there are.
        got: usize,
    },
    /// A count is larger than what can be there.
    #[error("too many {what}: expected at most {most}, got {got}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// The most that the rest of the file, or the format, allows.
        most: u64,
        /// The count.
        got: u64,
    },
    /// Two counts disagree.
    #[error("{what}: expected {expected}, got {got}")]
    Disagree {
        /// What was compared.
        what: &'static str,
        /// What it had to be.
        expected: u64,
        /// What it was.
        got: u64,
    },
    /// A short number is longer than 64 bits or than it needs to be.
    #[error("the number at {at} is not in its shortest form")]
    Number {
        /// Where it begins.
        at: usize,
    },
    /// A term's column is out of range.
    #[error("row {row} names a column out of range: expected below {columns}")]
    Column {
        /// The row.
        row: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A scalar is not what its place demands.
    #[error("{what} {index} is not {demand}")]
    Scalar {
        /// Of which list.
        what: &'static str,
        /// Its place there.
        index: usize,
        /// What it has to be.
        demand: &'static str,
    },
    /// The bytes are not those that were written.
    #[error("the checksum differs: expected {expected:016x}, got {got:016x}")]
    Checksum {
        /// At the end of the file.
        expected: u64,
        /// Of what is before it.
        got: u64,
    },
    /// The parts do not make a whole.
    #[error("the parts of the file do not agree")]
    Parts(#[from] R1csError),
}

const SHAPE: &str = "cuzkshp1";
const WITNESS: &str = "cuzkwit1";

impl Shape {
    /// The shape as bytes, about three a term.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(SHAPE);
        writer.count(self.num_inputs());
        for matrix in [self.a(), self.b(), self.c()] {
            matrix::write(matrix, &mut writer);
        }
        writer.finish()
    }

    /// Reads what [`Shape::to_bytes`] wrote. Nothing is allocated for a count that the bytes do
    /// not bear out.
    ///
    /// # Errors
    /// [`FileError`] for the first thing that does not hold.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let mut reader = Reader::new(SHAPE, bytes)?;
        let num_inputs = reader.count("inputs", u64::from(u32::MAX))?;
        let a = matrix::read(&mut reader)?;
        let b = matrix::read(&mut reader)?;
        let c = matrix::read(&mut reader)?;
        reader.finish()?;
        Ok(Self::new(num_inputs, a, b, c)?)
    }
}

impl PackedWitness {
    /// The witness as bytes: two bits a variable, and the values that are neither 0 nor 1.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(WITNESS);
        witness::write(self, &mut writer);
        writer.finish()
    }

    /// Reads what [`PackedWitness::to_bytes`] wrote. Nothing is allocated for a count that the
    /// bytes do not bear out, and every value is in the class that is its own.
    ///
    /// # Errors
    /// [`FileError`] for the first thing that does not hold.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let mut reader = Reader::new(WITNESS, bytes)?;
        let witness = witness::read(&mut reader)?;
        reader.finish()?;
        Ok(witness)
    }
}

#[cfg(test)]
mod tests;
