//! Work that goes on in the pool while its caller does.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc::{TryRecvError, sync_channel},
    thread,
};

use cuzk_backend::Pending;
use rayon::Yield;

/// Runs work as a task of the current pool.
///
/// Whoever waits in a thread of the pool works on other tasks meanwhile, so that a pool of one
/// thread gets on too. A panic of the work is that of the one who waits.
pub(crate) fn beside<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Pending<T, E>
where
    T: Send + 'static,
    E: Send + 'static,
{
    let (sender, receiver) = sync_channel(1);
    rayon::spawn(move || {
        let _span = tracing::debug_span!("beside").entered();
        // Nobody listens where the result was dropped unwaited.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    });
    Pending::running(move || {
        let outcome = loop {
            match receiver.try_recv() {
                Ok(outcome) => break outcome,
                Err(TryRecvError::Disconnected) => unreachable!("a task sends before it ends"),
                Err(TryRecvError::Empty) => match rayon::yield_now() {
                    Some(Yield::Executed) => {}
                    Some(Yield::Idle) => thread::yield_now(),
                    None => break receiver.recv().expect("a task sends before it ends"),
                },
            }
        };
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_inside_and_outside_of_a_pool_of_one_thread() {
        let outside = beside(|| Ok::<_, ()>(1));
        assert_eq!(outside.wait(), Ok(1));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let inside = pool.expect("one thread").install(|| {
            let one = beside(|| Ok::<_, &str>(2));
            let other = beside(|| Err::<(), _>("broken"));
            (one.wait(), other.wait())
        });
        assert_eq!(inside, (Ok(2), Err("broken")));
    }

    #[test]
    fn a_panic_is_that_of_the_one_who_waits() {
        let pending = beside(|| -> Result<(), ()> { panic!("on purpose") });
        let waited = catch_unwind(AssertUnwindSafe(|| pending.wait()));
        assert!(waited.is_err());
    }
}
