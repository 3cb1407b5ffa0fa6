use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use super::{Core, Finished, slot::Slot};
use crate::{Error, waiting::lock};

/// A proof that is being made.
///
/// It is waited for by [`Ticket::wait`], or as a future, in any runtime. Dropping it before it has
/// its outcome cancels the job, quietly and no other.
///
/// # Errors
/// What waits for a ticket gets [`Error::Synthesis`], [`Error::CircuitPanicked`] or
/// [`Error::Prove`] of its own circuit, [`Error::ProverPanicked`] where the prover broke,
/// [`Error::Cancelled`] after [`Ticket::cancel`] and [`Error::Closed`] after the pipeline was
/// dropped.
#[must_use = "dropping a ticket cancels its job"]
pub struct Ticket {
    id: u64,
    slot: Arc<Slot>,
    core: Arc<Core>,
}

impl Ticket {
    pub(super) fn new(id: u64, slot: Arc<Slot>, core: Arc<Core>) -> Self {
        Self { id, slot, core }
    }

    /// A number that no other ticket of the pipeline has.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether the outcome is there.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.slot.is_resolved()
    }

    /// Waits for the outcome.
    ///
    /// # Errors
    /// See [`Ticket`].
    pub fn wait(self) -> Result<Finished, Error> {
        let outcome = self.slot.wait(None);
        outcome.expect("without a deadline the outcome comes")
    }

    /// The outcome, or the ticket back where it is not there yet.
    ///
    /// # Errors
    /// The ticket.
    pub fn try_wait(self) -> Result<Result<Finished, Error>, Self> {
        self.slot.try_take().ok_or(self)
    }

    /// The outcome, or the ticket back where it did not come in time.
    ///
    /// A thread of a `rayon` pool may come back later, by a piece of the pool's work.
    ///
    /// # Errors
    /// The ticket.
    pub fn wait_timeout(self, timeout: Duration) -> Result<Result<Finished, Error>, Self> {
        let deadline = Instant::now().checked_add(timeout);
        self.slot.wait(deadline).ok_or(self)
    }

    /// Cancels the job; `false` where its outcome was there already.
    ///
    /// A job that waits leaves its queue, and its bytes are back at once. A witness pass or proof
    /// that runs is let run to its end, where its bytes come back and its result is dropped.
    pub fn cancel(&self) -> bool {
        if !self.slot.resolve(Err(Error::Cancelled)) {
            return false;
        }
        // What is taken out is dropped after the locks, since its bytes need one of them.
        let queued = lock(&self.core.queues).remove(self.id);
        if queued.is_none() {
            drop(self.core.board.remove(self.id));
        }
        true
    }
}

impl Future for Ticket {
    type Output = Result<Finished, Error>;

    /// Polled again after it was ready, it gives [`Error::TicketSpent`].
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.slot.poll(context)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("id", &self.id)
            .field("is_finished", &self.is_finished())
            .finish()
    }
}
