use thiserror::Error;

/// Why a switch was not set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TuningError {
    /// No switch has this name.
    #[error(
        "unknown switch {got:?}: the nearest is {nearest}; there are {}",
        super::switch::joined_names()
    )]
    UnknownSwitch {
        /// The name that came.
        got: String,
        /// The name that is most like it.
        nearest: &'static str,
    },
    /// The switch does not take this value.
    #[error(
        "impossible value of {switch}: expected {expected}, got {got:?}; the nearest is {nearest}"
    )]
    ImpossibleValue {
        /// The switch.
        switch: &'static str,
        /// The values it takes.
        expected: &'static str,
        /// The value that came.
        got: String,
        /// The value that is nearest to it.
        nearest: String,
    },
    /// A setting has no equals sign.
    #[error("expected name=value, got {got:?}")]
    NotAPair {
        /// The setting that came.
        got: String,
    },
    /// A file is no TOML.
    #[error("not a file of switches in TOML")]
    Toml(#[from] toml::de::Error),
}
