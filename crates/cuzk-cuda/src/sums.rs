use cuzk_backend::{Msm, Pending, ShapeError, SharedBases, WitnessMsm, WitnessSplit};
use cuzk_curve::{FrLimbs, G1, G2, SourceGroup};
use cuzk_device::DeviceBuf;
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
    type Bases = Bases<G>;

    fn prepare(&self, points: SharedBases<G>) -> Result<Bases<G>, CudaError> {
        Ok(G::msm_of(self).prepare(&self.stream, G::as_limbs(&points))?)
    }

    fn msm(&self, bases: &Bases<G>, scalars: &DeviceBuf<FrLimbs>) -> Result<Sum<G>, CudaError> {
        ShapeError::check("scalars for the bases", bases.len(), scalars.len())?;
        let sum = G::msm_of(self).msm(bases, scalars)?;
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
    fn sum_ones(&self, bases: &Bases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        check_selected(bases, split)?;
        let tree = G::msm_of(self).tree();
        let sum = tree.sum_ones(&self.stream, bases.points()?, &split.lists)?;
        Ok(Pending::running(move || {
            let limbs = sum.download()?;
            let point = G::from_limbs(&limbs)?.first();
            Ok(point.map_or_else(G::Projective::identity, PrimeCurveAffine::to_curve))
        }))
    }

    fn msm_rest(&self, bases: &Bases<G>, split: &CudaSplit) -> Result<Sum<G>, CudaError> {
        check_selected(bases, split)?;
        let points = self
            .splitter
            .rest_points::<G>(&self.stream, bases.points()?, &split.lists)?;
        let msm = G::msm_of(self);
        let sum = msm.msm(&msm.prepare_resident(points)?, &split.rest_values)?;
        Ok(Pending::running(|| Ok(sum.wait()?)))
    }
}

fn check_selected<G: DeviceGroup>(bases: &Bases<G>, split: &CudaSplit) -> Result<(), ShapeError> {
    ShapeError::check(
        "bases for the selected variables",
        split.lists.selected(),
        bases.len(),
    )
}
