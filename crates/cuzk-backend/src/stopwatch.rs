use std::fmt;
use std::time::Duration;

use crate::{Pending, QueryName};

/// A stretch of a machine's work, by the machine's own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lap {
    /// From the start of the clock to that of the work.
    pub start: Duration,
    /// How long the work took.
    pub elapsed: Duration,
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

/// A machine's own clock, which starts with what is enqueued after it was made.
///
/// The laps of one clock have that start in common.
pub struct Clock<E>(Box<Start<E>>);

type Start<E> = dyn Fn(Lane) -> Result<Stopwatch<E>, E> + Send + Sync;

impl<E> Clock<E> {
    /// A clock whose stopwatches `start` makes.
    pub fn new(start: impl Fn(Lane) -> Result<Stopwatch<E>, E> + Send + Sync + 'static) -> Self {
        Self(Box::new(start))
    }

    /// Begins a stretch with what is enqueued there from here on.
    ///
    /// # Errors
    /// The machine's own.
    pub fn stopwatch(&self, lane: Lane) -> Result<Stopwatch<E>, E> {
        (self.0)(lane)
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
        };
        let clock = Clock::<&str>::new(move |_| {
            Ok(Stopwatch::new(move || {
                Ok(Pending::running(move || Ok(lap)))
            }))
        });
        let watch = clock.stopwatch(Lane::Work).expect("it runs");
        assert_eq!(watch.stop().and_then(Pending::wait), Ok(lap));
        let broken = Clock::<&str>::new(|_| Err("no clock"));
        assert_eq!(broken.stopwatch(Lane::Work).err(), Some("no clock"));
    }
}
