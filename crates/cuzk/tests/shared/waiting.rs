//! Limits on waiting, so that a fault is a failure and no hang.

use std::{sync::mpsc, thread, time::Duration};

const MINUTE: Duration = Duration::from_secs(60);

/// Fails where the work hangs.
pub(crate) fn within_a_minute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(MINUTE) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the work hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().expect_err("it sent nothing"))
        }
    }
}
