//! The digest of parameters.

use crate::ParseDigestError;
use std::{fmt, str::FromStr};

/// SHA-256 of a parameter file from its start to the end of its last section.
///
/// Trailing bytes are not part of it, so for a file without any it is what `sha256sum` prints.
/// It is computed beside the decoding of points, which takes longer: with the processor's own
/// SHA instructions it never is the part one waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || ParseDigestError {
            got: text.to_owned(),
        };
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(malformed());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for &digit in pair {
                let value = char::from(digit).to_digit(16).ok_or_else(malformed)?;
                *byte = *byte << 4 | u8::try_from(value).map_err(|_| malformed())?;
            }
        }
        Ok(Self(bytes))
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_back() {
        let mut bytes = [0; 32];
        bytes
            .iter_mut()
            .zip(0..)
            .for_each(|(byte, i)| *byte = 7 * i);
        assert_eq!(Digest(bytes).to_string().parse(), Ok(Digest(bytes)));
        assert_eq!(
            Digest(bytes).to_string().to_uppercase().parse(),
            Ok(Digest(bytes))
        );
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "00",
            &"0".repeat(63),
            &"0".repeat(65),
            &"g".repeat(64),
            &"é".repeat(32),
        ] {
            let error = text.parse::<Digest>().expect_err("malformed");
            assert_eq!(error.got, text);
        }
    }
}
