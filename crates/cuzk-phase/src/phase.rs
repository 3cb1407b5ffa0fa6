//! The list of phases.

use crate::ParsePhaseError;
use std::{fmt, str::FromStr};

/// Stamps the enum, its names and its spans from one list, so that they cannot drift apart.
macro_rules! phases {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// One step of a proof or of its preparation.
        ///
        /// The name is the token of the `tracing` span, of the report row, of the benchmark id
        /// and of the changelog.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Phase {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Phase {
            /// Every phase, in the order in which a run meets them.
            pub const ALL: &'static [Phase] = &[$(Phase::$variant,)+];

            /// The name of the phase.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Phase::$variant => $name,)+
                }
            }

            /// A span of this phase's name at info level.
            pub(crate) fn tracing_span(self) -> tracing::Span {
                use tracing::field::Empty;
                match self {
                    $(Phase::$variant => tracing::info_span!($name, n = Empty, bytes = Empty),)+
                }
            }
        }
    };
}

phases! {
    /// Opens the machine that proves: its threads, its device, the kernels.
    Open = "open",
    /// Computes the discrete logarithms of new parameters.
    Exponents = "exponents",
    /// Multiplies the generators with them.
    FixedBase = "fixed_base",
    /// Reads and checks a parameter file.
    LoadKey = "load_key",
    /// Registers host memory with a device.
    Pin = "pin",
    /// Captures the shape of a circuit and prepares matrices and bases for it.
    Compile = "compile",
    /// Waits for its turn, behind other proofs.
    Queue = "queue",
    /// Computes the witness.
    Synthesize = "synthesize",
    /// Moves the witness to where it is worked on.
    Upload = "upload",
    /// Multiplies the matrices A, B, C with the witness.
    Evaluate = "evaluate",
    /// The transforms that give the quotient.
    Ntt = "ntt",
    /// The sum over the H query.
    MsmH = "msm_h",
    /// Splits the witness into zeros, ones and the rest.
    PrepMsm = "prep_msm",
    /// Sums the bases whose scalar is one.
    BatchAddition = "batch_addition",
    /// The sum over the rest of the L query.
    TailMsmL = "tail_msm_l",
    /// The sum over the rest of the A query.
    TailMsmA = "tail_msm_a",
    /// The sum over the rest of the B query in G1.
    TailMsmBG1 = "tail_msm_b_g1",
    /// The sum over the B query in G2.
    MsmBG2 = "msm_b_g2",
    /// Puts the proof's three points together.
    Assemble = "assemble",
    /// Verifies the proof before it is returned.
    Verify = "verify",
    /// Unregisters host memory.
    Unpin = "unpin",
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Phase {
    type Err = ParsePhaseError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|phase| phase.name() == word)
            .ok_or_else(|| ParsePhaseError {
                got: word.to_owned(),
            })
    }
}

impl serde::Serialize for Phase {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The names of all phases, for an error message.
pub(crate) fn joined_names() -> String {
    Phase::ALL
        .iter()
        .map(|phase| phase.name())
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &phase in Phase::ALL {
            assert_eq!(phase.name().parse::<Phase>(), Ok(phase));
        }
    }

    #[test]
    fn all_lists_every_phase_once_and_in_order() {
        assert!(Phase::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(Phase::ALL.len(), Phase::Unpin as usize + 1);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_list() {
        let error = "msm_x".parse::<Phase>().expect_err("no such phase");
        assert_eq!(error.got, "msm_x");
        assert!(
            error
                .to_string()
                .contains("open, exponents, fixed_base, load_key, pin, compile"),
            "{error}"
        );
        assert!("Load_Key".parse::<Phase>().is_err());
        assert!("".parse::<Phase>().is_err());
    }

    #[test]
    fn display_honours_width() {
        assert_eq!(format!("{:<6}|", Phase::Ntt), "ntt   |");
    }
}
