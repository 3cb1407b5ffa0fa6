//! A backend and its keys without their type, so that the program picks one when it runs.

use std::{fmt, sync::Arc};

use cuzk_backend::{Fold, MemoryProbe, ProverBackend, SetupBackend};
use cuzk_groth16::{
    Blinding, CircuitLayout, Job, PreparedVerifyingKey, Progress, Proof, ProveError, ProvingKey,
    QueryKey, SetupError, generate_parameters, prove, prove_each, prove_evaluations,
};
use cuzk_hostmem::PageLocker;
use cuzk_params::Parameters;
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::{PackedWitness, Shape};
use cuzk_synth::Evaluations;
use rand_core::OsRng;

use crate::{held::Held, preparation::Preparation};

/// What one proof of many is made from.
pub(crate) type AnyJob<'a> = Job<Held<'a, PackedWitness>, Held<'a, Timeline>>;

/// Jobs as they are asked for.
pub(crate) type Jobs<'j, 'a> = &'j mut (dyn Iterator<Item = AnyJob<'a>> + Send);

/// Gets each job back with its proof, in order.
pub(crate) type Done<'j, 'a> = &'j mut (dyn FnMut(AnyJob<'a>, Result<Proof, ProveError>) + Send);

/// A backend.
pub(crate) trait Machine: fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;

    fn device(&self) -> String;

    /// What tells of the machine's own memory, if it has some.
    fn memory_probe(&self) -> Option<MemoryProbe>;

    /// What registers host memory with the machine, if that makes copies to it cheaper.
    fn page_locker(&self) -> Option<Arc<dyn PageLocker>>;

    /// Parameters from fresh randomness.
    fn set_up(
        &self,
        shape: &Shape,
        timeline: &Timeline,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Parameters, SetupError>;

    fn prepare(
        self: Arc<Self>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        preparation: &Arc<Preparation>,
    ) -> Result<Box<dyn Key>, ProveError>;

    /// Takes the evaluations when the key is prepared: where that fails, they are left for another
    /// machine.
    fn prove_once(
        &self,
        evaluations: &mut Option<Evaluations>,
        parameters: &Parameters,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError>;
}

/// A key prepared on a backend.
pub(crate) trait Key: fmt::Debug + Send + Sync {
    fn prove(
        &self,
        witness: &PackedWitness,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError>;

    /// A proof from the values of a direct pass, without the matrices.
    fn prove_evaluations(
        &self,
        evaluations: Evaluations,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError>;

    /// Parts of the machine that make proofs beside each other.
    fn seats(&self) -> usize {
        1
    }

    /// Whether there is a seat for a job at which these seats failed.
    fn has_seat(&self, tried: &[usize]) -> bool {
        tried.is_empty()
    }

    /// Whether a seat takes a job now, at which these seats failed. Where there is a seat for the
    /// job, one takes it sooner or later.
    fn takes(&self, seat: usize, tried: &[usize]) -> bool {
        seat == 0 && tried.is_empty()
    }

    /// Proofs of many jobs on one seat.
    fn prove_each<'a>(&self, seat: usize, jobs: Jobs<'_, 'a>, done: Done<'_, 'a>);

    fn verifying_key(&self) -> &PreparedVerifyingKey;

    fn shape(&self) -> &Shape;
}

#[derive(Debug)]
struct Prepared<B: ProverBackend> {
    backend: Arc<B>,
    key: ProvingKey<B>,
}

impl<B: ProverBackend + Fold + SetupBackend + fmt::Debug + 'static> Machine for B {
    fn name(&self) -> &'static str {
        cuzk_backend::Backend::name(self)
    }

    fn device(&self) -> String {
        cuzk_backend::Backend::device(self)
    }

    fn memory_probe(&self) -> Option<MemoryProbe> {
        cuzk_backend::Backend::memory_probe(self)
    }

    #[cfg(feature = "cuda")]
    fn page_locker(&self) -> Option<Arc<dyn PageLocker>> {
        // The traits of backends know no device, and one type of them has one.
        let cuda = (self as &dyn std::any::Any).downcast_ref::<cuzk_cuda::Cuda>()?;
        let registrar = cuzk_device::PageRegistrar::new(cuda.cuda_device());
        Some(Arc::new(registrar))
    }

    #[cfg(not(feature = "cuda"))]
    fn page_locker(&self) -> Option<Arc<dyn PageLocker>> {
        None
    }

    fn set_up(
        &self,
        shape: &Shape,
        timeline: &Timeline,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Parameters, SetupError> {
        generate_parameters(self, shape, &mut OsRng, timeline, progress)
    }

    fn prepare(
        self: Arc<Self>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        preparation: &Arc<Preparation>,
    ) -> Result<Box<dyn Key>, ProveError> {
        let key = preparation.key(&*self, shape, parameters)?;
        Ok(Box::new(Prepared { backend: self, key }))
    }

    fn prove_once(
        &self,
        evaluations: &mut Option<Evaluations>,
        parameters: &Parameters,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        let there = "a caller gives evaluations, and again only where they were left";
        let key = timeline.measure(Phase::Compile, || {
            let layout = CircuitLayout::of_evaluations(evaluations.as_ref().expect(there))?;
            QueryKey::prepare(self, layout, parameters)
        })?;
        let evaluations = evaluations.take().expect(there);
        prove_evaluations(self, &key, evaluations, blinding, timeline)
    }
}

impl<B: ProverBackend + fmt::Debug + 'static> Key for Prepared<B> {
    fn prove(
        &self,
        witness: &PackedWitness,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        prove(&*self.backend, &self.key, witness, blinding, timeline)
    }

    fn prove_evaluations(
        &self,
        evaluations: Evaluations,
        blinding: &Blinding,
        timeline: &Timeline,
    ) -> Result<Proof, ProveError> {
        let key = self.key.queries();
        prove_evaluations(&*self.backend, key, evaluations, blinding, timeline)
    }

    fn prove_each<'a>(&self, _seat: usize, jobs: Jobs<'_, 'a>, done: Done<'_, 'a>) {
        prove_each(&*self.backend, &self.key, jobs, done);
    }

    fn verifying_key(&self) -> &PreparedVerifyingKey {
        self.key.verifying_key()
    }

    fn shape(&self) -> &Shape {
        self.key.shape()
    }
}
