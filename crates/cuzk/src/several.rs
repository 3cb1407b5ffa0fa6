//! Machines that do the same, as one: its seats.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use cuzk_backend::MemoryProbe;
use cuzk_groth16::{Blinding, PreparedVerifyingKey, Progress, Proof, ProveError, SetupError};
use cuzk_hostmem::PageLocker;
use cuzk_params::Parameters;
use cuzk_phase::Timeline;
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::Evaluations;

use crate::{
    machine::{Done, Jobs, Key, Machine},
    preparation::Preparation,
    seats::Seats,
    waiting::lock,
};

/// Several machines, each of which is a seat.
#[derive(Debug)]
pub(crate) struct Several {
    /// Two at least.
    machines: Vec<Arc<dyn Machine>>,
    seats: Seats,
}

/// A key that each machine prepares when it first has a proof to make with it.
#[derive(Debug)]
struct Spread {
    several: Arc<Several>,
    /// On some seat.
    first: Arc<dyn Key>,
    places: Vec<Place>,
    shape: Arc<Shape>,
    preparation: Arc<Preparation>,
    /// For the machines that have not prepared it; gone when all have.
    parameters: Mutex<Option<Parameters>>,
}

/// The key on one seat.
#[derive(Debug, Default)]
struct Place {
    key: OnceLock<Arc<dyn Key>>,
    /// Whether somebody prepares it. Nobody waits for that: a pool's thread that prepares a key
    /// may be given other work meanwhile, which would wait for the very key.
    is_preparing: AtomicBool,
    /// Whether the machine could not hold it.
    is_refused: AtomicBool,
}

/// Whether work can be tried once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Yes,
    No,
}

impl Again {
    fn where_left<T>(left: Option<&T>) -> Self {
        match left {
            Some(_) => Self::Yes,
            None => Self::No,
        }
    }
}

impl Several {
    pub(crate) fn new(machines: Vec<Arc<dyn Machine>>) -> Self {
        Self {
            seats: Seats::new(machines.len()),
            machines,
        }
    }

    /// Tries work on one of the candidates after another, until one does not fail or the work says
    /// that it cannot be tried again. A seat whose key somebody prepares is passed over; there is
    /// one that needs not be.
    fn in_turn<T>(
        &self,
        mut candidates: Vec<usize>,
        is_ready: impl Fn(usize) -> bool,
        mut work: impl FnMut(usize) -> (Option<Result<T, ProveError>>, Again),
    ) -> Result<T, ProveError> {
        let mut last = None;
        while let Some(busy) = self.seats.least_busy(&candidates, &is_ready) {
            let seat = busy.seat;
            candidates.retain(|&candidate| candidate != seat);
            let (Some(result), again) = work(seat) else {
                continue;
            };
            let failed = is_failure(&result);
            self.seats.note(seat, failed);
            if !failed || again == Again::No {
                return result;
            }
            self.warn(seat, &result);
            last = Some(result);
        }
        last.expect("the seat of the first key is a candidate and ready")
    }

    fn warn<T>(&self, seat: usize, result: &Result<T, ProveError>) {
        if let Err(error) = result
            && is_failure(result)
        {
            let device = self.machines[seat].device();
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "another device takes over, because {device} failed"
            );
        }
    }

    fn all(&self) -> Vec<usize> {
        (0..self.machines.len()).collect()
    }
}

/// Whether the machine is at fault, and not the job.
fn is_failure<T>(result: &Result<T, ProveError>) -> bool {
    matches!(result, Err(ProveError::Backend { .. }))
}

impl Machine for Several {
    fn name(&self) -> &'static str {
        self.machines[0].name()
    }

    fn device(&self) -> String {
        let devices: Vec<_> = self.machines.iter().map(|m| m.device()).collect();
        devices.join("; ")
    }

    /// A proof names the device on which it is made, and that is asked for its memory.
    fn memory_probe(&self) -> Option<MemoryProbe> {
        None
    }

    /// What one has registered serves all.
    fn page_locker(&self) -> Option<Arc<dyn PageLocker>> {
        self.machines[0].page_locker()
    }

    /// On the first that does not fail.
    fn set_up(
        &self,
        shape: &Shape,
        timeline: &Timeline,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Parameters, SetupError> {
        let (last, others) = self.machines.split_last().expect("two at least");
        for machine in others {
            match machine.set_up(shape, timeline, progress) {
                Err(error @ SetupError::Backend { .. }) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "another device takes over, because {} failed",
                    machine.device()
                ),
                result => return result,
            }
        }
        last.set_up(shape, timeline, progress)
    }

    fn prepare(
        self: Arc<Self>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        preparation: &Arc<Preparation>,
    ) -> Result<Box<dyn Key>, ProveError> {
        let mut candidates = self.all();
        loop {
            let seat = self.seats.fewest_keys(&candidates);
            let seat = seat.expect("one candidate at least");
            let machine = Arc::clone(&self.machines[seat]);
            let prepared = machine.prepare(shape.clone(), parameters, preparation);
            candidates.retain(|&candidate| candidate != seat);
            if is_failure(&prepared) && !candidates.is_empty() {
                self.warn(seat, &prepared);
                continue;
            }
            let key: Arc<dyn Key> = prepared?.into();
            let spread = Spread::new(self, seat, key, shape, parameters, preparation);
            return Ok(Box::new(spread));
        }
    }

    fn prove_once(
        &self,
        evaluations: &mut Option<Evaluations>,
        parameters: &Parameters,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        self.in_turn(
            self.all(),
            |_| true,
            |seat| {
                let machine = &self.machines[seat];
                let proof = machine.prove_once(evaluations, parameters, blinding, timeline);
                (Some(proof), Again::where_left(evaluations.as_ref()))
            },
        )
    }
}

impl Spread {
    fn new(
        several: Arc<Several>,
        seat: usize,
        key: Arc<dyn Key>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        preparation: &Arc<Preparation>,
    ) -> Self {
        several.seats.add_key(seat);
        let places: Vec<_> = several.machines.iter().map(|_| Place::default()).collect();
        let _ = places[seat].key.set(Arc::clone(&key));
        Self {
            several,
            first: key,
            places,
            shape,
            preparation: Arc::clone(preparation),
            parameters: Mutex::new(Some(parameters.clone())),
        }
    }

    /// The key on a seat, prepared if need be; nothing where somebody prepares it.
    fn on(&self, seat: usize) -> Option<Result<Arc<dyn Key>, ProveError>> {
        let place = &self.places[seat];
        if let Some(key) = place.key.get() {
            return Some(Ok(Arc::clone(key)));
        }
        let _preparing = Preparing::of(place)?;
        Some(match place.key.get() {
            Some(key) => Ok(Arc::clone(key)),
            None => self.prepare(seat),
        })
    }

    fn prepare(&self, seat: usize) -> Result<Arc<dyn Key>, ProveError> {
        let place = &self.places[seat];
        let parameters = lock(&self.parameters).clone();
        let parameters = parameters.expect("they are kept while a seat has no key");
        let machine = Arc::clone(&self.several.machines[seat]);
        let prepared = machine.prepare(Arc::clone(&self.shape), &parameters, &self.preparation);
        place.is_refused.store(prepared.is_err(), Ordering::Relaxed);
        let key: Arc<dyn Key> = prepared?.into();
        self.several.seats.add_key(seat);
        let _ = place.key.set(Arc::clone(&key));
        if self.places.iter().all(|place| place.key.get().is_some()) {
            *lock(&self.parameters) = None;
        }
        Ok(key)
    }

    /// Seats that may hold the key and have not failed.
    fn candidates(&self, tried: &[usize]) -> Vec<usize> {
        let may = |seat: &usize| {
            let place = &self.places[*seat];
            !tried.contains(seat) && !place.is_refused.load(Ordering::Relaxed)
        };
        (0..self.places.len()).filter(may).collect()
    }

    fn is_ready(&self, seat: usize) -> bool {
        self.places[seat].key.get().is_some()
    }
}

/// The right to prepare a key.
struct Preparing<'a>(&'a AtomicBool);

impl<'a> Preparing<'a> {
    fn of(place: &'a Place) -> Option<Self> {
        let is_taken = place.is_preparing.swap(true, Ordering::AcqRel);
        (!is_taken).then_some(Self(&place.is_preparing))
    }
}

impl Drop for Preparing<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Key for Spread {
    fn prove(
        &self,
        witness: &PackedWitness,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        let prove = |seat| {
            let prove = |key: Arc<dyn Key>| key.prove(witness, blinding, timeline);
            (self.on(seat).map(|key| key.and_then(prove)), Again::Yes)
        };
        let is_ready = |seat| self.is_ready(seat);
        self.several.in_turn(self.candidates(&[]), is_ready, prove)
    }

    /// The values are given up to the first machine that has the key.
    fn prove_evaluations(
        &self,
        evaluations: Evaluations,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        let mut evaluations = Some(evaluations);
        let prove = |seat| {
            let mut prove = |key: Arc<dyn Key>| {
                let evaluations = evaluations.take().expect("they are given up once");
                key.prove_evaluations(evaluations, blinding, timeline)
            };
            let proof = self.on(seat).map(|key| key.and_then(&mut prove));
            (proof, Again::where_left(evaluations.as_ref()))
        };
        let is_ready = |seat| self.is_ready(seat);
        self.several.in_turn(self.candidates(&[]), is_ready, prove)
    }

    fn seats(&self) -> usize {
        self.places.len()
    }

    fn has_seat(&self, tried: &[usize]) -> bool {
        !self.candidates(tried).is_empty()
    }

    fn takes(&self, seat: usize, tried: &[usize]) -> bool {
        let is_preparing = self.places[seat].is_preparing.load(Ordering::Relaxed);
        !is_preparing && self.several.seats.takes(seat, &self.candidates(tried))
    }

    fn prove_each<'a>(&self, seat: usize, jobs: Jobs<'_, 'a>, done: Done<'_, 'a>) {
        let _busy = self.several.seats.enter(seat);
        let key = match self.on(seat) {
            // The jobs stay where they are.
            None => return,
            Some(Ok(key)) => key,
            Some(Err(error)) => {
                let failed = Err(error);
                self.several.warn(seat, &failed);
                if let Some(job) = jobs.next() {
                    done(job, failed);
                }
                return;
            }
        };
        key.prove_each(0, jobs, &mut |job, proof| {
            self.several.seats.note(seat, is_failure(&proof));
            self.several.warn(seat, &proof);
            done(job, proof);
        });
    }

    fn verifying_key(&self) -> &PreparedVerifyingKey {
        self.first.verifying_key()
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl Drop for Spread {
    fn drop(&mut self) {
        for seat in (0..self.places.len()).filter(|&seat| self.is_ready(seat)) {
            self.several.seats.drop_key(seat);
        }
    }
}
