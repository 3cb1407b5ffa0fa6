//! Many proofs, the witness pass of one beside the proof of another.

mod budget;
mod finished;
mod options;
mod slot;
mod synthesis;
mod ticket;

use std::{
    sync::{Arc, Condvar, Mutex},
    thread::{self, JoinHandle},
    time::Instant,
};

use cuzk_groth16::Blinding;
use cuzk_synth::{Circuit, witness};
use rand_core::OsRng;

pub use self::{
    finished::{Finished, Refused},
    options::{PipelineOptions, PipelineStatus},
    ticket::Ticket,
};

use self::{
    budget::{Bytes, Queues},
    slot::{Delivery, Slot},
    synthesis::Job,
};
use crate::{
    Compiled, Error, ProverBuilder, Synthesis,
    board::Board,
    waiting::{lock, wait_until},
};

/// Makes proofs of circuits that are submitted, and gives each back to its [`Ticket`].
///
/// Threads of its own run the witness passes, others make the proofs: one for each device of the
/// circuits' prover, or one for the processor. So the next witnesses are made while a proof is,
/// and where witnesses of one [`Compiled`] circuit wait they go through together. Circuits take
/// turns; proofs of one circuit are begun in the order in which they were submitted.
///
/// Witnesses in flight are held to a budget of bytes, of which a job takes
/// [`Compiled::witness_bytes_at_most`] when it is accepted and keeps what its witness has when
/// that is made. Every byte is back when the ticket has its outcome.
///
/// Every proof is verified before it is returned. Witnesses come from the witness pass: a circuit of
/// which [`Tuning::synthesis`](crate::Tuning::synthesis) asks for another is refused.
///
/// Dropping a pipeline cancels what is not being proved, whose tickets get [`Error::Closed`],
/// waits for the rest and ends the threads; [`Pipeline::finish`] does all that was submitted
/// first. It may be used from a thread of a `rayon` pool, which works for the pool while it waits.
///
/// ```
/// # use cuzk::{Circuit, ConstraintSystem, Fr, SynthesisError};
/// # #[derive(Clone)]
/// # struct Square(u64);
/// # impl Circuit for Square {
/// #     fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
/// #         let root = Fr::from(self.0);
/// #         let known = cs.alloc_input(|| "square", || Ok(root * root))?;
/// #         let secret = cs.alloc(|| "root", || Ok(root))?;
/// #         cs.enforce(|| "squared", |lc| lc + secret, |lc| lc + secret, |lc| lc + known);
/// #         Ok(())
/// #     }
/// # }
/// # let circuit = Square(3);
/// use std::sync::Arc;
/// use cuzk::{Pipeline, PipelineOptions, Prover};
///
/// let prover = Prover::builder().build()?;
/// let parameters = prover.setup(&prover.shape(circuit.clone())?, |_| ())?;
/// let compiled = Arc::new(prover.compile(circuit.clone(), &parameters)?);
///
/// let pipeline = Pipeline::new(PipelineOptions::default())?;
/// let tickets = [circuit.clone(), circuit].map(|circuit| pipeline.submit(&compiled, circuit));
/// for ticket in tickets {
///     let finished = ticket?.wait()?;
///     println!("{:?} after {:?} in the queue", finished.proved.proof, finished.queued());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    core: Arc<Core>,
    threads: Mutex<Threads>,
}

#[derive(Debug, Default)]
struct Threads {
    synthesis: Vec<JoinHandle<()>>,
    seats: Vec<JoinHandle<()>>,
}

/// What the threads share with the tickets.
#[derive(Debug)]
struct Core {
    queues: Mutex<Queues>,
    changed: Condvar,
    /// Proofs whose witness is there.
    board: Board<'static>,
    options: PipelineOptions,
}

impl Pipeline {
    /// A pipeline whose threads wait for work.
    ///
    /// # Errors
    /// [`Error::TooManyThreads`] above [`ProverBuilder::MAX_THREADS`]; [`Error::Spawn`] where a
    /// thread does not start.
    pub fn new(options: PipelineOptions) -> Result<Self, Error> {
        let (max, got) = (ProverBuilder::MAX_THREADS, options.synthesis_threads.get());
        if got > max {
            return Err(Error::TooManyThreads { max, got });
        }
        let pipeline = Self {
            core: Arc::new(Core {
                queues: Mutex::new(Queues::new(options.witness_budget_bytes)),
                changed: Condvar::new(),
                board: Board::default(),
                options,
            }),
            threads: Mutex::default(),
        };
        for i in 0..got {
            let core = Arc::clone(&pipeline.core);
            let run = move || synthesis::work(&core);
            let thread = spawn(format!("cuzk-synthesis-{i}"), run)?;
            lock(&pipeline.threads).synthesis.push(thread);
        }
        pipeline.start_seats(1)?;
        Ok(pipeline)
    }

    /// Submits a circuit for a proof; waits while the budget has no room for its witness.
    ///
    /// Those who wait are served in the order in which they came.
    ///
    /// # Errors
    /// [`Error::JobTooLarge`] where the budget would never have room; [`Error::PipelinePass`]
    /// where the circuit's prover is to make direct passes; [`Error::Spawn`].
    pub fn submit<C: Circuit + Send + 'static>(
        &self,
        compiled: &Arc<Compiled>,
        circuit: C,
    ) -> Result<Ticket, Error> {
        self.submit_blinded(compiled, circuit, Blinding::random(OsRng))
    }

    /// As [`Pipeline::submit`], with a given blinding, for proofs that are to be reproduced.
    ///
    /// # Errors
    /// As [`Pipeline::submit`].
    pub fn submit_blinded<C: Circuit + Send + 'static>(
        &self,
        compiled: &Arc<Compiled>,
        circuit: C,
        blinding: Blinding,
    ) -> Result<Ticket, Error> {
        let needed_bytes = self.check(compiled)?;
        self.start_seats(compiled.seats())?;
        let mut queues = lock(&self.core.queues);
        let (ticket, job) = self.job(&mut queues, compiled, circuit, blinding);
        let id = job.id;
        // The job waits, and not this thread with it: one of a pool may be under work that it was
        // given meanwhile, and must not keep others from their turn.
        queues.line_up(job, needed_bytes);
        drop(queues);
        self.core.changed.notify_all();
        wait_until(&self.core.queues, &self.core.changed, None, |queues| {
            (!queues.is_in_line(id)).then_some(())
        });
        Ok(ticket)
    }

    /// As [`Pipeline::submit`], and gives the circuit back rather than wait.
    ///
    /// # Errors
    /// With [`Error::PipelineFull`] where the budget has no room now, or others wait for it; else
    /// as [`Pipeline::submit`].
    pub fn try_submit<C: Circuit + Send + 'static>(
        &self,
        compiled: &Arc<Compiled>,
        circuit: C,
    ) -> Result<Ticket, Refused<C>> {
        let checked = self.check(compiled);
        let checked = checked.and_then(|bytes| self.start_seats(compiled.seats()).map(|()| bytes));
        let needed_bytes = match checked {
            Ok(needed_bytes) => needed_bytes,
            Err(error) => return Err(Refused { circuit, error }),
        };
        let mut queues = lock(&self.core.queues);
        if let Err(error) = queues.has_room(needed_bytes) {
            return Err(Refused { circuit, error });
        }
        let (ticket, job) = self.job(&mut queues, compiled, circuit, Blinding::random(OsRng));
        queues.line_up(job, needed_bytes);
        drop(queues);
        self.core.changed.notify_all();
        Ok(ticket)
    }

    /// What is in flight.
    #[must_use]
    pub fn status(&self) -> PipelineStatus {
        let (ready, proving) = self.core.board.counts();
        PipelineStatus {
            ready,
            proving,
            ..lock(&self.core.queues).status()
        }
    }

    /// Makes the proofs of all that was submitted, then ends the threads.
    ///
    /// The outcomes stay with their tickets.
    pub fn finish(self) {
        lock(&self.core.queues).close();
        self.core.changed.notify_all();
        self.join();
    }

    /// The bytes for which a job waits.
    fn check(&self, compiled: &Compiled) -> Result<usize, Error> {
        if compiled.synthesis() != Synthesis::Compiled {
            return Err(Error::PipelinePass);
        }
        let needed_bytes = compiled.witness_bytes_at_most();
        let budget_bytes = self.core.options.witness_budget_bytes;
        match needed_bytes <= budget_bytes {
            true => Ok(needed_bytes),
            false => Err(Error::JobTooLarge {
                needed_bytes,
                budget_bytes,
            }),
        }
    }

    fn job<C: Circuit + Send + 'static>(
        &self,
        queues: &mut Queues,
        compiled: &Arc<Compiled>,
        circuit: C,
        blinding: Blinding,
    ) -> (Ticket, Job) {
        let id = queues.new_id();
        let slot = Arc::new(Slot::default());
        let job = Job {
            id,
            compiled: Arc::clone(compiled),
            circuit: Box::new(|| witness(circuit)),
            blinding,
            timeline: Arc::new(compiled.prover().timeline()),
            since: Instant::now(),
            bytes: Bytes::none(&self.core),
            delivery: Delivery::to(&slot),
        };
        (Ticket::new(id, slot, Arc::clone(&self.core)), job)
    }

    /// Sees that there is a thread for each seat of a circuit's machines.
    fn start_seats(&self, seats: usize) -> Result<(), Error> {
        let mut threads = lock(&self.threads);
        for seat in threads.seats.len()..seats {
            let core = Arc::clone(&self.core);
            let run = move || core.board.work(seat, core.options.batch.get());
            threads.seats.push(spawn(format!("cuzk-seat-{seat}"), run)?);
        }
        Ok(())
    }

    /// Waits for what is left of closed queues, and for the threads.
    fn join(&self) {
        let threads = std::mem::take(&mut *lock(&self.threads));
        let own = thread::current().id();
        let mut all = threads.synthesis.iter().chain(&threads.seats);
        if all.any(|thread| thread.thread().id() == own) {
            // Its own thread dropped it, with a circuit perhaps: it cannot wait for itself.
            self.core.board.close();
            return;
        }
        wait_until(&self.core.queues, &self.core.changed, None, |queues| {
            queues.is_idle().then_some(())
        });
        if lock(&self.core.queues).discards() {
            drop(self.core.board.take_all());
        }
        self.core.board.close();
        self.core.board.wait_idle();
        for thread in threads.synthesis.into_iter().chain(threads.seats) {
            // They catch what panics.
            let _ = thread.join();
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let queued = lock(&self.core.queues).discard();
        self.core.changed.notify_all();
        drop((queued, self.core.board.take_all()));
        self.join();
    }
}

fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let thread = thread::Builder::new().name(name);
    thread.spawn(run).map_err(|source| Error::Spawn { source })
}
