use std::fmt;
use std::str::FromStr;

use cuzk_params::Digest;
use thiserror::Error;

use crate::{Instance, Statement, output, spend};

/// Bytes of the ceremony's transcript, which follow the last section of each parameter file.
pub const TRANSCRIPT_BYTES: usize = 52_836;

/// A circuit of Zcash Sapling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Circuit {
    /// A new note is what its commitment says.
    Output,
    /// A note of the tree is spent by its owner.
    Spend,
}

/// A name that is not a Sapling circuit's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a Sapling circuit: expected sapling-output or sapling-spend, got {got:?}")]
pub struct UnknownCircuit {
    /// The name.
    pub got: String,
}

impl Circuit {
    /// Both circuits.
    pub const ALL: [Self; 2] = [Self::Output, Self::Spend];

    /// The circuit's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Output => "sapling-output",
            Self::Spend => "sapling-spend",
        }
    }

    /// The circuit without values, for the shape pass.
    #[must_use]
    pub fn blank(self) -> Instance {
        match self {
            Self::Output => Instance::Output(Box::new(output::blank())),
            Self::Spend => Instance::Spend(Box::new(spend::blank())),
        }
    }

    /// A valid statement; the seed decides everything.
    #[must_use]
    pub fn statement(self, seed: u64) -> Statement {
        match self {
            Self::Output => output::statement(seed),
            Self::Spend => spend::statement(seed),
        }
    }

    /// The parameter file of the ceremony, transcript included.
    ///
    /// Copies it out of the program, together with the other circuit's for a moment: 52 MB.
    #[cfg(feature = "parameters")]
    #[must_use]
    pub fn parameters_bytes(self) -> Vec<u8> {
        let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
        match self {
            Self::Output => output,
            Self::Spend => spend,
        }
    }

    /// The digest of the parameter file without its transcript.
    ///
    /// Taken from files whose BLAKE2b digest is the one that the ceremony published.
    #[must_use]
    pub fn parameters_digest(self) -> Digest {
        Digest(match self {
            Self::Output => [
                0x1b, 0xa3, 0x8f, 0x75, 0x5f, 0xd3, 0x39, 0x7e, 0xaf, 0x32, 0x31, 0x8d, 0x58, 0x1b,
                0x5f, 0x40, 0x1c, 0x4f, 0x04, 0x59, 0x25, 0xd8, 0x8f, 0x83, 0xcb, 0x41, 0x09, 0x9e,
                0xd5, 0x7b, 0xd2, 0xa6,
            ],
            Self::Spend => [
                0x73, 0x88, 0x64, 0xb2, 0x83, 0xad, 0x00, 0x23, 0x20, 0x14, 0x32, 0x24, 0x01, 0x5f,
                0xa7, 0xb4, 0x73, 0x65, 0xd5, 0xde, 0x2b, 0x6b, 0x82, 0x3d, 0x14, 0x60, 0xd4, 0x42,
                0x01, 0xa6, 0x91, 0xd9,
            ],
        })
    }
}

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Circuit {
    type Err = UnknownCircuit;

    fn from_str(name: &str) -> Result<Self, UnknownCircuit> {
        let found = Self::ALL.into_iter().find(|circuit| circuit.name() == name);
        found.ok_or_else(|| UnknownCircuit {
            got: name.to_owned(),
        })
    }
}
