//! Proofs that are ready to be made, and the seats that make them.

use std::{
    any::Any,
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex},
    thread,
    time::Instant,
};

use cuzk_groth16::{Proof, ProveError};
use cuzk_phase::Phase;

use crate::{
    Compiled,
    held::Held,
    machine::AnyJob,
    turns::Turns,
    waiting::{lock, wait_until},
};

/// One proof to be made.
pub(crate) struct Task<'a> {
    pub(crate) job: AnyJob<'a>,
    pub(crate) waiting: Waiting<'a>,
}

/// What is kept of a task while a seat has its job.
pub(crate) struct Waiting<'a> {
    pub(crate) id: u64,
    pub(crate) compiled: Held<'a, Compiled>,
    /// Seats whose machine failed at it.
    pub(crate) tried: Vec<usize>,
    /// When it came to the board.
    pub(crate) since: Instant,
    /// Told once, unless the task is taken out.
    pub(crate) done: Box<dyn FnOnce(Ending<'a>) + Send + 'a>,
}

/// How a task ended.
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for each proof, and the large one is the usual one"
)]
pub(crate) enum Ending<'a> {
    /// The seat came to an end with it.
    Proved(AnyJob<'a>, Result<Proof, ProveError>),
    /// The seat's work panicked, with these words.
    Panicked(String),
}

/// Tasks, from which the seats of machines help themselves.
#[derive(Default)]
pub(crate) struct Board<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
}

#[derive(Default)]
struct State<'a> {
    ready: Turns<Task<'a>>,
    /// Tasks that seats have.
    in_flight: usize,
    is_closed: bool,
}

impl<'a> Board<'a> {
    pub(crate) fn push(&self, task: Task<'a>) {
        lock(&self.state).ready.push(task.waiting.key(), task);
        self.changed.notify_all();
    }

    /// Takes a task out that no seat has.
    pub(crate) fn remove(&self, id: u64) -> Option<Task<'a>> {
        lock(&self.state).ready.remove(|task| task.waiting.id == id)
    }

    pub(crate) fn take_all(&self) -> Vec<Task<'a>> {
        lock(&self.state).ready.take_all()
    }

    /// Lets the seats go when nothing is left.
    pub(crate) fn close(&self) {
        lock(&self.state).is_closed = true;
        self.changed.notify_all();
    }

    /// Tasks that wait, and tasks that seats have.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.ready.len(), state.in_flight)
    }

    /// Waits until nothing waits and no seat has anything.
    pub(crate) fn wait_idle(&self) {
        wait_until(&self.state, &self.changed, None, |state| {
            state.is_idle().then_some(())
        });
    }

    /// Makes the proofs of all that is there, on so many seats.
    pub(crate) fn work_off(&self, seats: usize) {
        self.close();
        if seats == 1 {
            return self.work(0, usize::MAX);
        }
        thread::scope(|scope| {
            let started = (0..seats).filter_map(|seat| {
                let thread = thread::Builder::new().name(format!("cuzk-seat-{seat}"));
                let run = move || self.work(seat, usize::MAX);
                thread.spawn_scoped(scope, run).ok()
            });
            if started.count() < seats {
                // What other seats left, and what this one may.
                for seat in 0..seats {
                    self.work(seat, usize::MAX);
                }
            }
            self.wait_idle();
        });
    }

    /// Makes proofs on a seat, at most so many of one circuit together, until the board is closed
    /// and nothing is left.
    pub(crate) fn work(&self, seat: usize, batch: usize) {
        let next = |state: &mut State<'a>| match state.next(seat) {
            Some(task) => Some(Some(task)),
            None => (state.is_closed && state.is_idle()).then_some(None),
        };
        while let Some(Some(first)) = wait_until(&self.state, &self.changed, None, next) {
            self.take_turn(seat, first, batch);
        }
    }

    /// Makes the proof of a task, and those of others of its circuit that are ready meanwhile.
    fn take_turn(&self, seat: usize, first: Task<'a>, batch: usize) {
        let compiled = first.waiting.compiled.clone();
        let key = first.waiting.key();
        let mut next = Some(first);
        let line = Mutex::new(VecDeque::new());
        let mut taken = 0;
        let mut jobs = std::iter::from_fn(|| {
            let another = || match taken < batch {
                true => lock(&self.state).next_of(seat, key),
                false => None,
            };
            let Task { job, waiting } = next.take().or_else(another)?;
            taken += 1;
            job.timeline.add_since(Phase::Queue, waiting.since);
            lock(&line).push_back(waiting);
            Some(job)
        });
        let mut done = |job, proof| {
            let waiting = lock(&line).pop_front();
            self.end(seat, waiting.expect("jobs come back in order"), job, proof);
        };
        let work = || compiled.prove_each(seat, &mut jobs, &mut done);
        let message = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(()) => {
                // The seat is not ready for it.
                next.into_iter().for_each(|task| self.put_back(task));
                return;
            }
            Err(panic) => panic_message(&*panic),
        };
        let asked = std::mem::take(&mut *lock(&line));
        for waiting in next.map(|task| task.waiting).into_iter().chain(asked) {
            (waiting.done)(Ending::Panicked(message.clone()));
            self.leave();
        }
    }

    /// Tells what came of a task, or leaves it to another seat where this one's machine failed.
    fn end(
        &self,
        seat: usize,
        mut waiting: Waiting<'a>,
        job: AnyJob<'a>,
        proof: Result<Proof, ProveError>,
    ) {
        if matches!(proof, Err(ProveError::Backend { .. })) {
            waiting.tried.push(seat);
            if waiting.compiled.has_seat(&waiting.tried) {
                waiting.since = Instant::now();
                return self.put_back(Task { job, waiting });
            }
        }
        (waiting.done)(Ending::Proved(job, proof));
        self.leave();
    }

    fn put_back(&self, task: Task<'a>) {
        let mut state = lock(&self.state);
        state.ready.push_first(task.waiting.key(), task);
        state.in_flight -= 1;
        drop(state);
        self.changed.notify_all();
    }

    fn leave(&self) {
        lock(&self.state).in_flight -= 1;
        self.changed.notify_all();
    }
}

impl<'a> State<'a> {
    fn is_idle(&self) -> bool {
        self.ready.is_empty() && self.in_flight == 0
    }

    fn next(&mut self, seat: usize) -> Option<Task<'a>> {
        let task = self.ready.next(|task| task.waiting.suits(seat))?;
        self.in_flight += 1;
        Some(task)
    }

    fn next_of(&mut self, seat: usize, key: usize) -> Option<Task<'a>> {
        let task = self.ready.next_of(key, |task| task.waiting.suits(seat))?;
        self.in_flight += 1;
        Some(task)
    }
}

impl Waiting<'_> {
    /// What tells its circuit from others.
    fn key(&self) -> usize {
        std::ptr::from_ref::<Compiled>(&self.compiled).addr()
    }

    fn suits(&self, seat: usize) -> bool {
        self.compiled.takes(seat, &self.tried)
    }
}

impl fmt::Debug for Board<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ready, in_flight) = self.counts();
        f.debug_struct("Board")
            .field("ready", &ready)
            .field("in_flight", &in_flight)
            .finish()
    }
}

/// What a panic says.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned())
}
