use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cuzk_groth16::{Progress, ProveError, SetupError};
use cuzk_hostmem::{HostAllocator, HostMemory};
use cuzk_params::{Loaded, ParameterFile, Parameters, ReadOptions};
use cuzk_phase::{Phase, Report, Timeline};
use cuzk_r1cs::Shape;
use cuzk_synth::{Circuit, Counts};

#[cfg(feature = "cuda")]
use crate::cuda::DeviceChoice;
use crate::{
    Backend, Compiled, Error, Tuning, machine::Machine, machines::Machines,
    preparation::Preparation,
};

/// The settings of a [`Prover`].
#[derive(Debug, Clone, Default)]
pub struct ProverBuilder {
    backend: Backend,
    /// Given here and not by the tuning; 0 is the caller's pool.
    threads: Option<usize>,
    host_memory: Option<HostMemory>,
    tuning: Tuning,
    cache: Option<PathBuf>,
    #[cfg(feature = "cuda")]
    device: DeviceChoice,
}

impl ProverBuilder {
    /// The most threads that a prover's own pool takes: twice the processors of the largest
    /// machines of today. Starting tens of thousands would keep the caller for minutes.
    pub const MAX_THREADS: usize = 1024;

    /// Which machine proves; by default the best there is.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Which CUDA device, and how much of its memory; by default the only or first one, and all.
    /// How host memory comes to it is not said here but by [`ProverBuilder::host_memory`] or the
    /// tuning.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn device(self, selector: crate::DeviceSelector, options: crate::DeviceOptions) -> Self {
        self.devices(selector.into(), options)
    }

    /// Which CUDA devices, and how much of the memory of each.
    ///
    /// Proofs go to whichever is free: those of a batch, those of a
    /// [`Pipeline`](crate::Pipeline), and single ones that are asked for at once. A key is prepared
    /// on a device when that first has a proof to make with it; until all have, the prover keeps
    /// the parameters. What fails on one device another proves.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn devices(mut self, devices: crate::Devices, options: crate::DeviceOptions) -> Self {
        self.device = DeviceChoice::new(devices, options);
        self
    }

    /// A pool of `threads` threads of the prover's own; by default, and for 0, work runs in
    /// the caller's `rayon` pool. It stands above [`Tuning::threads`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// How parameters and witnesses come from host memory to a CUDA device. It stands above [`Tuning::host_memory`].
    #[must_use]
    pub fn host_memory(mut self, host_memory: HostMemory) -> Self {
        self.host_memory = Some(host_memory);
        self
    }

    /// The switches; those that are given to the builder itself stand above them.
    #[must_use]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// A folder in which what is costly to derive from parameters is kept, and looked for: the
    /// queries of [`Quotient::Four`](crate::Quotient::Four), as large as the H and L queries. By
    /// default nothing is kept.
    ///
    /// A file there is checked before it is used, and derived again, with a warning, where it is
    /// damaged or foreign.
    #[must_use]
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// The prover.
    ///
    /// # Errors
    /// [`Error::TooManyThreads`] above [`ProverBuilder::MAX_THREADS`]; [`Error::Threads`] where
    /// the pool cannot be made; [`Error::Tuning`] where a switch has an impossible value.
    pub fn build(self) -> Result<Prover, Error> {
        let tuning = self.effective_tuning();
        let pool = tuning.threads.map(pool).transpose()?;
        tuning.check()?;
        Ok(Prover(Arc::new(Inner {
            machines: Machines::new(
                self.backend,
                tuning,
                #[cfg(feature = "cuda")]
                self.device,
            )?,
            pool,
            tuning,
            preparation: Arc::new(Preparation::new(tuning.quotient, self.cache)),
            last_report: Mutex::default(),
        })))
    }

    fn effective_tuning(&self) -> Tuning {
        let mut tuning = self.tuning;
        if let Some(threads) = self.threads {
            tuning.threads = (threads > 0).then_some(threads);
        }
        tuning.host_memory = self.host_memory.unwrap_or(tuning.host_memory);
        tuning
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let max = ProverBuilder::MAX_THREADS;
    if threads > max {
        return Err(Error::TooManyThreads { max, got: threads });
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("cuzk-{i}"))
        .build()
        .map_err(|source| Error::Threads { threads, source })
}

/// A machine that proves, with its settings. Clones share it.
#[derive(Debug, Clone)]
pub struct Prover(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    machines: Machines,
    pool: Option<rayon::ThreadPool>,
    tuning: Tuning,
    preparation: Arc<Preparation>,
    last_report: Mutex<Option<Report>>,
}

impl Prover {
    /// Settings to change.
    #[must_use]
    pub fn builder() -> ProverBuilder {
        ProverBuilder::default()
    }

    /// Reads and checks a parameter file, as phase `load_key`.
    ///
    /// The points go into memory of the prover's strategy, whatever `options.memory` says.
    ///
    /// # Errors
    /// [`Error::Params`] naming section and index.
    pub fn load(
        &self,
        path: impl AsRef<Path>,
        options: &ReadOptions,
        timeline: &Timeline,
    ) -> Result<Loaded, Error> {
        let span = timeline.span(Phase::LoadKey);
        let mut file = ParameterFile::open(path)?;
        let loaded = self.install(|| file.read(&self.read_options(options)))?;
        span.bytes(loaded.layout.parameter_bytes);
        Ok(loaded)
    }

    /// As [`Prover::load`], from bytes in memory.
    ///
    /// # Errors
    /// [`Error::Params`] naming section and index.
    pub fn load_bytes(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
        timeline: &Timeline,
    ) -> Result<Loaded, Error> {
        let span = timeline.span(Phase::LoadKey);
        let options = self.read_options(options);
        let loaded = self.install(|| Parameters::from_bytes(bytes, &options))?;
        span.bytes(loaded.layout.parameter_bytes);
        Ok(loaded)
    }

    fn read_options(&self, options: &ReadOptions) -> ReadOptions {
        let host_memory = self.0.tuning.host_memory;
        let locker = match host_memory {
            HostMemory::Registered | HostMemory::Auto => self.0.machines.usual().page_locker(),
            _ => None,
        };
        ReadOptions {
            memory: HostAllocator::new(host_memory, locker),
            ..options.clone()
        }
    }

    /// Captures the matrices of a circuit; no value is asked of it, so it may be blank.
    ///
    /// # Errors
    /// [`Error::Synthesis`].
    pub fn shape<C: Circuit>(&self, circuit: C) -> Result<Shape, Error> {
        Ok(cuzk_synth::shape(circuit)?)
    }

    /// Generates parameters with fresh randomness, for tests and for circuits that are proved
    /// and verified by one party; see [`cuzk_groth16::generate_parameters`].
    ///
    /// # Errors
    /// [`Error::Setup`].
    pub fn setup(
        &self,
        shape: &Shape,
        progress: impl Fn(Progress) + Sync + Send,
    ) -> Result<Parameters, Error> {
        self.reported(|timeline| self.setup_timed(shape, progress, timeline))
    }

    /// As [`Prover::setup`], with the time taken in `timeline`, as phases `exponents` and
    /// `fixed_base`.
    ///
    /// Where [`Backend::Auto`] took a device and that fails here, the processor makes the
    /// parameters, with a warning; the timeline says where.
    ///
    /// # Errors
    /// As [`Prover::setup`].
    pub fn setup_timed(
        &self,
        shape: &Shape,
        progress: impl Fn(Progress) + Sync + Send,
        timeline: &Timeline,
    ) -> Result<Parameters, Error> {
        let rows = shape.num_rows();
        let machine = timeline.measure(Phase::Open, || {
            self.install(|| self.0.machines.for_setup(rows))
        });
        let set_up = |machine: &dyn Machine| {
            self.name_machine(machine, timeline);
            self.install(|| machine.set_up(shape, timeline, &progress))
        };
        let parameters = set_up(&*machine);
        if let Err(error @ SetupError::Backend { .. }) = &parameters
            && let Some(other) = self.other_than(&*machine, "parameters are made", error)
        {
            return Ok(set_up(&*other)?);
        }
        Ok(parameters?)
    }

    /// Prepares a circuit and its key, once for any number of proofs.
    ///
    /// # Errors
    /// [`Error::Synthesis`]; [`Error::Prove`] where the key belongs to another circuit.
    pub fn compile<C: Circuit>(
        &self,
        circuit: C,
        parameters: &Parameters,
    ) -> Result<Compiled, Error> {
        self.reported(|timeline| self.compile_timed(circuit, parameters, timeline))
    }

    /// As [`Prover::compile`], with the time taken in `timeline`, as phase `compile`.
    ///
    /// # Errors
    /// As [`Prover::compile`].
    pub fn compile_timed<C: Circuit>(
        &self,
        circuit: C,
        parameters: &Parameters,
        timeline: &Timeline,
    ) -> Result<Compiled, Error> {
        let shape = timeline.measure(Phase::Compile, || self.shape(circuit))?;
        self.prepare(Arc::new(shape), parameters, timeline)
    }

    /// Prepares a key for a shape that is already there.
    ///
    /// Where [`Backend::Auto`] took a device and that fails here, for lack of memory perhaps, the
    /// key is prepared on the processor, with a warning; the timeline says where.
    ///
    /// # Errors
    /// [`Error::Prove`] where the key belongs to another circuit.
    pub fn prepare(
        &self,
        shape: Arc<Shape>,
        parameters: &Parameters,
        timeline: &Timeline,
    ) -> Result<Compiled, Error> {
        let machine = timeline.measure(Phase::Open, || self.machine(shape.num_rows()));
        let _span = timeline.span(Phase::Compile);
        let prepared = self.prepare_on(&machine, Arc::clone(&shape), parameters, timeline);
        if let Err(error) = &prepared
            && let Some(other) = self.instead_of(&*machine, error)
        {
            return Ok(self.prepare_on(&other, shape, parameters, timeline)?);
        }
        Ok(prepared?)
    }

    /// Another machine for a key that this one could not prepare; says that in a warning.
    pub(crate) fn instead_of(
        &self,
        machine: &dyn Machine,
        error: &ProveError,
    ) -> Option<Arc<dyn Machine>> {
        if !matches!(error, ProveError::Backend { .. }) {
            return None;
        }
        self.other_than(machine, "the key is prepared", error)
    }

    /// The machine to which work goes that failed on this one; says that in a warning.
    fn other_than(
        &self,
        machine: &dyn Machine,
        what: &str,
        error: &(dyn std::error::Error + 'static),
    ) -> Option<Arc<dyn Machine>> {
        let other = self.0.machines.instead_of(machine)?;
        let (from, to) = (machine.name(), other.name());
        tracing::warn!(error, "{what} on {to}, because {from} failed");
        Some(other)
    }

    fn prepare_on(
        &self,
        machine: &Arc<dyn Machine>,
        shape: Arc<Shape>,
        parameters: &Parameters,
        timeline: &Timeline,
    ) -> Result<Compiled, ProveError> {
        self.name_machine(&**machine, timeline);
        let preparation = &self.0.preparation;
        let prepare = || Arc::clone(machine).prepare(shape, parameters, preparation);
        let key = self.install(prepare)?;
        Ok(Compiled::new(self.clone(), Arc::clone(machine), key))
    }

    /// Checks every constraint of a circuit with its witness and names the first that fails.
    ///
    /// # Errors
    /// [`Error::Check`].
    pub fn check<C: Circuit>(&self, circuit: C) -> Result<Counts, Error> {
        Ok(cuzk_synth::check(circuit)?)
    }

    /// The switches in force.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.0.tuning
    }

    /// A timeline that measures what [`Tuning::measure`] says.
    #[must_use]
    pub fn timeline(&self) -> Timeline {
        Timeline::measuring(self.0.tuning.measure)
    }

    /// The report of the last operation that was not given a timeline of its own.
    #[must_use]
    pub fn last_report(&self) -> Option<Report> {
        let report = self.0.last_report.lock();
        report.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says in a timeline on which backend and device this prover runs.
    pub fn name_device(&self, timeline: &Timeline) {
        self.name_machine(&*self.0.machines.usual(), timeline);
    }

    /// Says in a timeline that it tells of this machine.
    pub(crate) fn name_machine(&self, machine: &dyn Machine, timeline: &Timeline) {
        let device = self.install(|| machine.device());
        timeline.ran_on(machine.name(), &device);
        if let Some(probe) = machine.memory_probe() {
            timeline.ask_device_memory(&device, probe);
        }
    }

    /// The machine for a circuit of so many rows.
    pub(crate) fn machine(&self, rows: usize) -> Arc<dyn Machine> {
        self.install(|| self.0.machines.for_rows(rows))
    }

    /// Runs work in the prover's pool, or where the caller is.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs work with a timeline of its own and keeps the report, also where it fails.
    pub(crate) fn reported<T>(&self, work: impl FnOnce(&Timeline) -> T) -> T {
        let timeline = self.timeline();
        self.name_device(&timeline);
        let result = work(&timeline);
        let report = Some(timeline.finish());
        *self
            .0
            .last_report
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = report;
        result
    }
}
