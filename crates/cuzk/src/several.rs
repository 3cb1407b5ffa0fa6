//! Machines that do the same, as one: its lanes.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use cuzk_backend::MemoryProbe;
use cuzk_groth16::{Blinding, PreparedVerifyingKey, Proof, ProveError};
use cuzk_hostmem::PageLocker;
use cuzk_params::Parameters;
use cuzk_phase::Timeline;
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::Evaluations;

use crate::{
    lanes::Lanes,
    machine::{Done, Jobs, Key, Machine},
    preparation::Preparation,
    waiting::lock,
};

/// Several machines, each of which is a lane.
#[derive(Debug)]
pub(crate) struct Several {
    /// Two at least.
    machines: Vec<Arc<dyn Machine>>,
    lanes: Lanes,
}

/// A key that each machine prepares when it first has a proof to make with it.
#[derive(Debug)]
struct Spread {
    several: Arc<Several>,
    /// On some lane.
    first: Arc<dyn Key>,
    places: Vec<Place>,
    shape: Arc<Shape>,
    preparation: Arc<Preparation>,
    /// For the machines that have not prepared it; gone when all have.
    parameters: Mutex<Option<Parameters>>,
}

/// The key on one lane.
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
            lanes: Lanes::new(machines.len()),
            machines,
        }
    }

    /// Tries work on one of the candidates after another, until one does not fail or the work says
    /// that it cannot be tried again. A lane whose key somebody prepares is passed over; there is
    /// one that needs not be.
    fn in_turn<T>(
        &self,
        mut candidates: Vec<usize>,
        is_ready: impl Fn(usize) -> bool,
        mut work: impl FnMut(usize) -> (Option<Result<T, ProveError>>, Again),
    ) -> Result<T, ProveError> {
        let mut last = None;
        while let Some(busy) = self.lanes.least_busy(&candidates, &is_ready) {
            let lane = busy.lane;
            candidates.retain(|&candidate| candidate != lane);
            let (Some(result), again) = work(lane) else {
                continue;
            };
            let failed = is_failure(&result);
            self.lanes.note(lane, failed);
            if !failed || again == Again::No {
                return result;
            }
            self.warn(lane, &result);
            last = Some(result);
        }
        last.expect("the lane of the first key is a candidate and ready")
    }

    fn warn<T>(&self, lane: usize, result: &Result<T, ProveError>) {
        if let Err(error) = result
            && is_failure(result)
        {
            let device = self.machines[lane].device();
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

    fn prepare(
        self: Arc<Self>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        preparation: &Arc<Preparation>,
    ) -> Result<Box<dyn Key>, ProveError> {
        let mut candidates = self.all();
        loop {
            let lane = self.lanes.fewest_keys(&candidates);
            let lane = lane.expect("one candidate at least");
            let machine = Arc::clone(&self.machines[lane]);
            let prepared = machine.prepare(shape.clone(), parameters, preparation);
            candidates.retain(|&candidate| candidate != lane);
            if is_failure(&prepared) && !candidates.is_empty() {
                self.warn(lane, &prepared);
                continue;
            }
            let key: Arc<dyn Key> = prepared?.into();
            let spread = Spread::new(self, lane, key, shape, parameters, preparation);
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
            |lane| {
                let machine = &self.machines[lane];
                let proof = machine.prove_once(evaluations, parameters, blinding, timeline);
                (Some(proof), Again::where_left(evaluations.as_ref()))
            },
        )
    }
}

impl Spread {
    fn new(
        several: Arc<Several>,
        lane: usize,
        key: Arc<dyn Key>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        preparation: &Arc<Preparation>,
    ) -> Self {
        several.lanes.add_key(lane);
        let places: Vec<_> = several.machines.iter().map(|_| Place::default()).collect();
        let _ = places[lane].key.set(Arc::clone(&key));
        Self {
            several,
            first: key,
            places,
            shape,
            preparation: Arc::clone(preparation),
            parameters: Mutex::new(Some(parameters.clone())),
        }
    }

    /// The key on a lane, prepared if need be; nothing where somebody prepares it.
    fn on(&self, lane: usize) -> Option<Result<Arc<dyn Key>, ProveError>> {
        let place = &self.places[lane];
        if let Some(key) = place.key.get() {
            return Some(Ok(Arc::clone(key)));
        }
        let _preparing = Preparing::of(place)?;
        Some(match place.key.get() {
            Some(key) => Ok(Arc::clone(key)),
            None => self.prepare(lane),
        })
    }

    fn prepare(&self, lane: usize) -> Result<Arc<dyn Key>, ProveError> {
        let place = &self.places[lane];
        let parameters = lock(&self.parameters).clone();
        let parameters = parameters.expect("they are kept while a lane has no key");
        let machine = Arc::clone(&self.several.machines[lane]);
        let prepared = machine.prepare(Arc::clone(&self.shape), &parameters, &self.preparation);
        place.is_refused.store(prepared.is_err(), Ordering::Relaxed);
        let key: Arc<dyn Key> = prepared?.into();
        self.several.lanes.add_key(lane);
        let _ = place.key.set(Arc::clone(&key));
        if self.places.iter().all(|place| place.key.get().is_some()) {
            *lock(&self.parameters) = None;
        }
        Ok(key)
    }

    /// Lanes that may hold the key and have not failed.
    fn candidates(&self, tried: &[usize]) -> Vec<usize> {
        let may = |lane: &usize| {
            let place = &self.places[*lane];
            !tried.contains(lane) && !place.is_refused.load(Ordering::Relaxed)
        };
        (0..self.places.len()).filter(may).collect()
    }

    fn is_ready(&self, lane: usize) -> bool {
        self.places[lane].key.get().is_some()
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
        let prove = |lane| {
            let prove = |key: Arc<dyn Key>| key.prove(witness, blinding, timeline);
            (self.on(lane).map(|key| key.and_then(prove)), Again::Yes)
        };
        let is_ready = |lane| self.is_ready(lane);
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
        let prove = |lane| {
            let mut prove = |key: Arc<dyn Key>| {
                let evaluations = evaluations.take().expect("they are given up once");
                key.prove_evaluations(evaluations, blinding, timeline)
            };
            let proof = self.on(lane).map(|key| key.and_then(&mut prove));
            (proof, Again::where_left(evaluations.as_ref()))
        };
        let is_ready = |lane| self.is_ready(lane);
        self.several.in_turn(self.candidates(&[]), is_ready, prove)
    }

    fn lanes(&self) -> usize {
        self.places.len()
    }

    fn has_lane(&self, tried: &[usize]) -> bool {
        !self.candidates(tried).is_empty()
    }

    fn takes(&self, lane: usize, tried: &[usize]) -> bool {
        let is_preparing = self.places[lane].is_preparing.load(Ordering::Relaxed);
        !is_preparing && self.several.lanes.takes(lane, &self.candidates(tried))
    }

    fn prove_each<'a>(&self, lane: usize, jobs: Jobs<'_, 'a>, done: Done<'_, 'a>) {
        let _busy = self.several.lanes.enter(lane);
        let key = match self.on(lane) {
            // The jobs stay where they are.
            None => return,
            Some(Ok(key)) => key,
            Some(Err(error)) => {
                let failed = Err(error);
                self.several.warn(lane, &failed);
                if let Some(job) = jobs.next() {
                    done(job, failed);
                }
                return;
            }
        };
        key.prove_each(0, jobs, &mut |job, proof| {
            self.several.lanes.note(lane, is_failure(&proof));
            self.several.warn(lane, &proof);
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
        for lane in (0..self.places.len()).filter(|&lane| self.is_ready(lane)) {
            self.several.lanes.drop_key(lane);
        }
    }
}
