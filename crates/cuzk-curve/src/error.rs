use thiserror::Error;

/// A domain that the scalar field does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DomainError {
    /// The order is above 2^32, the two-adicity of the scalar field.
    #[error("domain too large: expected at most 2^{max} elements, got {what}")]
    TooLarge {
        /// The largest exponent there is.
        max: u32,
        /// What was asked for.
        what: RequestedOrder,
    },
}

/// The order a caller asked of a domain, as it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedOrder {
    /// A power of two, by its exponent.
    LogN(u32),
    /// At least so many elements.
    AtLeast(u64),
}

impl std::fmt::Display for RequestedOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LogN(log_n) => write!(f, "2^{log_n}"),
            Self::AtLeast(n) => write!(f, "{n}"),
        }
    }
}

/// Bytes that are not a point, or not the point asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PointError {
    /// The slice has another length than the encoding.
    #[error("point encoding has the wrong length: expected {expected} bytes, got {got}")]
    Length {
        /// Bytes of the encoding.
        expected: usize,
        /// Bytes that came.
        got: usize,
    },
    /// The three flag bits do not fit the encoding.
    #[error("flag bits do not fit the encoding: expected {expected}, got {got:#05b}")]
    Flags {
        /// The encoding that was read.
        expected: &'static str,
        /// Compression, infinity and sign bit, highest first.
        got: u8,
    },
    /// The infinity flag is set, and other bits are too.
    #[error("identity with non-zero bytes: expected zeros after the infinity flag")]
    IdentityWithResidue,
    /// A coordinate is not below the field modulus.
    #[error("coordinate not canonical: expected a value below the field modulus")]
    CoordinateNotCanonical,
    /// The coordinates do not satisfy the curve equation.
    #[error("point not on the curve")]
    NotOnCurve,
    /// The point is on the curve and outside the subgroup of prime order.
    #[error("point not in the subgroup of prime order")]
    NotInSubgroup,
    /// The identity stands where it has no meaning.
    #[error("point is the identity where a finite point is expected")]
    Identity,
}

/// Bytes that are not a canonical scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScalarError {
    /// The value is not below the group order.
    #[error("scalar not canonical: expected a value below the group order")]
    NotCanonical,
}

/// Limbs that are not a reduced field element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("element {index} is not reduced: expected limbs below the modulus of {field}")]
pub struct LimbsError {
    /// Position in the slice.
    pub index: usize,
    /// `Fr` or `Fp`.
    pub field: &'static str,
}
