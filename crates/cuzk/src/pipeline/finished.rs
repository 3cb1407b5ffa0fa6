use std::{fmt, time::Duration};

use cuzk_phase::{Phase, Report};

use crate::{Error, Proved};

/// A proof from a [`Pipeline`](crate::Pipeline), verified, and where its time went.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finished {
    /// The proof, and what it proves.
    pub proved: Proved,
    /// The phases of this proof alone, from its submission on; the time that it waited is phase
    /// `queue`.
    pub report: Report,
}

impl Finished {
    /// How long it waited: for room, for a thread, for a machine, and on the machine behind the
    /// proof before it.
    #[must_use]
    pub fn queued(&self) -> Duration {
        let row = self.report.phase(Phase::Queue);
        row.map_or(Duration::ZERO, |row| row.host)
    }
}

/// A circuit that was not taken, and why.
#[non_exhaustive]
pub struct Refused<C> {
    /// The circuit, as it came.
    pub circuit: C,
    /// Why.
    pub error: Error,
}

impl<C> fmt::Debug for Refused<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut refused = f.debug_struct("Refused");
        refused.field("error", &self.error).finish_non_exhaustive()
    }
}

impl<C> fmt::Display for Refused<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the circuit was not taken")
    }
}

impl<C> std::error::Error for Refused<C> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<C> From<Refused<C>> for Error {
    fn from(refused: Refused<C>) -> Self {
        refused.error
    }
}
