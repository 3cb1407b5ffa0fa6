//! The parameters as a whole.

use crate::{
    Digest, Layout, ParamsError, Query, VerifyingKey,
    options::ReadOptions,
    read::{self, Reader},
    source::Source,
    write::{HashOnly, Writer},
};
use cuzk_curve::{G1, G2};
use std::io::{Cursor, Read, Write};

/// A proving key: the verifying key and the five queries.
///
/// # Source
/// `[Groth16]` §3.2, in the form of `bellman`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// The verifying key.
    pub vk: VerifyingKey,
    /// `[τⁱ·t(τ)/δ]₁` for `i` from 0 to two below the domain size.
    pub h: Query<G1>,
    /// `[(β·uᵢ + α·vᵢ + wᵢ)/δ]₁` of every auxiliary variable.
    pub l: Query<G1>,
    /// `[uᵢ]₁` of every input, and of every auxiliary variable where it is not zero.
    pub a: Query<G1>,
    /// `[vᵢ]₁` where it is not zero.
    pub b_g1: Query<G1>,
    /// `[vᵢ]₂` where it is not zero.
    pub b_g2: Query<G2>,
}

/// Parameters as they were read, with what the reading found out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded {
    /// The parameters.
    pub parameters: Parameters,
    /// Where they lay and what followed them.
    pub layout: Layout,
    /// SHA-256 of their bytes: the key of a cache, and what to pin next time.
    pub digest: Digest,
}

impl Parameters {
    /// Reads parameters from bytes in memory or in a mapping.
    ///
    /// The points are copied out, so the bytes are not needed afterwards. Bytes of a mapping
    /// must stay while this runs; [`ParameterFile`](crate::ParameterFile) has no such need.
    ///
    /// # Errors
    /// [`ParamsError`] naming section, index and offset.
    pub fn from_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Loaded, ParamsError> {
        let layout = Layout::scan(&mut Cursor::new(bytes), bytes.len() as u64)?;
        Self::read_laid_out(Source::Bytes(bytes), &layout, options)
    }

    /// Reads parameters from a stream of unknown length.
    ///
    /// No count is believed before its bytes have come: memory grows with what is read. With
    /// [`Trailing::Allow`](crate::Trailing::Allow) the reader is left just behind the last
    /// section, otherwise its end must be there.
    ///
    /// # Errors
    /// [`ParamsError`] naming section, index and offset.
    pub fn from_reader<R: Read + Send>(
        mut reader: R,
        options: &ReadOptions,
    ) -> Result<Loaded, ParamsError> {
        read::parameters(Reader::of_stream(Source::Reader(&mut reader), options))
    }

    /// Reads parameters whose layout has been checked against their length.
    pub(crate) fn read_laid_out(
        source: Source<'_>,
        layout: &Layout,
        options: &ReadOptions,
    ) -> Result<Loaded, ParamsError> {
        read::parameters(Reader::of_layout(source, layout, options)?)
    }

    /// Writes the parameters; what was read is written back byte for byte, without what
    /// trailed after it.
    ///
    /// # Errors
    /// [`ParamsError::Write`], or [`ParamsError::TooManyPoints`] from 2^32 points on.
    pub fn write<W: Write>(&self, writer: W) -> Result<(), ParamsError> {
        Writer::new(writer).parameters(self)
    }

    /// SHA-256 of the bytes that [`Parameters::write`] writes.
    ///
    /// # Errors
    /// [`ParamsError::TooManyPoints`] from 2^32 points on.
    pub fn digest(&self) -> Result<Digest, ParamsError> {
        let mut hash = HashOnly::default();
        self.write(&mut hash)?;
        Ok(hash.finish())
    }
}
