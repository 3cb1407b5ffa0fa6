//! The witness passes.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use cuzk_groth16::{Blinding, Job as Proving};
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::PackedWitness;
use cuzk_synth::SynthesisError;

use super::{Core, Finished, budget::Bytes, slot::Delivery};
use crate::{
    Compiled, Error, Proved,
    board::{Ending, Task, Waiting, panic_message},
    held::Held,
    waiting::{lock, wait_until},
};

/// A circuit that is to be proved.
///
/// Dropped, it drops the circuit, then gives its bytes back, then tells its ticket.
pub(super) struct Job {
    pub(super) circuit: Box<dyn FnOnce() -> Result<PackedWitness, SynthesisError> + Send>,
    pub(super) id: u64,
    pub(super) compiled: Arc<Compiled>,
    pub(super) blinding: Blinding,
    pub(super) timeline: Arc<Timeline>,
    pub(super) since: Instant,
    pub(super) bytes: Bytes,
    pub(super) delivery: Delivery,
}

/// What a job keeps to its end. Dropped, it gives its bytes back, then tells its ticket.
struct Receipt {
    bytes: Bytes,
    delivery: Delivery,
}

/// Runs witness passes until the queues are closed and empty.
pub(super) fn work(core: &Core) {
    loop {
        let job = wait_until(&core.queues, &core.changed, None, |queues| {
            let job = queues.start();
            (job.is_some() || queues.is_over()).then_some(job)
        });
        let Some(Some(job)) = job else { return };
        job.run(core);
        lock(&core.queues).end();
        core.changed.notify_all();
    }
}

impl Job {
    /// What tells its circuit from others.
    pub(super) fn key(&self) -> usize {
        Arc::as_ptr(&self.compiled).addr()
    }

    fn run(self, core: &Core) {
        let Self {
            circuit,
            id,
            compiled,
            blinding,
            timeline,
            since,
            bytes,
            delivery,
        } = self;
        let mut receipt = Receipt { bytes, delivery };
        timeline.add_since(Phase::Queue, since);
        let pass = || timeline.measure(Phase::Synthesize, circuit);
        let witness = match catch_unwind(AssertUnwindSafe(pass)) {
            Ok(Ok(witness)) => witness,
            Ok(Err(error)) => return receipt.fail(error.into()),
            Err(panic) => {
                let message = panic_message(&*panic);
                return receipt.fail(Error::CircuitPanicked { message });
            }
        };
        receipt.bytes.shrink_to(witness.bytes());
        let slot = Arc::clone(receipt.delivery.slot());
        if slot.is_resolved() || lock(&core.queues).discards() {
            return;
        }
        core.board.push(Task {
            job: Proving {
                witness: Held::Shared(Arc::new(witness)),
                blinding,
                timeline: Held::Shared(timeline),
            },
            waiting: Waiting {
                id,
                compiled: Held::Shared(compiled),
                tried: Vec::new(),
                since: Instant::now(),
                done: Box::new(move |ending| receipt.deliver(ending)),
            },
        });
        // Cancelled meanwhile, it was found in no queue.
        if slot.is_resolved() {
            drop(core.board.remove(id));
        }
    }
}

impl Receipt {
    fn fail(self, error: Error) {
        drop(self.bytes);
        self.delivery.send(Err(error));
    }

    fn deliver(self, ending: Ending<'_>) {
        let (job, proof) = match ending {
            Ending::Proved(job, Ok(proof)) => (job, proof),
            Ending::Proved(job, Err(error)) => {
                drop(job);
                return self.fail(error.into());
            }
            Ending::Panicked(message) => return self.fail(Error::ProverPanicked { message }),
        };
        let proved = Proved {
            proof,
            public_inputs: job.witness.public_inputs(),
        };
        let report = job.timeline.snapshot();
        drop(job);
        drop(self.bytes);
        self.delivery.send(Ok(Finished { proved, report }));
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("id", &self.id)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
