//! Numbers and scalars in bytes, and the frame of a file.

use cuzk_curve::Fr;

use super::FileError;

/// FNV-1a of 64 bits `[FNV]`.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(PRIME);
    bytes.iter().fold(BASIS, step)
}

/// Bytes of the checksum.
const CHECKSUM: usize = 8;

pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn new(magic: &'static str) -> Self {
        Self {
            bytes: magic.as_bytes().to_vec(),
        }
    }

    pub(super) fn word(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(super) fn count(&mut self, value: usize) {
        self.word(value as u64);
    }

    pub(super) fn short(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub(super) fn scalar(&mut self, value: &Fr) {
        self.bytes.extend(value.to_bytes_le());
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.word(checksum(&self.bytes));
        self.bytes
    }
}

pub(super) struct Reader<'a> {
    /// All but the checksum.
    bytes: &'a [u8],
    at: usize,
    checksum: u64,
}

impl<'a> Reader<'a> {
    /// Looks at the frame. The checksum is compared at the end, so that what is damaged is named
    /// where that can be seen.
    pub(super) fn new(magic: &'static str, bytes: &'a [u8]) -> Result<Self, FileError> {
        if !bytes.starts_with(magic.as_bytes()) {
            return Err(FileError::Magic {
                expected: magic,
                got: bytes[..bytes.len().min(magic.len())].to_vec(),
            });
        }
        let end = bytes.len() - magic.len();
        let (content, last) = match bytes.split_last_chunk::<CHECKSUM>() {
            Some(parts) if end >= CHECKSUM => parts,
            _ => {
                return Err(FileError::Short {
                    what: "the checksum",
                    at: magic.len(),
                    expected: CHECKSUM,
                    got: end,
                });
            }
        };
        Ok(Self {
            bytes: content,
            at: magic.len(),
            checksum: u64::from_le_bytes(*last),
        })
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    fn take(&mut self, what: &'static str, len: usize) -> Result<&'a [u8], FileError> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..len).ok_or(FileError::Short {
            what,
            at: self.at,
            expected: len,
            got: rest.len(),
        })?;
        self.at += len;
        Ok(taken)
    }

    pub(super) fn word(&mut self, what: &'static str) -> Result<u64, FileError> {
        let bytes = self.take(what, 8)?.try_into();
        Ok(u64::from_le_bytes(bytes.expect("eight bytes were taken")))
    }

    /// A count of things of which there can be at most so many.
    pub(super) fn count(&mut self, what: &'static str, most: u64) -> Result<usize, FileError> {
        let got = self.word(what)?;
        match usize::try_from(got) {
            Ok(count) if got <= most => Ok(count),
            _ => Err(FileError::Count { what, most, got }),
        }
    }

    pub(super) fn short(&mut self, what: &'static str) -> Result<u64, FileError> {
        let start = self.at;
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.take(what, 1)?[0];
            let part = u64::from(byte & 0x7f);
            let fits = shift < 64 && part << shift >> shift == part;
            // The last byte of several is not zero.
            if !fits || byte == 0 && shift > 0 {
                return Err(FileError::Number { at: start });
            }
            value |= part << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    /// The scalar at a place of a list.
    pub(super) fn scalar(&mut self, what: &'static str, index: usize) -> Result<Fr, FileError> {
        let bytes = self.take(what, 32)?.try_into();
        let bytes: &[u8; 32] = bytes.expect("32 bytes were taken");
        Option::from(Fr::from_bytes_le(bytes)).ok_or(FileError::Scalar {
            what,
            index,
            demand: "canonical",
        })
    }

    pub(super) fn finish(self) -> Result<(), FileError> {
        if self.at != self.bytes.len() {
            return Err(FileError::Long {
                expected: self.at + CHECKSUM,
                got: self.bytes.len() + CHECKSUM,
            });
        }
        let got = checksum(self.bytes);
        if got != self.checksum {
            return Err(FileError::Checksum {
                expected: self.checksum,
                got,
            });
        }
        Ok(())
    }
}
