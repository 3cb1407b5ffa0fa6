use std::fmt;

/// A result that a backend is computing, or has computed.
///
/// Work is enqueued when the `Pending` is made; [`Pending::wait`] synchronises. Dropping one
/// unwaited is quiet: the work is finished or abandoned by the backend.
#[must_use = "the work is not known to have succeeded before it is waited for"]
pub struct Pending<T, E>(State<T, E>);

enum State<T, E> {
    Ready(T),
    Running(Box<dyn FnOnce() -> Result<T, E> + Send>),
}

impl<T, E> Pending<T, E> {
    /// A result that is already there.
    pub fn ready(value: T) -> Self {
        Self(State::Ready(value))
    }

    /// A result that `finish` waits for and brings.
    pub fn running(finish: impl FnOnce() -> Result<T, E> + Send + 'static) -> Self {
        Self(State::Running(Box::new(finish)))
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// The error of the work.
    pub fn wait(self) -> Result<T, E> {
        match self.0 {
            State::Ready(value) => Ok(value),
            State::Running(finish) => finish(),
        }
    }
}

impl<T, E> fmt::Debug for Pending<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            State::Ready(_) => "Pending(ready)",
            State::Running(_) => "Pending(running)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_brings_the_value_or_the_error_of_the_work() {
        assert_eq!(Pending::<_, &str>::ready(3).wait(), Ok(3));
        assert_eq!(Pending::<_, &str>::running(|| Ok(4)).wait(), Ok(4));
        assert_eq!(
            Pending::<u8, _>::running(|| Err("broken")).wait(),
            Err("broken")
        );
    }
}
