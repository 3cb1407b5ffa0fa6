//! Who waits for bytes, and who has them.

use std::{collections::VecDeque, fmt, sync::Arc};

use super::{Core, PipelineStatus, synthesis::Job};
use crate::{Error, turns::Turns, waiting::lock};

/// Jobs before their witness pass, and the bytes of all jobs.
#[derive(Debug)]
pub(super) struct Queues {
    budget_bytes: usize,
    used_bytes: usize,
    peak_bytes: usize,
    /// Jobs without room, in the order in which they came, and the bytes that each needs.
    line: VecDeque<(usize, Job)>,
    /// Jobs that have their bytes.
    queued: Turns<Job>,
    synthesizing: usize,
    is_closed: bool,
    discards: bool,
    next_id: u64,
}

impl Queues {
    pub(super) fn new(budget_bytes: usize) -> Self {
        Self {
            budget_bytes,
            used_bytes: 0,
            peak_bytes: 0,
            line: VecDeque::new(),
            queued: Turns::default(),
            synthesizing: 0,
            is_closed: false,
            discards: false,
            next_id: 0,
        }
    }

    pub(super) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Whether a job of so many bytes would be taken at once.
    pub(super) fn has_room(&self, needed_bytes: usize) -> Result<(), Error> {
        let free_bytes = self.budget_bytes - self.used_bytes;
        if self.line.is_empty() && needed_bytes <= free_bytes {
            return Ok(());
        }
        Err(Error::PipelineFull {
            needed_bytes,
            free_bytes,
            budget_bytes: self.budget_bytes,
        })
    }

    pub(super) fn line_up(&mut self, job: Job, needed_bytes: usize) {
        self.line.push_back((needed_bytes, job));
        self.admit();
    }

    pub(super) fn is_in_line(&self, id: u64) -> bool {
        self.line.iter().any(|(_, job)| job.id == id)
    }

    /// Lets those in that have room, none before those who came earlier.
    fn admit(&mut self) {
        while let Some((needed_bytes, mut job)) = self.line.pop_front() {
            if needed_bytes > self.budget_bytes - self.used_bytes {
                self.line.push_front((needed_bytes, job));
                return;
            }
            self.used_bytes += needed_bytes;
            self.peak_bytes = self.peak_bytes.max(self.used_bytes);
            job.bytes.bytes = needed_bytes;
            self.queued.push(job.key(), job);
        }
    }

    fn give_back(&mut self, bytes: usize) {
        self.used_bytes -= bytes;
        self.admit();
    }

    /// The next job for a witness pass.
    pub(super) fn start(&mut self) -> Option<Job> {
        let job = self.queued.next(|_| true)?;
        self.synthesizing += 1;
        Some(job)
    }

    pub(super) fn end(&mut self) {
        self.synthesizing -= 1;
    }

    /// Takes a job out that waits.
    pub(super) fn remove(&mut self, id: u64) -> Option<Job> {
        self.queued.remove(|job| job.id == id)
    }

    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Closes, and gives up whatever waits.
    pub(super) fn discard(&mut self) -> Vec<Job> {
        self.is_closed = true;
        self.discards = true;
        self.queued.take_all()
    }

    /// Whether made witnesses are given up.
    pub(super) fn discards(&self) -> bool {
        self.discards
    }

    /// Whether no thread is needed any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_closed && self.line.is_empty() && self.queued.is_empty()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.is_over() && self.synthesizing == 0
    }

    /// What is known here of what is in flight.
    pub(super) fn status(&self) -> PipelineStatus {
        PipelineStatus {
            witness_bytes: self.used_bytes,
            peak_witness_bytes: self.peak_bytes,
            blocked: self.line.len(),
            queued: self.queued.len(),
            synthesizing: self.synthesizing,
            ..PipelineStatus::default()
        }
    }
}

/// Bytes of the budget, which are given back when this is dropped.
///
/// It is dropped by no one who has the lock of the queues.
pub(super) struct Bytes {
    core: Arc<Core>,
    bytes: usize,
}

impl Bytes {
    pub(super) fn none(core: &Arc<Core>) -> Self {
        Self {
            core: Arc::clone(core),
            bytes: 0,
        }
    }

    /// Gives back what is above.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        let above = self.bytes.saturating_sub(bytes);
        if above > 0 {
            self.bytes -= above;
            lock(&self.core.queues).give_back(above);
            self.core.changed.notify_all();
        }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bytes").field(&self.bytes).finish()
    }
}
