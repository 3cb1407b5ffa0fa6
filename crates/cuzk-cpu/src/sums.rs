use cuzk_backend::{Msm, Pending, ShapeError, SharedBases, WitnessMsm};
use cuzk_curve::Fr;
use cuzk_lanes::LaneGroup;

use crate::{Cpu, CpuError, CpuSplit, msm, msm_indexed, sum_indexed};

impl<G: LaneGroup> Msm<G> for Cpu {
    type Bases = SharedBases<G>;

    fn prepare(&self, points: SharedBases<G>) -> Result<SharedBases<G>, CpuError> {
        Ok(points)
    }

    fn msm(
        &self,
        bases: &SharedBases<G>,
        scalars: &Vec<Fr>,
    ) -> Result<Pending<G::Projective, CpuError>, CpuError> {
        let sum = msm::<G>(self.msm_settings(), bases, scalars)?;
        Ok(Pending::ready(sum))
    }
}

impl<G: LaneGroup> WitnessMsm<G> for Cpu {
    fn sum_ones(
        &self,
        bases: &SharedBases<G>,
        split: &CpuSplit,
    ) -> Result<Pending<G::Projective, CpuError>, CpuError> {
        one_base_each(bases, split)?;
        let sum = sum_indexed::<G>(self.msm_settings(), bases, &split.ones)?;
        Ok(Pending::ready(sum))
    }

    fn msm_rest(
        &self,
        bases: &SharedBases<G>,
        split: &CpuSplit,
    ) -> Result<Pending<G::Projective, CpuError>, CpuError> {
        one_base_each(bases, split)?;
        let sum = msm_indexed::<G>(self.msm_settings(), bases, &split.rest, &split.scalars)?;
        Ok(Pending::ready(sum))
    }
}

fn one_base_each<G: LaneGroup>(bases: &SharedBases<G>, split: &CpuSplit) -> Result<(), ShapeError> {
    ShapeError::check(
        "bases for the selected variables",
        split.selected,
        bases.len(),
    )
}
