//! Where an outcome goes, and how who waits for it hears of it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex},
    task::{Context, Poll, Waker},
    time::Instant,
};

use super::Finished;
use crate::{
    Error,
    waiting::{lock, wait_until},
};

pub(super) type Outcome = Result<Finished, Error>;

/// The place of one outcome.
#[derive(Debug, Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_resolved: bool,
    /// Until it is taken.
    outcome: Option<Outcome>,
    waker: Option<Waker>,
}

impl Slot {
    /// Puts the outcome there, unless there was one.
    pub(super) fn resolve(&self, outcome: Outcome) -> bool {
        let mut state = lock(&self.state);
        if state.is_resolved {
            return false;
        }
        state.is_resolved = true;
        state.outcome = Some(outcome);
        let waker = state.waker.take();
        drop(state);
        self.changed.notify_all();
        // The waker is somebody else's code, and a thread of the pipeline outlives its panic.
        let wake = AssertUnwindSafe(|| waker.into_iter().for_each(Waker::wake));
        if catch_unwind(wake).is_err() {
            tracing::warn!("the waker of a ticket panicked");
        }
        true
    }

    pub(super) fn is_resolved(&self) -> bool {
        lock(&self.state).is_resolved
    }

    /// The outcome, if it comes before the deadline and was not taken.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Option<Outcome> {
        wait_until(&self.state, &self.changed, deadline, State::take)
    }

    pub(super) fn try_take(&self) -> Option<Outcome> {
        lock(&self.state).take()
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Outcome> {
        let mut state = lock(&self.state);
        if let Some(outcome) = state.take() {
            return Poll::Ready(outcome);
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            waker => *waker = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl State {
    fn take(&mut self) -> Option<Outcome> {
        let is_spent = self.is_resolved && self.outcome.is_none();
        let spent = is_spent.then_some(Err(Error::TicketSpent));
        self.outcome.take().or(spent)
    }
}

/// The duty to bring one outcome.
#[derive(Debug)]
pub(super) struct Delivery(Arc<Slot>);

impl Delivery {
    pub(super) fn to(slot: &Arc<Slot>) -> Self {
        Self(Arc::clone(slot))
    }

    pub(super) fn send(self, outcome: Outcome) {
        self.0.resolve(outcome);
    }

    /// Where the outcome goes.
    pub(super) fn slot(&self) -> &Arc<Slot> {
        &self.0
    }
}

impl Drop for Delivery {
    /// Nobody waits for ever.
    fn drop(&mut self) {
        if !self.0.is_resolved() {
            self.0.resolve(Err(Error::Closed));
        }
    }
}
