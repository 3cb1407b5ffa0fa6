use std::fmt;
use std::time::Duration;

use crate::{Pending, QueryName};

/// A stretch of a machine's work, by the machine's own clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lap {
    /// From the start of the clock to that of the work.
    pub start: Duration,
    /// How long the work took.
    pub elapsed: Duration,
    /// What it was made of, where [`Detail::Parts`] was asked for.
    pub parts: Vec<LapPart>,
}

/// A named part of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LapPart {
    /// What was done.
    pub name: &'static str,
    /// On what the machine did it beside the stretch's own lane; nothing for that lane.
    pub beside: Option<&'static str>,
    /// From the start of the clock to that of the part.
    pub start: Duration,
    /// How long it took.
    pub elapsed: Duration,
}

/// How much of a stretch is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Its beginning and its end.
    Whole,
    /// Those of its parts too, where the machine tells them.
    Parts,
}

/// Which of a machine's work a stretch is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// What is enqueued in the order of the calls.
    Work,
    /// Copies of witnesses to the machine, which may go beside that.
    Uploads,
    /// The sums over a query of a witness, which may go beside both; see
    /// [`WitnessMsm::lane`](crate::WitnessMsm::lane).
    Query(QueryName),
}

impl Lane {
    /// The word for it in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Uploads => "copies",
            Self::Query(QueryName::H) => "sums over H",
            Self::Query(QueryName::L) => "sums over L",
            Self::Query(QueryName::A) => "sums over A",
            Self::Query(QueryName::BG1) => "sums over B in G1",
            Self::Query(QueryName::BG2) => "sums over B in G2",
        }
    }
}

/// A machine's own clock, which starts with what is enqueued after it was made.
///
/// The laps of one clock have that start in common.
pub struct Clock<E>(Box<Start<E>>);

type Start<E> = dyn Fn(Lane, Detail) -> Result<Stopwatch<E>, E> + Send + Sync;

impl<E> Clock<E> {
    /// A clock whose stopwatches `start` makes.
    pub fn new(
        start: impl Fn(Lane, Detail) -> Result<Stopwatch<E>, E> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(start))
    }

    /// Begins a stretch with what is enqueued there from here on.
    ///
    /// # Errors
    /// The machine's own.
    pub fn stopwatch(&self, lane: Lane, detail: Detail) -> Result<Stopwatch<E>, E> {
        (self.0)(lane, detail)
    }
}

impl<E> fmt::Debug for Clock<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Measures a stretch of a machine's work by the machine's own clock.
///
/// It begins with what is enqueued after it was made, and ends with what is enqueued before it is
/// stopped; the time is known once that work is done.
pub struct Stopwatch<E>(Box<Stop<E>>);

type Stop<E> = dyn FnOnce() -> Result<Pending<Lap, E>, E> + Send;

impl<E> Stopwatch<E> {
    /// A stretch that `stop` ends.
    pub fn new(stop: impl FnOnce() -> Result<Pending<Lap, E>, E> + Send + 'static) -> Self {
        Self(Box::new(stop))
    }

    /// Ends the stretch.
    ///
    /// # Errors
    /// The machine's own.
    pub fn stop(self) -> Result<Pending<Lap, E>, E> {
        (self.0)()
    }
}

impl<E> fmt::Debug for Stopwatch<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopwatch")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_that_of_the_machine() {
        let lap = Lap {
            start: Duration::from_millis(3),
            elapsed: Duration::from_millis(7),
            parts: Vec::new(),
        };
        let expected = lap.clone();
        let clock = Clock::<&str>::new(move |_, _| {
            let lap = lap.clone();
            Ok(Stopwatch::new(move || {
                Ok(Pending::running(move || Ok(lap)))
            }))
        });
        let watch = clock.stopwatch(Lane::Work, Detail::Whole).expect("it runs");
        assert_eq!(watch.stop().and_then(Pending::wait), Ok(expected));
        let broken = Clock::<&str>::new(|_, _| Err("no clock"));
        assert_eq!(
            broken.stopwatch(Lane::Work, Detail::Whole).err(),
            Some("no clock")
        );
    }
}
