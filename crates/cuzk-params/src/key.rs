//! The verifying key.

use crate::{
    ParamsError, Section, Trailing,
    options::{Check, ReadOptions},
    read::Reader,
    source::Source,
    write::Writer,
};
use cuzk_curve::{G1Affine, G2Affine};
use std::io::{Read, Write};

/// What a verifier needs: the first part of a parameter file, and the whole of a `.vk` file.
///
/// # Source
/// `[Groth16]` §3.2; the bytes are those of `bellman`: the six points of the head, a
/// big-endian `u32` count, and `ic`, all uncompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyingKey {
    /// `[α]₁`
    pub alpha_g1: G1Affine,
    /// `[β]₁`
    pub beta_g1: G1Affine,
    /// `[β]₂`
    pub beta_g2: G2Affine,
    /// `[γ]₂`
    pub gamma_g2: G2Affine,
    /// `[δ]₁`
    pub delta_g1: G1Affine,
    /// `[δ]₂`
    pub delta_g2: G2Affine,
    /// `[(β·uᵢ + α·vᵢ + wᵢ)/γ]₁` of the constant one and of each public input.
    pub ic: Vec<G1Affine>,
}

impl VerifyingKey {
    /// Reads a key and leaves the reader behind it. Every point is checked in full.
    ///
    /// # Errors
    /// [`ParamsError`] naming the section and, within `ic`, the index.
    pub fn read<R: Read + Send>(mut reader: R) -> Result<Self, ParamsError> {
        Self::read_from(Source::Reader(&mut reader), Trailing::Allow)
    }

    /// Reads a key from the whole of `bytes`. Every point is checked in full.
    ///
    /// # Errors
    /// [`ParamsError`] naming the section and, within `ic`, the index; also if bytes are left.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParamsError> {
        Self::read_from(Source::Bytes(bytes), Trailing::Refuse)
    }

    fn read_from(source: Source<'_>, trailing: Trailing) -> Result<Self, ParamsError> {
        let options = ReadOptions {
            check: Check::Subgroup,
            trailing,
            ..ReadOptions::default()
        };
        let mut reader = Reader::of_stream(source, &options);
        let key = reader.verifying_key()?.0;
        reader.end(Section::Ic)?;
        Ok(key)
    }

    /// Writes the key; [`VerifyingKey::read`] gives it back.
    ///
    /// # Errors
    /// [`ParamsError::Write`], or [`ParamsError::TooManyPoints`] from 2^32 inputs on.
    pub fn write<W: Write>(&self, writer: W) -> Result<(), ParamsError> {
        Writer::new(writer).verifying_key(self)
    }

    /// How many public inputs a proof has, without the constant one.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }
}
