use std::sync::{Arc, Mutex};

use cuzk_backend::{
    Backend, Clock, Detail, KeyPlan, KeyShape, Lane, Lap, LapPart, MemoryProbe, Pending,
    ShapeError, Stopwatch,
};
use cuzk_curve::{Fr, FrLimbs, G1, G2};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, Mark, Marks, Stream, Watched};
use cuzk_msm::{Msm, WitnessSplitter, is_of_base_tables};
use cuzk_ntt::NttEngine;
use cuzk_spmv::SpmvEngine;

use crate::{CudaError, CudaOptions, beside::SideStreams, domains::Domains};

/// A CUDA device as a backend.
///
/// Everything is enqueued on one stream, in the order of the calls, but copies of witnesses and
/// results, and sums over a split witness, which go beside it where the memory plan says so; it may be used from any thread. Vectors, matrices, witnesses and bases belong to the backend that made them: another
/// one, also of the same device, refuses them with [`CudaError::OtherBackend`].
#[derive(Debug)]
pub struct Cuda {
    device: Device,
    pub(crate) options: CudaOptions,
    pub(crate) stream: Stream,
    pub(crate) sides: SideStreams,
    pub(crate) ntt: NttEngine,
    pub(crate) spmv: SpmvEngine,
    pub(crate) splitter: WitnessSplitter,
    pub(crate) msm_g1: Msm<G1>,
    pub(crate) msm_g2: Msm<G2>,
    pub(crate) domains: Mutex<Domains>,
    marks: Marks,
}

impl Cuda {
    /// Opens the one device that fits, and compiles the kernels for it, or takes the driver's
    /// copies of that.
    ///
    /// # Errors
    /// [`CudaError::Device`]: no driver, no such device, one that is too old, kernels that do not
    /// load.
    pub fn open(selector: &DeviceSelector, options: &DeviceOptions) -> Result<Self, CudaError> {
        Self::on(&Device::open(selector, options)?)
    }

    /// The backend on a device that is open.
    ///
    /// # Errors
    /// As [`Cuda::open`].
    pub fn on(device: &Device) -> Result<Self, CudaError> {
        Self::with_options(device, CudaOptions::default())
    }

    /// The backend on a device that is open, with options of its own.
    ///
    /// # Errors
    /// As [`Cuda::open`].
    pub fn with_options(device: &Device, options: CudaOptions) -> Result<Self, CudaError> {
        // Held until the engines have taken their kernels from them.
        let _loaded = device.load_all(&kernels())?;
        Ok(Self {
            stream: device.new_stream()?,
            sides: SideStreams::new(device)?,
            ntt: NttEngine::open(device)?,
            spmv: SpmvEngine::open(device)?,
            splitter: WitnessSplitter::new(device)?,
            msm_g1: Msm::with_tuning(device, options.plan(None), options.affine())?,
            msm_g2: Msm::with_tuning(device, options.plan(None), options.affine())?,
            options,
            domains: Mutex::default(),
            marks: Marks::new(device),
            device: device.clone(),
        })
    }

    /// The device.
    #[must_use]
    pub fn cuda_device(&self) -> &Device {
        &self.device
    }

    /// Refuses what belongs to another stream: nothing orders that one's work with ours, and the
    /// memory of another device cannot be reached at all.
    pub(crate) fn check_own(&self, what: &'static str, stream: &Stream) -> Result<(), CudaError> {
        if stream.is(&self.stream) {
            return Ok(());
        }
        Err(CudaError::OtherBackend {
            what,
            expected: self.device.info().uuid.clone(),
            got: stream.device().info().uuid.clone(),
        })
    }
}

impl Drop for Cuda {
    /// Sums may still be computed for whoever waits for them later, by kernels that are unloaded
    /// with the last of what is dropped here.
    fn drop(&mut self) {
        let done = self.sides.synchronize();
        if let Err(error) = self.stream.synchronize().and(done) {
            tracing::warn!(%error, "work of a backend that was dropped failed");
        }
    }
}

/// The files of kernels that a proof needs.
fn kernels() -> Vec<&'static cuzk_kernels::Module> {
    let modules = cuzk_kernels::modules().iter();
    let needed = |module: &&cuzk_kernels::Module| {
        let is_of_keys = module.name == cuzk_fold::Folder::MODULE || is_of_base_tables(module);
        !module.is_for_tests() && !is_of_keys
    };
    modules.filter(needed).collect()
}

/// The times of a stretch from the start of a clock, when it is done.
///
/// Parts are placed by the stretch's own start, so that those which meet do so in numbers too:
/// the driver's have 24 bits, and a clock may have run for minutes.
fn lap(watched: &Watched, zero: &Mark) -> Result<Lap, CudaError> {
    watched.wait()?;
    let start = watched.start.elapsed_since(zero)?;
    let parts = watched.parts.iter().map(|part| {
        let begins = part.start.elapsed_since(&watched.start)?;
        let ends = part.end.elapsed_since(&watched.start)?;
        // What was done beside may have begun before, and a time before is read as none.
        let is_before = part.beside.is_some() && begins.is_zero();
        Ok(match is_before {
            true => LapPart {
                name: part.name,
                beside: part.beside,
                start: part.start.elapsed_since(zero)?,
                elapsed: part.end.elapsed_since(&part.start)?,
            },
            false => LapPart {
                name: part.name,
                beside: part.beside,
                start: start + begins,
                elapsed: ends.saturating_sub(begins),
            },
        })
    });
    Ok(Lap {
        start,
        elapsed: watched.end.elapsed_since(&watched.start)?,
        parts: parts.collect::<Result<_, CudaError>>()?,
    })
}

impl Backend for Cuda {
    type Vector = DeviceBuf<FrLimbs>;
    type Error = CudaError;

    fn name(&self) -> &'static str {
        "cuda"
    }

    fn device(&self) -> String {
        let info = self.device.info();
        format!("{}, {}", info.name, info.uuid)
    }

    fn upload(&self, host: &[Fr]) -> Result<Self::Vector, CudaError> {
        Ok(self.stream.upload(FrLimbs::view(host))?)
    }

    fn download(&self, vector: &Self::Vector) -> Result<Vec<Fr>, CudaError> {
        self.check_own("vectors", vector.stream())?;
        Ok(FrLimbs::scalars(&vector.download()?)?.to_vec())
    }

    fn len(&self, vector: &Self::Vector) -> usize {
        vector.len()
    }

    fn truncate(&self, mut vector: Self::Vector, len: usize) -> Result<Self::Vector, CudaError> {
        self.check_own("vectors", vector.stream())?;
        if len > vector.len() {
            return Err(ShapeError {
                what: "scalars to keep",
                expected: len,
                got: vector.len(),
            }
            .into());
        }
        vector.truncate(len);
        Ok(vector)
    }

    fn clock(&self) -> Result<Option<Clock<CudaError>>, CudaError> {
        let (marks, work) = (self.marks.clone(), self.stream.clone());
        let sides = self.sides.clone();
        let uploads = work.uploads()?.clone();
        // A proof begins there, and no work of others is in the way.
        let zero = marks.new_mark(&uploads)?;
        Ok(Some(Clock::new(move |lane, detail| {
            let stream = match lane {
                Lane::Work => &work,
                Lane::Uploads => &uploads,
                Lane::Query(query) => sides.of(query).unwrap_or(&work),
            };
            let watch = stream.watch(&marks, detail == Detail::Parts)?;
            let zero = Arc::clone(&zero);
            Ok(Stopwatch::new(move || {
                let watched = watch.stop()?;
                Ok(Pending::running(move || lap(&watched, &zero)))
            }))
        })))
    }

    fn plan_key(&self, shape: &KeyShape) -> Result<KeyPlan, CudaError> {
        self.decide(shape)
    }

    fn plan_less(&self, shape: &KeyShape, plan: &KeyPlan, error: &CudaError) -> Option<KeyPlan> {
        error.is_memory().then(|| self.decide_less(shape, plan))?
    }

    fn memory_probe(&self) -> Option<MemoryProbe> {
        let device = self.device.clone();
        Some(Arc::new(move || device.take_peak_bytes() as u64))
    }
}
