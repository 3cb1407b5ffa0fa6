use cuzk_backend::{
    Msm, Ones, Pending, QueryName, ShapeError, SharedBases, WitnessMsm, WitnessSplit,
};
use cuzk_curve::{FrLimbs, G1, G2, SourceGroup};
use cuzk_device::{DeviceBuf, Stream};
use cuzk_msm::{Bases, DeviceGroup, DeviceSelection, DeviceSplit, PlanOptions, SplitCounts};
use cuzk_r1cs::Bitmap;
use group::{Group as _, prime::PrimeCurveAffine};

use crate::{Cuda, CudaError, CudaWitness};

/// Which variables a query holds, on the device.
#[derive(Debug)]
pub struct CudaSelection {
    selection: DeviceSelection,
    /// All of them as the rest of a split, where witnesses are not split.
    all: Option<DeviceSplit>,
}

/// The selected variables of a witness.
#[derive(Debug)]
pub struct CudaSplit(Parts);

#[derive(Debug)]
enum Parts {
    /// Lists, and the values of those that are neither zero nor one.
    Split {
        lists: DeviceSplit,
        rest_values: DeviceBuf<FrLimbs>,
    },
    /// The value of every one.
    Whole { values: DeviceBuf<FrLimbs> },
}

/// The points of a query on the device.
#[derive(Debug)]
pub struct CudaBases<G: OnCuda> {
    bases: Bases<G>,
    query: Option<QueryName>,
    /// Where they were brought to the device, and are freed.
    stream: Stream,
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

impl<G: OnCuda> Msm<G> for Cuda {
    type Bases = CudaBases<G>;

    fn prepare(&self, points: SharedBases<G>) -> Result<CudaBases<G>, CudaError> {
        let (query, limbs) = (points.query(), G::as_limbs(&points));
        let memory = self.cuda_device().memory()?;
        let free_bytes = memory.total_bytes.saturating_sub(memory.used_bytes);
        let options = &self.options;
        let plan = PlanOptions {
            table_bytes: options.table_bytes(query, size_of_val(limbs), free_bytes),
            ..options.plan(query)
        };
        Ok(CudaBases {
            bases: G::msm_of(self).prepare_with(&self.stream, limbs, &plan)?,
            query,
            stream: self.stream.clone(),
        })
    }

    fn msm(&self, bases: &CudaBases<G>, scalars: &DeviceBuf<FrLimbs>) -> Result<Sum<G>, CudaError> {
        self.check_own("bases", &bases.stream)?;
        self.check_own("scalars", scalars.stream())?;
        ShapeError::check("scalars for the bases", bases.bases.len(), scalars.len())?;
        let sum = G::msm_of(self).msm(&bases.bases, scalars)?;
        Ok(Pending::running(|| Ok(sum.wait()?)))
    }
}

impl WitnessSplit for Cuda {
    type Selection = CudaSelection;
    type Split = CudaSplit;

    fn prepare_selection(&self, selection: &Bitmap) -> Result<CudaSelection, CudaError> {
        let selection = DeviceSelection::upload(&self.stream, selection)?;
        let all = match self.options.ones {
            Ones::Trees => None,
            Ones::Pippenger => Some(self.all_as_rest(&selection)?),
        };
        Ok(CudaSelection { selection, all })
    }

    fn split(
        &self,
        witness: &CudaWitness,
        selection: &CudaSelection,
    ) -> Result<CudaSplit, CudaError> {
        let CudaSelection { selection, all } = selection;
        let (bitmap, packed) = (selection.bitmap(), &witness.packed);
        self.check_own("witnesses", packed.stream())?;
        self.check_own("selections", selection.stream())?;
        let what = "bits of the selection for the witness";
        ShapeError::check(what, packed.len(), bitmap.len())?;
        if let Some(all) = all {
            let values = self.spmv.expand(packed, &self.stream)?;
            let values = self
                .splitter
                .rest_values(&self.stream, values.as_slice(), all)?;
            return Ok(CudaSplit(Parts::Whole { values }));
        }
        let counts = SplitCounts::of(&witness.low, &witness.high, bitmap);
        let (low, high) = (packed.low(), packed.high());
        let lists = self
            .splitter
            .split(&self.stream, low, high, selection, counts)?;
        let values = self.spmv.expand(packed, &self.stream)?;
        let rest_values = self
            .splitter
            .rest_values(&self.stream, values.as_slice(), &lists)?;
        Ok(CudaSplit(Parts::Split { lists, rest_values }))
    }
}

impl<G: OnCuda> WitnessMsm<G> for Cuda {
    fn sum_ones(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        self.check_selected(bases, split)?;
        let Parts::Split { lists, .. } = &split.0 else {
            // They are among all.
            return Ok(Pending::ready(G::Projective::identity()));
        };
        let tree = G::msm_of(self).tree();
        let sum = tree.sum_ones(&self.stream, bases.bases.points()?, lists)?;
        let sum = sum.into_result()?;
        Ok(Pending::running(move || {
            let limbs = sum.download()?;
            let point = G::from_limbs(&limbs)?.first();
            Ok(point.map_or_else(G::Projective::identity, PrimeCurveAffine::to_curve))
        }))
    }

    fn msm_rest(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        self.check_selected(bases, split)?;
        let msm = G::msm_of(self);
        let sum = match &split.0 {
            Parts::Whole { values } => msm.msm(&bases.bases, values)?,
            Parts::Split { lists, rest_values } => {
                let points = bases.bases.points()?;
                let points = self
                    .splitter
                    .rest_points::<G>(&self.stream, points, lists)?;
                let plan = self.options.plan(bases.query);
                msm.msm(&msm.prepare_resident_with(points, &plan)?, rest_values)?
            }
        };
        Ok(Pending::running(|| Ok(sum.wait()?)))
    }
}

impl Cuda {
    /// Refuses bases that are not as many as the split has variables, or that are not ours.
    fn check_selected<G: OnCuda>(
        &self,
        bases: &CudaBases<G>,
        split: &CudaSplit,
    ) -> Result<(), CudaError> {
        let (selected, values) = match &split.0 {
            Parts::Split { lists, rest_values } => (lists.selected(), rest_values),
            Parts::Whole { values } => (values.len(), values),
        };
        self.check_own("bases", &bases.stream)?;
        self.check_own("split witnesses", values.stream())?;
        let what = "bases for the selected variables";
        Ok(ShapeError::check(what, selected, bases.bases.len())?)
    }

    /// Every selected variable as one of the rest of a split.
    fn all_as_rest(&self, selection: &DeviceSelection) -> Result<DeviceSplit, CudaError> {
        let words = selection.bitmap().words().len();
        let low = self.stream.alloc_zeroed::<u64>(words)?;
        let high = self.stream.upload(&vec![u64::MAX; words])?;
        let counts = SplitCounts {
            ones: 0,
            rest: selection.len(),
        };
        let (low, high) = (low.as_slice(), high.as_slice());
        Ok(self
            .splitter
            .split(&self.stream, low, high, selection, counts)?)
    }
}
