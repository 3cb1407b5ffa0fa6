use cuzk_backend::{Msm, Pending, ShapeError, SharedBases, WitnessMsm, WitnessSplit};
use cuzk_curve::{FrLimbs, G1, G2, SourceGroup};
use cuzk_device::{DeviceBuf, Stream};
use cuzk_msm::{Bases, DeviceGroup, DeviceSelection, DeviceSplit, SplitCounts};
use cuzk_r1cs::Bitmap;
use group::{Group as _, prime::PrimeCurveAffine};

use crate::{Cuda, CudaError, CudaWitness};

/// The selected variables of a witness: lists, and the values of those that are neither zero nor
/// one.
#[derive(Debug)]
pub struct CudaSplit {
    lists: DeviceSplit,
    rest_values: DeviceBuf<FrLimbs>,
}

/// The points of a query on the device.
#[derive(Debug)]
pub struct CudaBases<G: OnCuda> {
    bases: Bases<G>,
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
        Ok(CudaBases {
            bases: G::msm_of(self).prepare(&self.stream, G::as_limbs(&points))?,
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
    type Selection = DeviceSelection;
    type Split = CudaSplit;

    fn prepare_selection(&self, selection: &Bitmap) -> Result<DeviceSelection, CudaError> {
        Ok(DeviceSelection::upload(&self.stream, selection)?)
    }

    fn split(
        &self,
        witness: &CudaWitness,
        selection: &DeviceSelection,
    ) -> Result<CudaSplit, CudaError> {
        let (bitmap, packed) = (selection.bitmap(), &witness.packed);
        self.check_own("witnesses", packed.stream())?;
        self.check_own("selections", selection.stream())?;
        let what = "bits of the selection for the witness";
        ShapeError::check(what, packed.len(), bitmap.len())?;
        let counts = SplitCounts::of(&witness.low, &witness.high, bitmap);
        let (low, high) = (packed.low(), packed.high());
        let lists = self
            .splitter
            .split(&self.stream, low, high, selection, counts)?;
        let values = self.spmv.expand(packed, &self.stream)?;
        let rest_values = self
            .splitter
            .rest_values(&self.stream, values.as_slice(), &lists)?;
        Ok(CudaSplit { lists, rest_values })
    }
}

impl<G: OnCuda> WitnessMsm<G> for Cuda {
    fn sum_ones(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        let bases = self.check_selected(bases, split)?;
        let tree = G::msm_of(self).tree();
        let sum = tree.sum_ones(&self.stream, bases.points()?, &split.lists)?;
        Ok(Pending::running(move || {
            let limbs = sum.download()?;
            let point = G::from_limbs(&limbs)?.first();
            Ok(point.map_or_else(G::Projective::identity, PrimeCurveAffine::to_curve))
        }))
    }

    fn msm_rest(&self, bases: &CudaBases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        let bases = self.check_selected(bases, split)?;
        let points = self
            .splitter
            .rest_points::<G>(&self.stream, bases.points()?, &split.lists)?;
        let msm = G::msm_of(self);
        let sum = msm.msm(&msm.prepare_resident(points)?, &split.rest_values)?;
        Ok(Pending::running(|| Ok(sum.wait()?)))
    }
}

impl Cuda {
    /// The bases, if they are as many as the split has variables, and both are ours.
    fn check_selected<'a, G: OnCuda>(
        &self,
        bases: &'a CudaBases<G>,
        split: &CudaSplit,
    ) -> Result<&'a Bases<G>, CudaError> {
        self.check_own("bases", &bases.stream)?;
        self.check_own("split witnesses", split.rest_values.stream())?;
        let what = "bases for the selected variables";
        ShapeError::check(what, split.lists.selected(), bases.bases.len())?;
        Ok(&bases.bases)
    }
}
