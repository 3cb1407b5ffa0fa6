use std::sync::atomic::{AtomicUsize, Ordering};

/// How far a set-up is. Reports of many threads may arrive out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Points that are done, in all queries together.
    pub done: usize,
    /// Points that the parameters have, without the head of the key.
    pub total: usize,
}

/// Counts points from many threads and reports them.
pub(super) struct Counter<'a, F> {
    done: AtomicUsize,
    total: usize,
    report: &'a F,
}

impl<'a, F: Fn(Progress) + Sync> Counter<'a, F> {
    pub(super) fn new(total: usize, report: &'a F) -> Self {
        Self {
            done: AtomicUsize::new(0),
            total,
            report,
        }
    }

    pub(super) fn add(&self, points: usize) {
        let done = points + self.done.fetch_add(points, Ordering::Relaxed);
        let total = self.total;
        (self.report)(Progress { done, total });
    }
}
