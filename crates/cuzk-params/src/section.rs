//! The parts of a parameter file by name.

use cuzk_curve::{G1, G2, SourceGroup};
use std::fmt;

/// A part of a parameter file, in the order of the file.
///
/// The first six are single points, the *key head*; the others are a count and so many points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Section {
    /// `[α]₁`
    AlphaG1,
    /// `[β]₁`
    BetaG1,
    /// `[β]₂`
    BetaG2,
    /// `[γ]₂`
    GammaG2,
    /// `[δ]₁`
    DeltaG1,
    /// `[δ]₂`
    DeltaG2,
    /// The bases of the public inputs; the last part of a verifying key.
    Ic,
    /// The bases of the quotient.
    H,
    /// The bases of the auxiliary variables.
    L,
    /// The bases of A.
    A,
    /// The bases of B in G1.
    BG1,
    /// The bases of B in G2.
    BG2,
}

impl Section {
    /// The single points at the start.
    pub(crate) const HEAD: [Self; 6] = [
        Self::AlphaG1,
        Self::BetaG1,
        Self::BetaG2,
        Self::GammaG2,
        Self::DeltaG1,
        Self::DeltaG2,
    ];

    /// The counted sections, in the order of the file.
    pub(crate) const COUNTED: [Self; 6] =
        [Self::Ic, Self::H, Self::L, Self::A, Self::BG1, Self::BG2];

    /// The name of the section.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AlphaG1 => "alpha_g1",
            Self::BetaG1 => "beta_g1",
            Self::BetaG2 => "beta_g2",
            Self::GammaG2 => "gamma_g2",
            Self::DeltaG1 => "delta_g1",
            Self::DeltaG2 => "delta_g2",
            Self::Ic => "ic",
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        }
    }

    /// Bytes of one point of the section.
    #[must_use]
    pub const fn point_bytes(self) -> usize {
        match self {
            Self::BetaG2 | Self::GammaG2 | Self::DeltaG2 | Self::BG2 => G2::UNCOMPRESSED_BYTES,
            _ => G1::UNCOMPRESSED_BYTES,
        }
    }

    /// Whether the identity may stand here.
    ///
    /// In a query it is the base of a variable that a polynomial does not have. In the key
    /// head it would make every proof or no proof valid, and in `ic` it would leave a public
    /// input without effect, so that a proof holds for any value of it.
    pub(crate) const fn admits_identity(self) -> bool {
        matches!(self, Self::H | Self::L | Self::A | Self::BG1 | Self::BG2)
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl serde::Serialize for Section {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
