use cuzk_backend::{Msm, Pending, QueryName, ShapeError, SharedBases, WitnessMsm};
use cuzk_curve::Fr;
use cuzk_lanes::LaneGroup;

use crate::{Cpu, CpuError, CpuSplit, beside::beside, msm, msm_indexed, sum_indexed};

type Sum<G> = Pending<<G as cuzk_curve::SourceGroup>::Projective, CpuError>;

impl<G: LaneGroup> Msm<G> for Cpu {
    type Bases = SharedBases<G>;

    fn prepare(&self, points: SharedBases<G>) -> Result<SharedBases<G>, CpuError> {
        Ok(points)
    }

    fn msm(&self, bases: &SharedBases<G>, scalars: &Vec<Fr>) -> Result<Sum<G>, CpuError> {
        let settings = self.msm_settings(bases.query());
        let sum = msm::<G>(&settings, bases, scalars)?;
        Ok(Pending::ready(sum))
    }
}

impl<G: LaneGroup> WitnessMsm<G> for Cpu {
    fn sum_ones(&self, bases: &SharedBases<G>, split: &CpuSplit) -> Result<Sum<G>, CpuError> {
        one_base_each(bases, split)?;
        let settings = self.msm_settings(bases.query());
        let sum = sum_indexed::<G>(&settings, bases, &split.ones)?;
        Ok(Pending::ready(sum))
    }

    fn msm_rest(&self, bases: &SharedBases<G>, split: &CpuSplit) -> Result<Sum<G>, CpuError> {
        one_base_each(bases, split)?;
        let settings = self.msm_settings(bases.query());
        if self.options().parallel_b_g2 && bases.query() == Some(QueryName::BG2) {
            let bases = bases.clone();
            let (rest, scalars) = (split.rest.clone(), split.scalars.clone());
            return Ok(beside(move || {
                Ok(msm_indexed::<G>(&settings, &bases, &rest, &scalars)?)
            }));
        }
        let sum = msm_indexed::<G>(&settings, bases, &split.rest, &split.scalars)?;
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
