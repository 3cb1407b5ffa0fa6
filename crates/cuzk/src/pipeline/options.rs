use std::{num::NonZeroUsize, thread::available_parallelism};

/// The settings of a [`Pipeline`](crate::Pipeline).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PipelineOptions {
    /// The most bytes of host memory that witnesses in flight may have.
    ///
    /// Nothing that depends on a device's memory; that has a budget of its own.
    pub witness_budget_bytes: usize,
    /// Threads for witness passes, each of which takes one.
    pub synthesis_threads: NonZeroUsize,
    /// The most proofs of one circuit that go through together before another circuit's turn.
    pub batch: NonZeroUsize,
}

impl PipelineOptions {
    /// 8 GiB: two witnesses of 2^27 variables. Chosen, not measured.
    pub const DEFAULT_WITNESS_BUDGET_BYTES: usize = 8 << 30;

    /// Chosen, not measured: many enough that a pause between two batches is little.
    const DEFAULT_BATCH: NonZeroUsize = NonZeroUsize::new(8).expect("eight is not zero");

    /// The same with another budget.
    #[must_use]
    pub fn with_witness_budget_bytes(mut self, bytes: usize) -> Self {
        self.witness_budget_bytes = bytes;
        self
    }

    /// The same with other threads.
    #[must_use]
    pub fn with_synthesis_threads(mut self, threads: NonZeroUsize) -> Self {
        self.synthesis_threads = threads;
        self
    }

    /// The same with another batch.
    #[must_use]
    pub fn with_batch(mut self, proofs: NonZeroUsize) -> Self {
        self.batch = proofs;
        self
    }
}

impl Default for PipelineOptions {
    /// A thread for each processor that this program may use.
    fn default() -> Self {
        Self {
            witness_budget_bytes: Self::DEFAULT_WITNESS_BUDGET_BYTES,
            synthesis_threads: available_parallelism().unwrap_or(NonZeroUsize::MIN),
            batch: Self::DEFAULT_BATCH,
        }
    }
}

/// What a [`Pipeline`](crate::Pipeline) has in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PipelineStatus {
    /// Bytes of the budget that jobs have.
    pub witness_bytes: usize,
    /// The most that they ever had.
    pub peak_witness_bytes: usize,
    /// Submitters that wait for room.
    pub blocked: usize,
    /// Jobs that wait for their witness pass.
    pub queued: usize,
    /// Jobs whose witness pass runs.
    pub synthesizing: usize,
    /// Jobs whose witness waits for a machine.
    pub ready: usize,
    /// Jobs that a machine has.
    pub proving: usize,
}
