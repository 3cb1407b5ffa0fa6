use ff::PrimeField;

use crate::{Fr, PointError, ScalarError};

/// How much of a point is checked when it is decoded.
///
/// Every level checks the flags and that the coordinates are below the field modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PointCheck {
    /// Nothing more: for bytes whose digest is known to be right.
    Encoding,
    /// The curve equation.
    #[default]
    OnCurve,
    /// The curve equation and the subgroup of prime order.
    Subgroup,
}

/// The 32 little-endian bytes of a scalar, out of Montgomery form.
#[must_use]
pub fn encode_scalar(scalar: &Fr) -> [u8; 32] {
    scalar.to_bytes_le()
}

/// A scalar from its 32 little-endian bytes.
///
/// # Errors
/// [`ScalarError::NotCanonical`] at or above the group order.
pub fn decode_scalar(bytes: &[u8; 32]) -> Result<Fr, ScalarError> {
    Fr::from_repr_vartime(*bytes).ok_or(ScalarError::NotCanonical)
}

const COMPRESSED: u8 = 0b100;
const INFINITY: u8 = 0b010;
const SIGN: u8 = 0b001;

/// What the three flag bits of a well-flagged encoding say.
pub(crate) enum Flagged {
    Identity,
    Finite,
}

/// Reads the flag bits of an encoding of `expected` bytes (ZCash serialisation: compression,
/// infinity and sign in the top bits of the first byte).
pub(crate) fn read_flags(
    bytes: &[u8],
    expected_bytes: usize,
    compressed: bool,
) -> Result<Flagged, PointError> {
    if bytes.len() != expected_bytes {
        return Err(PointError::Length {
            expected: expected_bytes,
            got: bytes.len(),
        });
    }
    let flags = bytes[0] >> 5;
    let wrong = PointError::Flags {
        expected: if compressed {
            "a compressed point"
        } else {
            "an uncompressed point"
        },
        got: flags,
    };
    if (flags & COMPRESSED != 0) != compressed {
        return Err(wrong);
    }
    if flags & INFINITY != 0 {
        if flags & SIGN != 0 {
            return Err(wrong);
        }
        if bytes[0] & 0x1f != 0 || bytes[1..].iter().any(|&b| b != 0) {
            return Err(PointError::IdentityWithResidue);
        }
        return Ok(Flagged::Identity);
    }
    if !compressed && flags & SIGN != 0 {
        return Err(wrong);
    }
    // (0, 0) satisfies no curve equation, and its limbs are those of the identity: taken at
    // its word it would be a second encoding of the identity.
    if !compressed && bytes.iter().all(|&byte| byte == 0) {
        return Err(PointError::NotOnCurve);
    }
    Ok(Flagged::Finite)
}
