//! Waiting that holds nothing up, also in a pool of threads.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long a pool's thread sleeps when the pool has no work for it.
const POOL_NAP: Duration = Duration::from_millis(1);

/// The most that anybody sleeps before it looks again.
const LONGEST: Duration = Duration::from_millis(500);

/// Locks what no panic of ours leaves half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until `ready` finds something, or until the deadline.
///
/// What is waited for may need the very pool of which this thread is one, so a pool's thread does
/// the pool's work meanwhile; it may come back later than the deadline, by a piece of such work.
pub(crate) fn wait_until<T, R>(
    mutex: &Mutex<T>,
    changed: &Condvar,
    deadline: Option<Instant>,
    mut ready: impl FnMut(&mut T) -> Option<R>,
) -> Option<R> {
    let mut guard = lock(mutex);
    loop {
        if let Some(found) = ready(&mut guard) {
            return Some(found);
        }
        let mut nap = LONGEST;
        if let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            nap = nap.min(left);
        }
        if rayon::current_thread_index().is_some() {
            drop(guard);
            let worked = rayon::yield_now() == Some(rayon::Yield::Executed);
            guard = lock(mutex);
            if worked {
                continue;
            }
            nap = nap.min(POOL_NAP);
        }
        if let Some(found) = ready(&mut guard) {
            return Some(found);
        }
        guard = changed
            .wait_timeout(guard, nap)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}
