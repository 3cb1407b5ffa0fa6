//! The CUDA devices of a prover: opened when they are first needed, and tried before they are
//! trusted.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock, mpsc},
};

use cuzk_cpu::Cpu;
use cuzk_cuda::{Cuda, CudaError, CudaOptions};
use cuzk_curve::Fr;
use cuzk_device::{Device, DeviceError, DeviceInfo, DeviceOptions, DeviceSelector};
use cuzk_groth16::{Blinding, Proof, ProveError, ProvingKey, generate_parameters, prove};
use cuzk_phase::Timeline;
use cuzk_synth::{Circuit, ConstraintSystem, SynthesisError, shape, witness};
use rand_core::OsRng;

use crate::{Devices, Error, Tuning, machine::Machine, several::Several};

/// The devices of a prover that may do without any.
#[derive(Debug, Default)]
pub(crate) struct MaybeCuda {
    device: DeviceChoice,
    opened: OnceLock<Option<Arc<dyn Machine>>>,
}

/// Which devices, and how much of the memory of each.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceChoice {
    pub(crate) devices: Devices,
    pub(crate) options: DeviceOptions,
    /// What the switches say.
    cuda: CudaOptions,
}

impl DeviceChoice {
    pub(crate) fn new(devices: Devices, options: DeviceOptions) -> Self {
        Self {
            devices,
            options,
            cuda: CudaOptions::default(),
        }
    }

    /// The same with the switches that concern it.
    pub(crate) fn tuned(self, tuning: &Tuning) -> Self {
        let budget_bytes = self.options.budget_bytes.or(tuning.memory_budget);
        Self {
            cuda: tuning.cuda_options(),
            options: DeviceOptions {
                host_memory: tuning.host_memory,
                budget_bytes,
                ..self.options
            },
            ..self
        }
    }

    /// The devices, each opened and tried, as one machine.
    pub(crate) fn open(&self) -> Result<Arc<dyn Machine>, Error> {
        let opened = self.open_each()?.into_iter().collect::<Result<_, _>>()?;
        Ok(as_one(opened))
    }

    /// Those of them that can be had; the error of the first where none can.
    fn open_usable(&self) -> Result<Arc<dyn Machine>, Error> {
        let (good, bad): (Vec<_>, Vec<_>) = self.open_each()?.into_iter().partition(Result::is_ok);
        let mut bad = bad.into_iter().filter_map(Result::err);
        let good: Vec<_> = good.into_iter().flatten().collect();
        if good.is_empty() {
            return Err(bad.next().unwrap_or(Error::NoDevices));
        }
        bad.for_each(|error| report(&error));
        Ok(as_one(good))
    }

    fn open_each(&self) -> Result<Vec<Result<Arc<Cuda>, Error>>, Error> {
        let selectors = match &self.devices {
            Devices::These(selectors) => selectors.clone(),
            Devices::All => {
                let infos = cuzk_device::devices().map_err(CudaError::from)?;
                let by_index = |info: &DeviceInfo| DeviceSelector::Index(info.index);
                infos.iter().map(by_index).collect()
            }
        };
        if selectors.is_empty() {
            return Err(Error::NoDevices);
        }
        let mut uuids = HashSet::new();
        let open = |selector: &DeviceSelector| {
            let device = Device::open(selector, &self.options).map_err(CudaError::from)?;
            let uuid = device.info().uuid.clone();
            if !uuids.insert(uuid.clone()) {
                return Err(Error::DeviceTwice { uuid });
            }
            let cuda = Cuda::with_options(&device, self.cuda)?;
            known_answer(&cuda)?;
            Ok(Arc::new(cuda))
        };
        Ok(selectors.iter().map(open).collect())
    }

    /// [`DeviceChoice::open_usable`] in threads of its own.
    fn open_apart(&self) -> Result<Arc<dyn Machine>, Error> {
        let threads = TRIAL_THREADS;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("cuzk-trial-{i}"))
            .panic_handler(|_| ())
            .build()
            .map_err(|source| Error::Threads { threads, source })?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let choice = self.clone();
        pool.spawn(move || {
            // The receiver waits below.
            let _ = sender.send(choice.open_usable());
        });
        receiver.recv().expect("a trial does not panic")
    }
}

/// Devices as one machine.
fn as_one(mut opened: Vec<Arc<Cuda>>) -> Arc<dyn Machine> {
    if opened.len() == 1
        && let Some(one) = opened.pop()
    {
        return one;
    }
    let seats = opened.into_iter().map(|cuda| -> Arc<dyn Machine> { cuda });
    Arc::new(Several::new(seats.collect()))
}

/// The trial is a few hundred small products.
const TRIAL_THREADS: usize = 2;

impl MaybeCuda {
    pub(crate) fn new(device: DeviceChoice) -> Self {
        Self {
            device,
            opened: OnceLock::new(),
        }
    }

    /// The devices that can be had, as one machine; that others cannot is said once.
    ///
    /// Others wait while the first caller opens it. Where they keep the threads of a pool, that
    /// pool can do nothing for the trial; and a thread that waits for a pool may be given another
    /// caller's work, which would wait for the very trial it interrupts. So the trial has a pool of
    /// its own, for which this thread waits without working.
    pub(crate) fn get(&self) -> Option<Arc<dyn Machine>> {
        let open = || self.device.open_apart().inspect_err(report).ok();
        self.opened.get_or_init(open).clone()
    }

    /// The same if they were needed already.
    pub(crate) fn if_open(&self) -> Option<Arc<dyn Machine>> {
        self.opened.get()?.clone()
    }
}

fn report(error: &Error) {
    match error {
        Error::Cuda(CudaError::Device(DeviceError::NoDriver(_) | DeviceError::NoDevice)) => {
            tracing::debug!(%error, "there is no CUDA device");
        }
        _ => tracing::warn!(
            error = error as &dyn std::error::Error,
            "a CUDA device is not used"
        ),
    }
}

/// Squares its secret so many times; the last square is public.
#[derive(Clone, Copy)]
struct Squares(u64);

/// Enough for windows of several buckets, few enough for a set-up in milliseconds.
const SQUARES: usize = 100;

impl Circuit for Squares {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut value = Fr::from(self.0);
        let mut variable = cs.alloc(|| "start", || Ok(value))?;
        for _ in 0..SQUARES {
            value *= value;
            let square = cs.alloc(|| "square", || Ok(value))?;
            cs.enforce(
                || "squaring",
                |lc| lc + variable,
                |lc| lc + variable,
                |lc| lc + square,
            );
            variable = square;
        }
        let last = cs.alloc_input(|| "last", || Ok(value))?;
        cs.enforce(
            || "last",
            |lc| lc + variable,
            |lc| lc + CS::one(),
            |lc| lc + last,
        );
        Ok(())
    }
}

/// Proves a small circuit on the device and on the processor, and compares the bytes.
fn known_answer(cuda: &Cuda) -> Result<(), Error> {
    let circuit = Squares(3);
    let shape = Arc::new(shape(circuit)?);
    let cpu = Cpu::default();
    let parameters = generate_parameters(&cpu, &shape, &mut OsRng, &Timeline::start(), |_| {})?;
    let witness = witness(circuit)?;
    let blinding = Blinding::random(OsRng);
    let expected = {
        let key = ProvingKey::prepare(&cpu, shape.clone(), &parameters)?;
        prove(&cpu, &key, &witness, &blinding, &Timeline::start())?
    };
    let key = ProvingKey::prepare(cuda, shape, &parameters)?;
    let got: Result<Proof, ProveError> = prove(cuda, &key, &witness, &blinding, &Timeline::start());
    if got? == expected {
        Ok(())
    } else {
        Err(Error::KnownAnswer)
    }
}
