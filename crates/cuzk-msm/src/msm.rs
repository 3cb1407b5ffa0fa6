mod run;
mod within;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cuzk_backend::{Pending, ShapeError, SharedBases};
use cuzk_curve::FrLimbs;
use cuzk_device::{Device, DeviceBuf, DeviceSlice, Event, Marks, Stream, Timing};

use crate::MsmError;
use crate::accumulate::Accumulator;
use crate::affine::{AffineTree, AffineTuning};
use crate::group::DeviceGroup;
use crate::plan::{CardFigures, HostLink, MsmPlan, PlanOptions, Residence};
use crate::reduce::Reducer;
use crate::sort::DigitSorter;
use crate::staging::Scalars;
use crate::tables::{TableBuilder, TableShape};
use crate::windows::WindowSums;

/// Multi-scalar multiplication in one group on one device.
///
/// # Source
/// Bucket method: `[eprint 2012/549]` §4.
#[derive(Debug)]
pub struct Msm<G: DeviceGroup> {
    device: Device,
    options: PlanOptions,
    sorter: DigitSorter,
    xyzz: Accumulator<G>,
    affine: AffineTree<G>,
    reducer: Reducer<G>,
    tables: TableBuilder<G>,
    /// Copies from the host, beside the work of other streams.
    copies: Stream,
}

/// Points prepared for any number of sums. A clone shares them.
#[derive(Debug, Clone)]
pub struct Bases<G: DeviceGroup> {
    points: Points<G>,
    plan: Arc<MsmPlan>,
    /// For scalars from the host, made when it is first needed.
    plan_from_host: Arc<OnceLock<MsmPlan>>,
}

/// Where the points are.
#[derive(Debug, Clone)]
enum Points<G: DeviceGroup> {
    Resident(Arc<Resident<G>>),
    OnHost(SharedBases<G>),
}

#[derive(Debug)]
struct Resident<G: DeviceGroup> {
    /// With several tables, one after the other.
    points: DeviceBuf<G::Limbs>,
    /// Reached when the points are there.
    ready: Event,
}

/// Where the time of one sum went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MsmTimes {
    /// On the device: digits, and their sort.
    pub sort: Duration,
    /// On the device: sums of buckets.
    pub accumulate: Duration,
    /// On the device: from buckets to a point for each window.
    pub reduce: Duration,
    /// On the host: from windows to one point.
    pub host: Duration,
    /// On the device, from the first kernel to the last.
    pub device: Duration,
}

/// Parts of a sum, as whoever watches its stream is told of them.
const SORT: &str = "sort";
const ACCUMULATE: &str = "accumulate";
const REDUCE: &str = "reduce";

impl<G: DeviceGroup> Msm<G> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn new(device: &Device, options: PlanOptions) -> Result<Self, MsmError> {
        Self::with_tuning(device, options, AffineTuning::default())
    }

    /// The same with another way to share the work of affine trees.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn with_tuning(
        device: &Device,
        options: PlanOptions,
        tuning: AffineTuning,
    ) -> Result<Self, MsmError> {
        Ok(Self {
            device: device.clone(),
            options,
            sorter: DigitSorter::new(device)?,
            xyzz: Accumulator::new(device)?,
            affine: AffineTree::with_tuning(device, tuning)?,
            reducer: Reducer::new(device)?,
            tables: TableBuilder::new(device)?,
            copies: device.new_stream()?,
        })
    }

    /// What sums lists of points in pairs, for lists of the caller's.
    #[must_use]
    pub fn tree(&self) -> &AffineTree<G> {
        &self.affine
    }

    /// The plan for so many bases that are on the device, with the memory that is free now.
    ///
    /// # Errors
    /// [`MsmError::TooManyBases`], [`MsmError::NoPlace`], and those of a device that does not
    /// answer.
    pub fn plan(&self, n: usize) -> Result<MsmPlan, MsmError> {
        self.plan_for(n, Residence::Device, &self.options)
    }

    fn plan_for(
        &self,
        n: usize,
        residence: Residence,
        options: &PlanOptions,
    ) -> Result<MsmPlan, MsmError> {
        let card = CardFigures::of(self.device.info());
        let budget_bytes = match options.scratch_bytes {
            Some(bytes) => bytes,
            None => {
                let memory = self.device.memory()?;
                // What the pool keeps is free for us too.
                let ours = memory.total_bytes.saturating_sub(memory.used_bytes);
                let points = match residence {
                    Residence::Device => n.saturating_mul(size_of::<G::Limbs>()),
                    Residence::Host => 0,
                };
                ours.saturating_sub(points) / 10 * 9
            }
        };
        let host_link = HostLink::of(self.device.host_copies().strategy());
        let options = PlanOptions {
            host_link: options.host_link.or(Some(host_link)),
            ..*options
        };
        MsmPlan::new::<G>(n, residence, &card, budget_bytes, &options)
    }

    /// Brings points to the device. Waits for that.
    ///
    /// # Shapes
    /// Points of the curve in affine coordinates; all zeros is the identity.
    ///
    /// # Errors
    /// Those of [`Msm::plan`], failures of memory and copies.
    pub fn prepare(&self, stream: &Stream, points: &[G::Limbs]) -> Result<Bases<G>, MsmError> {
        self.prepare_with(stream, points, &self.options)
    }

    /// The same with options of these bases' own.
    ///
    /// # Errors
    /// As [`Msm::prepare`].
    pub fn prepare_with(
        &self,
        stream: &Stream,
        points: &[G::Limbs],
        options: &PlanOptions,
    ) -> Result<Bases<G>, MsmError> {
        let plan = self.plan_for(points.len(), Residence::Device, options)?;
        let points = stream.upload(points)?;
        self.hold(points, plan)
    }

    /// Takes points that are on the device.
    ///
    /// # Errors
    /// Those of [`Msm::plan`], failures of memory and launches.
    pub fn prepare_resident(&self, points: DeviceBuf<G::Limbs>) -> Result<Bases<G>, MsmError> {
        self.prepare_resident_with(points, &self.options)
    }

    /// The same with options of these bases' own.
    ///
    /// # Errors
    /// As [`Msm::prepare_resident`].
    pub fn prepare_resident_with(
        &self,
        points: DeviceBuf<G::Limbs>,
        options: &PlanOptions,
    ) -> Result<Bases<G>, MsmError> {
        let plan = self.plan_for(points.len(), Residence::Device, options)?;
        self.hold(points, plan)
    }

    /// Takes points that stay in host memory: every sum brings them to the device in chunks, each
    /// while the one before is summed, and returns when the last one is there. The sums of buckets
    /// are carried from chunk to chunk.
    ///
    /// # Errors
    /// As [`Msm::plan`].
    pub fn prepare_streamed(&self, points: SharedBases<G>) -> Result<Bases<G>, MsmError> {
        self.prepare_streamed_with(points, &self.options)
    }

    /// Makes the tables that the plan asks for.
    fn hold(&self, points: DeviceBuf<G::Limbs>, plan: MsmPlan) -> Result<Bases<G>, MsmError> {
        /// Bases whose multiples are compared with the host's.
        const SAMPLES: usize = 4;
        tracing::debug!(%plan, "prepared bases");
        let stream = points.stream().clone();
        let shape = TableShape {
            factor: plan.layout.tables() as usize,
            doublings: plan.layout.table_bits(),
        };
        let points = if shape.factor == 1 {
            points
        } else {
            let tables = self.tables.extend(&stream, points.as_slice(), shape)?;
            self.tables
                .check(&stream, tables.as_slice(), shape, SAMPLES)?;
            tables
        };
        let ready = self.device.new_event(Timing::Disabled)?;
        stream.record(&ready)?;
        Ok(Bases::new(
            Points::Resident(Arc::new(Resident { points, ready })),
            plan,
        ))
    }

    /// `sum of scalars[i] * bases[i]`, enqueued on the stream of the scalars.
    ///
    /// # Shapes
    /// As many scalars as bases; none at all give the identity.
    ///
    /// # Errors
    /// [`ShapeError`] where the lengths differ; failures of memory and launches. What the kernels
    /// meet comes when the result is waited for.
    pub fn msm(
        &self,
        bases: &Bases<G>,
        scalars: &DeviceBuf<FrLimbs>,
    ) -> Result<Pending<G::Projective, MsmError>, MsmError> {
        self.msm_on(scalars.stream(), bases, scalars)
    }

    /// The same on a stream that comes after the work by which the scalars are made, and before
    /// whatever drops them.
    ///
    /// # Errors
    /// As [`Msm::msm`].
    pub fn msm_on(
        &self,
        stream: &Stream,
        bases: &Bases<G>,
        scalars: &DeviceBuf<FrLimbs>,
    ) -> Result<Pending<G::Projective, MsmError>, MsmError> {
        self.one(bases, bases.plan(), stream, Scalars::Resident(&[scalars]))
    }

    /// A sum for each of several vectors of scalars, which share one pass over the bases where
    /// these are on the host.
    ///
    /// # Shapes
    /// As many scalars in each as bases; all vectors belong to one stream.
    ///
    /// # Errors
    /// As [`Msm::msm`], and [`MsmError::OtherStream`].
    pub fn msm_many(
        &self,
        bases: &Bases<G>,
        scalars: &[&DeviceBuf<FrLimbs>],
    ) -> Result<Vec<Pending<G::Projective, MsmError>>, MsmError> {
        let Some(first) = scalars.first() else {
            return Ok(Vec::new());
        };
        for (index, scalars) in scalars.iter().enumerate() {
            ShapeError::check("scalars for the bases", bases.len(), scalars.len())?;
            if !scalars.stream().is(first.stream()) {
                return Err(MsmError::OtherStream { index });
            }
        }
        let (plan, scalars) = (bases.plan(), Scalars::Resident(scalars));
        let sums = self.enqueue(bases, plan, first.stream(), scalars)?;
        let pending = |sums: WindowSums<G>| Pending::running(move || sums.wait());
        Ok(sums.into_iter().map(pending).collect())
    }

    /// The same with scalars from the host, which come in chunks, each while the one before is
    /// summed. Returns when the last one is there.
    ///
    /// # Errors
    /// As [`Msm::msm`].
    pub fn msm_from_host(
        &self,
        stream: &Stream,
        bases: &Bases<G>,
        scalars: &[FrLimbs],
    ) -> Result<Pending<G::Projective, MsmError>, MsmError> {
        self.sum_from_host(self.plan_from_host(bases)?, stream, bases, scalars)
    }

    /// How sums with scalars from the host are carried out.
    ///
    /// # Errors
    /// Those of [`MsmPlan::new`].
    pub fn plan_from_host<'a>(&self, bases: &'a Bases<G>) -> Result<&'a MsmPlan, MsmError> {
        if let Some(plan) = bases.plan_from_host.get() {
            return Ok(plan);
        }
        let card = CardFigures::of(self.device.info());
        let plan = bases.plan.with_host_scalars::<G>(&card)?;
        tracing::debug!(%plan, "with scalars from the host");
        Ok(bases.plan_from_host.get_or_init(|| plan))
    }

    fn sum_from_host(
        &self,
        plan: &MsmPlan,
        stream: &Stream,
        bases: &Bases<G>,
        scalars: &[FrLimbs],
    ) -> Result<Pending<G::Projective, MsmError>, MsmError> {
        let scalars = Scalars::from_host(stream, &self.copies, scalars)?;
        self.one(bases, plan, stream, scalars)
    }

    fn one(
        &self,
        bases: &Bases<G>,
        plan: &MsmPlan,
        stream: &Stream,
        scalars: Scalars<'_>,
    ) -> Result<Pending<G::Projective, MsmError>, MsmError> {
        ShapeError::check("scalars for the bases", bases.len(), scalars.len())?;
        let mut sums = self.enqueue(bases, plan, stream, scalars)?;
        let sum = sums.pop().expect("a sum for each vector");
        Ok(Pending::running(move || sum.wait()))
    }

    /// One sum, waited for, and where its time went.
    ///
    /// # Errors
    /// As [`Msm::msm`].
    pub fn msm_timed(
        &self,
        bases: &Bases<G>,
        scalars: &DeviceBuf<FrLimbs>,
    ) -> Result<(G::Projective, MsmTimes), MsmError> {
        let stream = scalars.stream();
        ShapeError::check("scalars for the bases", bases.len(), scalars.len())?;
        let watch = stream.watch(&Marks::new(&self.device), true)?;
        let vector = Scalars::Resident(&[scalars]);
        let mut sums = self.enqueue(bases, bases.plan(), stream, vector)?;
        let watched = watch.stop()?;
        watched.wait()?;
        let host = Instant::now();
        let sum = sums.pop().expect("a sum for the vector").wait()?;
        let mut times = MsmTimes {
            host: host.elapsed(),
            device: watched.end.elapsed_since(&watched.start)?,
            ..MsmTimes::default()
        };
        for part in watched.parts.iter().filter(|part| part.beside.is_none()) {
            let time = match part.name {
                SORT => &mut times.sort,
                ACCUMULATE => &mut times.accumulate,
                _ => &mut times.reduce,
            };
            *time += part.end.elapsed_since(&part.start)?;
        }
        Ok((sum, times))
    }
}

impl<G: DeviceGroup> Bases<G> {
    fn new(points: Points<G>, plan: MsmPlan) -> Self {
        Self {
            points,
            plan: Arc::new(plan),
            plan_from_host: Arc::default(),
        }
    }

    /// The number of bases.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plan.n
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points on the device, without the tables of their multiples.
    ///
    /// # Errors
    /// [`MsmError::OnHost`] for bases that are streamed.
    pub fn points(&self) -> Result<DeviceSlice<'_, G::Limbs>, MsmError> {
        match &self.points {
            Points::Resident(resident) => Ok(resident.points.as_slice().part(0..self.len())?),
            Points::OnHost(_) => Err(MsmError::OnHost),
        }
    }

    /// How sums with them are carried out.
    #[must_use]
    pub fn plan(&self) -> &MsmPlan {
        &self.plan
    }
}

#[cfg(test)]
pub(crate) mod tests;
