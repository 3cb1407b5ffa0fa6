use std::{fmt, str::FromStr};

use thiserror::Error;

/// Which machine proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Backend {
    /// The best one there is. The report says which it was.
    ///
    /// A device is taken for circuits of many rows, once it has passed a trial proof; without one,
    /// and for a key that it cannot hold, the processor proves. A proof that fails on a device
    /// later is an error; the next one is tried there again.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// A CUDA device: feature `cuda`.
    Cuda,
}

impl Backend {
    /// Every choice.
    pub const ALL: &'static [Self] = &[Self::Auto, Self::Cpu, Self::Cuda];

    /// The name on a command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no backend.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown backend: expected auto, cpu or cuda, got {got:?}")]
pub struct ParseBackendError {
    /// The word that came.
    pub got: String,
}

impl FromStr for Backend {
    type Err = ParseBackendError;

    fn from_str(word: &str) -> Result<Self, ParseBackendError> {
        let named = Self::ALL.iter().find(|backend| backend.name() == word);
        named.copied().ok_or_else(|| ParseBackendError {
            got: word.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_back_and_others_are_refused_with_the_names() {
        for &backend in Backend::ALL {
            assert_eq!(backend.name().parse(), Ok(backend));
        }
        let refused = "gpu".parse::<Backend>().expect_err("no such name");
        assert_eq!(
            refused.to_string(),
            "unknown backend: expected auto, cpu or cuda, got \"gpu\""
        );
    }
}
