//! Errors of this crate.

use crate::{Digest, Section};
use cuzk_curve::PointError;
use cuzk_hostmem::AllocError;
use std::{io, path::PathBuf};

/// Why derived queries were not read from their folder, or not kept there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// Reading failed.
    #[error("reading kept queries from {} failed", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Writing failed.
    #[error("keeping queries in {} failed", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is of another format or version, or belongs to other queries.
    #[error(
        "{} does not begin as a file of the queries that its name promises", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is not as long as its header says.
    #[error("{}: expected {expected} bytes, got {got}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes by its header, or those of a header.
        expected: u64,
        /// Bytes that are there.
        got: u64,
    },
    /// A coordinate is not below the modulus.
    #[error("{}: point {index} is out of range", path.display())]
    Point {
        /// The file.
        path: PathBuf,
        /// The point among those of its query.
        index: usize,
    },
    /// There is no memory for the points.
    #[error("no memory for kept queries")]
    Memory(#[from] AllocError),
}

/// Why parameters were not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// The file cannot be opened; nothing is made in its place.
    #[error("parameter file {} cannot be opened", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The path names a folder, a pipe or a device, whose length is not known before it is read.
    /// [`Parameters::from_reader`](crate::Parameters::from_reader) reads a stream.
    #[error("{} is no regular file", path.display())]
    NotAFile {
        /// What was to be opened.
        path: PathBuf,
    },
    /// Reading failed.
    #[error("reading section {section} at byte {offset} failed")]
    Read {
        /// The section that was being read.
        section: Section,
        /// Where, in bytes from the start.
        offset: u64,
        /// The system's reason.
        source: io::Error,
    },
    /// The bytes end within a section: a cut file, or a count that is too large.
    #[error("section {section} at byte {offset} is cut: expected {expected} bytes, got {got}")]
    Truncated {
        /// The section.
        section: Section,
        /// Where the missing part starts: the section's count, or its points.
        offset: u64,
        /// Bytes that the count or point takes.
        expected: u64,
        /// Bytes that are there.
        got: u64,
    },
    /// A section has another number of points than it must have.
    #[error("section {section} at byte {offset} has a wrong count: expected {expected}, got {got}")]
    Count {
        /// The section.
        section: Section,
        /// Where its count is, in bytes from the start.
        offset: u64,
        /// The count that would fit.
        expected: u64,
        /// The count that is there.
        got: u64,
    },
    /// A point is not what it must be.
    #[error("section {section}, point {index} at byte {offset} is refused")]
    Point {
        /// The section.
        section: Section,
        /// Position within the section, from 0.
        index: usize,
        /// Where the point starts, in bytes from the start.
        offset: u64,
        /// The rule it breaks.
        source: PointError,
    },
    /// There are bytes after the last section, and the caller did not allow them.
    #[error("expected the end at byte {offset}, got {}", at_least(*bytes))]
    Trailing {
        /// Where the last section ends.
        offset: u64,
        /// How many bytes follow, if that is known.
        bytes: Option<u64>,
    },
    /// The content is not the one whose digest the caller has.
    #[error("digest of the parameters differs: expected {expected}, got {got}")]
    DigestMismatch {
        /// The caller's digest.
        expected: Digest,
        /// The digest of what was read.
        got: Digest,
    },
    /// Point checks were to rest on a digest that was not given.
    #[error("check by digest asked for without a digest to compare with")]
    DigestMissing,
    /// There is no memory for a section.
    #[error("no memory for section {section}")]
    Memory {
        /// The section.
        section: Section,
        /// What was refused.
        source: AllocError,
    },
    /// A section has more points than a file can say.
    #[error("section {section} is too long: expected at most {max} points, got {got}", max = u32::MAX)]
    TooManyPoints {
        /// The section.
        section: Section,
        /// Its length.
        got: usize,
    },
    /// Writing failed.
    #[error("writing section {section} failed")]
    Write {
        /// The section that was being written.
        section: Section,
        /// The system's reason.
        source: io::Error,
    },
}

fn at_least(bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{bytes} bytes more"),
        None => "more".to_owned(),
    }
}

/// Text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("digest {got:?} is malformed: expected 64 hexadecimal digits")]
pub struct ParseDigestError {
    /// The text as it was given.
    pub got: String,
}
