//! The strategies by name.

use crate::ParseHostMemoryError;
use std::{fmt, str::FromStr};

/// How the memory of a buffer is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum HostMemory {
    /// Ordinary memory. A device copies from it through the driver's staging buffer.
    #[default]
    Pageable,
    /// Memory of its own pages, registered with the device after it has been filled.
    /// Copies run at bus speed; registering has a price for each page.
    Registered,
    /// Ordinary memory that several threads copy to a few registered buffers, from which it goes
    /// to the device meanwhile.
    Staged,
    /// For each buffer the one of the three that [`CopyRates`](crate::CopyRates) predict to be
    /// the least work.
    Auto,
}

impl HostMemory {
    /// Every strategy.
    pub const ALL: &'static [Self] = &[Self::Pageable, Self::Registered, Self::Staged, Self::Auto];

    /// The name used on command lines and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pageable => "pageable",
            Self::Registered => "registered",
            Self::Staged => "staged",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for HostMemory {
    type Err = ParseHostMemoryError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|strategy| strategy.name() == word)
            .ok_or_else(|| ParseHostMemoryError {
                got: word.to_owned(),
            })
    }
}

/// The names of all strategies, for an error message.
pub(crate) fn joined_names() -> String {
    HostMemory::ALL
        .iter()
        .map(|strategy| strategy.name())
        .collect::<Vec<_>>()
        .join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &strategy in HostMemory::ALL {
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_list() {
        let error = "pinned"
            .parse::<HostMemory>()
            .expect_err("no such strategy");
        let text = error.to_string();
        assert_eq!(
            text,
            "unknown host memory strategy \"pinned\", expected pageable or \
             registered or staged or auto"
        );
    }
}
