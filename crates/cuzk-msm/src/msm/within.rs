//! Bases on the host, and bases that are planned again.

use cuzk_backend::SharedBases;

use super::{Bases, Msm, Points};
use crate::MsmError;
use crate::group::DeviceGroup;
use crate::plan::{PlanOptions, Residence};

impl<G: DeviceGroup> Msm<G> {
    /// As [`Msm::prepare_streamed`], with options of these bases' own.
    ///
    /// # Errors
    /// As [`Msm::prepare_streamed`].
    pub fn prepare_streamed_with(
        &self,
        points: SharedBases<G>,
        options: &PlanOptions,
    ) -> Result<Bases<G>, MsmError> {
        let plan = self.plan_for(points.len(), Residence::Host, options)?;
        tracing::debug!(%plan, "prepared bases on the host");
        Ok(Bases::new(Points::OnHost(points), plan))
    }

    /// The same bases with another plan, which uses no multiples.
    ///
    /// # Errors
    /// As [`Msm::plan`].
    pub fn again_with(
        &self,
        bases: &Bases<G>,
        options: &PlanOptions,
    ) -> Result<Bases<G>, MsmError> {
        let residence = match &bases.points {
            Points::Resident(_) => Residence::Device,
            Points::OnHost(_) => Residence::Host,
        };
        // Multiples that stand behind the bases are left alone.
        let options = PlanOptions {
            table_bytes: 0,
            ..*options
        };
        let plan = self.plan_for(bases.len(), residence, &options)?;
        tracing::debug!(%plan, "planned bases again");
        Ok(Bases::new(bases.points.clone(), plan))
    }
}

impl<G: DeviceGroup> Bases<G> {
    /// Whether the points are on the device.
    #[must_use]
    pub fn is_resident(&self) -> bool {
        matches!(self.points, Points::Resident(_))
    }
}
