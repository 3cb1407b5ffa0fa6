//! Reading of little-endian values from a slice, with the place in the file.

use cuzk_curve::{Fr, decode_scalar};

use crate::Iden3Error;

/// Bytes of a field element.
pub(crate) const FIELD_BYTES: usize = 32;

/// A part of a file that is read from front to back.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: u64,
}

impl<'a> Cursor<'a> {
    /// Bytes that begin `offset` bytes into the file.
    pub(crate) fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { bytes, offset }
    }

    /// Where the next byte is in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes that are left.
    pub(crate) fn remaining(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(crate) fn take(&mut self, what: &'static str, len: u64) -> Result<&'a [u8], Iden3Error> {
        let truncated = Iden3Error::Truncated {
            what,
            offset: self.offset,
            expected: len,
            got: self.remaining(),
        };
        let split = usize::try_from(len)
            .ok()
            .and_then(|len| self.bytes.split_at_checked(len));
        let (taken, rest) = split.ok_or(truncated)?;
        self.bytes = rest;
        self.offset += len;
        Ok(taken)
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Iden3Error> {
        let bytes = self.take(what, 4)?;
        Ok(u32::from_le_bytes(
            bytes.try_into().expect("four bytes were taken"),
        ))
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Iden3Error> {
        let bytes = self.take(what, 8)?;
        Ok(u64::from_le_bytes(
            bytes.try_into().expect("eight bytes were taken"),
        ))
    }

    pub(crate) fn scalar(&mut self, what: &'static str) -> Result<Fr, Iden3Error> {
        let offset = self.offset;
        let bytes = self.take(what, FIELD_BYTES as u64)?;
        let bytes = bytes.try_into().expect("as many bytes were taken");
        decode_scalar(bytes).map_err(|_| Iden3Error::NotCanonical { what, offset })
    }

    /// The size of a field element and the prime, which must be ours.
    pub(crate) fn prime(&mut self) -> Result<(), Iden3Error> {
        let size = self.u32("field size")?;
        let prime = self.take("prime", size.into())?;
        let expected = prime_bytes();
        if prime == expected {
            return Ok(());
        }
        Err(Iden3Error::Prime {
            expected: hex(&expected),
            got: hex(prime),
        })
    }

    /// Nothing is left.
    pub(crate) fn end(&self, what: &'static str) -> Result<(), Iden3Error> {
        match self.remaining() {
            0 => Ok(()),
            got => Err(Iden3Error::Trailing {
                what,
                offset: self.offset,
                got,
            }),
        }
    }
}

/// The group order, little-endian: one above the largest scalar.
pub(crate) fn prime_bytes() -> [u8; FIELD_BYTES] {
    let mut bytes = cuzk_curve::encode_scalar(&-Fr::from(1));
    // The order is odd, so the largest scalar is even and the sum carries nowhere.
    bytes[0] += 1;
    bytes
}

/// Hexadecimal digits, most significant first, of at most 64 little-endian bytes.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let shown = bytes.iter().take(64).rev();
    shown.fold("0x".to_owned(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
