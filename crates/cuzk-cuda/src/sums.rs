use std::sync::{Arc, Mutex, PoisonError};

use cuzk_backend::{
    Keep, Lane, Msm, Pending, QueryName, Residence, ShapeError, SharedBases, WitnessMsm,
};
use cuzk_curve::{FrLimbs, G1, G2, SourceGroup};
use cuzk_device::{DeviceBuf, Promise, Stream};
use cuzk_msm::{Bases, DeviceGroup, PlanOptions, most_scratch_bytes};
use group::{Group as _, prime::PrimeCurveAffine};

use crate::split::Parts;
use crate::{Cuda, CudaError, CudaSplit};

/// The points of a query: on the device, or on the host, from where every sum brings them.
#[derive(Debug)]
pub struct CudaBases<G: OnCuda> {
    /// As they were planned.
    first: Planned<G>,
    /// With less scratch, by which the last sum found memory, and for how many more.
    less: Mutex<Option<(Planned<G>, u32)>>,
    len: usize,
    query: Option<QueryName>,
    /// Whether sums of a split may go beside other work.
    beside: bool,
    /// Where they were brought to the device, and are freed.
    stream: Stream,
    /// What the key may take of the device as long as they are there.
    _reserved: Option<Promise>,
}

/// Bases with what their sums may take.
#[derive(Debug, Clone)]
struct Planned<G: OnCuda> {
    bases: Arc<Bases<G>>,
    /// What is free then where `None`.
    scratch_bytes: Option<usize>,
}

/// A group whose sums a backend has.
pub trait OnCuda: DeviceGroup {
    /// What sums its points.
    fn msm_of(cuda: &Cuda) -> &cuzk_msm::Msm<Self>;
}

impl OnCuda for G1 {
    fn msm_of(cuda: &Cuda) -> &cuzk_msm::Msm<Self> {
        &cuda.msm_g1
    }
}

impl OnCuda for G2 {
    fn msm_of(cuda: &Cuda) -> &cuzk_msm::Msm<Self> {
        &cuda.msm_g2
    }
}

type Sum<G> = Pending<<G as SourceGroup>::Projective, CudaError>;

/// Times that a sum is tried, each with half the scratch of the one before.
const TRIES: u32 = 4;

/// Sums that go on with what one found memory by. Then memory that was short may be back, and if it
/// is not, to ask for it once more costs less than these have won.
const SUMS_WITH_LESS: u32 = 16;

impl<G: OnCuda> Msm<G> for Cuda {
    type Bases = CudaBases<G>;

    fn prepare(&self, points: SharedBases<G>) -> Result<CudaBases<G>, CudaError> {
        let memory = self.cuda_device().memory()?;
        let free_bytes = memory.total_bytes.saturating_sub(memory.used_bytes);
        let bytes = size_of_val(G::as_limbs(&points));
        let keep = Keep {
            table_bytes: self.options.table_bytes(points.query(), bytes, free_bytes),
            beside: true,
            ..Keep::default()
        };
        self.prepare_as(points, keep)
    }

    fn prepare_as(&self, points: SharedBases<G>, keep: Keep) -> Result<CudaBases<G>, CudaError> {
        let (msm, query) = (G::msm_of(self), points.query());
        // Before any of it comes: another key may have been planned meanwhile.
        let reserved = match keep.reserved_bytes {
            0 => None,
            bytes => Some(self.cuda_device().promise(bytes)?),
        };
        let plan = PlanOptions {
            table_bytes: keep.table_bytes,
            ..self.sum_options(query, keep.scratch_bytes)
        };
        let bases = match keep.residence {
            Residence::Machine => msm.prepare_with(&self.stream, G::as_limbs(&points), &plan)?,
            Residence::Host => msm.prepare_streamed_with(points, &plan)?,
        };
        Ok(CudaBases {
            len: bases.len(),
            first: Planned {
                bases: Arc::new(bases),
                scratch_bytes: keep.scratch_bytes,
            },
            less: Mutex::default(),
            query,
            beside: keep.beside,
            stream: self.stream.clone(),
            _reserved: reserved,
        })
    }

    fn msm(&self, bases: &CudaBases<G>, scalars: &DeviceBuf<FrLimbs>) -> Result<Sum<G>, CudaError> {
        self.check_own("bases", &bases.stream)?;
        self.check_own("scalars", scalars.stream())?;
        ShapeError::check("scalars for the bases", bases.len, scalars.len())?;
        self.sum_all(bases, scalars)
    }
}

impl<G: OnCuda> WitnessMsm<G> for Cuda {
    /// The identity where [`WitnessMsm::msm_rest`] sums the whole query.
    fn sum_ones(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        self.check_selected(bases, split)?;
        let planned = bases.planned();
        let Some(parts) = planned.parts(split) else {
            return Ok(Pending::ready(G::Projective::identity()));
        };
        let (tree, stream) = (G::msm_of(self).tree(), self.stream_of(bases, split));
        let sum = tree.sum_ones(stream, planned.bases.points()?, &parts.lists)?;
        let sum = sum.into_result()?;
        Ok(Pending::running(move || {
            let limbs = sum.download()?;
            let point = G::from_limbs(&limbs)?.first();
            Ok(point.map_or_else(G::Projective::identity, PrimeCurveAffine::to_curve))
        }))
    }

    fn msm_rest(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        self.check_selected(bases, split)?;
        let planned = bases.planned();
        let Some(parts) = planned.parts(split) else {
            return self.sum_all(bases, &self.selected_values(split)?);
        };
        let stream = self.stream_of(bases, split);
        let points =
            self.splitter
                .rest_points::<G>(stream, planned.bases.points()?, &parts.lists)?;
        let msm = G::msm_of(self);
        let plan = self.sum_options(bases.query, planned.scratch_bytes);
        let rest = msm.prepare_resident_with(points, &plan)?;
        let sum = msm.msm_on(stream, &rest, &parts.rest_values)?;
        Ok(Pending::running(|| Ok(sum.wait()?)))
    }

    fn lane(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Lane {
        let is_split = bases.planned().parts(split).is_some();
        match bases.side(split) {
            Some((query, _)) if is_split => Lane::Query(query),
            _ => Lane::Work,
        }
    }
}

impl Cuda {
    /// Where the sums of the parts of a split go.
    fn stream_of<'a, G: OnCuda>(
        &'a self,
        bases: &CudaBases<G>,
        split: &'a CudaSplit,
    ) -> &'a Stream {
        bases.side(split).map_or(&self.stream, |(_, side)| side)
    }

    /// What is asked of the plan of a query's sum.
    fn sum_options(&self, query: Option<QueryName>, scratch_bytes: Option<usize>) -> PlanOptions {
        PlanOptions {
            scratch_bytes,
            ..self.options.plan(query)
        }
    }

    /// The sum over a whole query; where memory is short, once more with less scratch.
    fn sum_all<G: OnCuda>(
        &self,
        bases: &CudaBases<G>,
        scalars: &DeviceBuf<FrLimbs>,
    ) -> Result<Sum<G>, CudaError> {
        let msm = G::msm_of(self);
        let mut planned = bases.next();
        let mut tries = 1;
        loop {
            let error = match msm.msm(&planned.bases, scalars) {
                Ok(sum) => {
                    if tries > 1 {
                        bases.remember(planned);
                    }
                    return Ok(Pending::running(|| Ok(sum.wait()?)));
                }
                Err(error) => CudaError::from(error),
            };
            if tries == TRIES || !error.is_memory() {
                return Err(error);
            }
            let scratch_bytes = planned.bases.plan().scratch_bytes / 2;
            let plan = self.sum_options(bases.query, Some(scratch_bytes));
            let Ok(again) = msm.again_with(&planned.bases, &plan) else {
                return Err(error);
            };
            tracing::warn!(%error, scratch_bytes, "a sum is tried with less memory");
            planned = Planned {
                bases: Arc::new(again),
                scratch_bytes: Some(scratch_bytes),
            };
            tries += 1;
        }
    }

    /// Refuses bases that are not as many as the split has variables, or another backend's.
    fn check_selected<G: OnCuda>(
        &self,
        bases: &CudaBases<G>,
        split: &CudaSplit,
    ) -> Result<(), CudaError> {
        self.check_own("bases", &bases.stream)?;
        self.check_own("split witnesses", split.stream())?;
        let what = "bases for the selected variables";
        Ok(ShapeError::check(what, split.selected(), bases.len)?)
    }
}

impl<G: OnCuda> CudaBases<G> {
    /// A stream for these points' sums of a split, beside the backend's own.
    fn side<'a>(&self, split: &'a CudaSplit) -> Option<(QueryName, &'a Stream)> {
        let query = self.query.filter(|_| self.beside)?;
        Some((query, split.side(query)?))
    }

    fn planned(&self) -> Planned<G> {
        let less = self.less.lock().unwrap_or_else(PoisonError::into_inner);
        let less = less.as_ref().map(|(planned, _)| planned);
        less.unwrap_or(&self.first).clone()
    }

    /// What the next sum over the whole query begins with.
    fn next(&self) -> Planned<G> {
        let mut less = self.less.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *less {
            Some((planned, left @ 1..)) => {
                *left -= 1;
                return planned.clone();
            }
            _ => *less = None,
        }
        self.first.clone()
    }

    fn remember(&self, planned: Planned<G>) {
        let mut less = self.less.lock().unwrap_or_else(PoisonError::into_inner);
        *less = Some((planned, SUMS_WITH_LESS));
    }
}

impl<G: OnCuda> Planned<G> {
    /// The lists of a split, if sums go by them: points that are on the host come all at once, and
    /// so does a query whose ones would take more memory than a sum of all.
    fn parts<'a>(&self, split: &'a CudaSplit) -> Option<&'a Parts> {
        let parts = split.parts()?;
        let tree_bytes = most_scratch_bytes(size_of::<G::Limbs>(), parts.lists.ones(), 1);
        let most_bytes = self.scratch_bytes.map_or(usize::MAX, |bytes| {
            bytes + size_of::<FrLimbs>() * split.selected()
        });
        (self.bases.is_resident() && tree_bytes <= most_bytes).then_some(parts)
    }
}
