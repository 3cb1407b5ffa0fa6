use std::fmt;
use std::time::Duration;

use crate::Pending;

/// Measures a stretch of a machine's work by the machine's own clock.
///
/// It begins with what is enqueued after it was made, and ends with what is enqueued before it is
/// stopped; the time is known once that work is done.
pub struct Stopwatch<E>(Box<Stop<E>>);

type Stop<E> = dyn FnOnce() -> Result<Pending<Duration, E>, E> + Send;

impl<E> Stopwatch<E> {
    /// A stretch that `stop` ends.
    pub fn new(stop: impl FnOnce() -> Result<Pending<Duration, E>, E> + Send + 'static) -> Self {
        Self(Box::new(stop))
    }

    /// Ends the stretch.
    ///
    /// # Errors
    /// The machine's own.
    pub fn stop(self) -> Result<Pending<Duration, E>, E> {
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
        let time = Duration::from_millis(7);
        let watch = Stopwatch::<&str>::new(move || Ok(Pending::running(move || Ok(time))));
        assert_eq!(watch.stop().and_then(Pending::wait), Ok(time));
        let broken = Stopwatch::<&str>::new(|| Err("no clock"));
        assert_eq!(broken.stop().err(), Some("no clock"));
    }
}
