//! One sum of a query.

use cuzk_backend::Residence;
use cuzk_curve::{G1, G2};
use cuzk_msm::{
    MsmError, MsmPlan, PlanOptions, PointCosts, Reduction, Residence as MsmResidence,
    most_scratch_bytes,
};

use super::sizes::{Name, PART, Sizes};
use super::{Card, PlanError};

/// A sum that fits.
#[derive(Debug, Clone)]
pub(super) struct Sum {
    pub(super) plan: MsmPlan,
    /// The points of windows, until they are waited for.
    pub(super) results_bytes: usize,
}

impl Sum {
    /// The fastest within so many bytes, of which results take a part; nothing where none fits.
    pub(super) fn fastest(
        name: Name,
        n: usize,
        residence: Residence,
        card: &Card,
        room_bytes: usize,
    ) -> Result<Option<Self>, PlanError> {
        /// Where results leave less for the scratch there may be more of them.
        const TRIES: usize = 2;
        let mut scratch_bytes = room_bytes;
        for _ in 0..TRIES {
            let Some(sum) = Self::within(name, n, residence, card, scratch_bytes)? else {
                return Ok(None);
            };
            if sum.bytes() <= room_bytes {
                return Ok(Some(sum));
            }
            scratch_bytes = room_bytes.saturating_sub(sum.results_bytes);
        }
        let smallest = Self::smallest(name, n, residence, card)?;
        Ok((smallest.bytes() <= room_bytes).then_some(smallest))
    }

    /// The one of the smallest scratch.
    pub(super) fn smallest(
        name: Name,
        n: usize,
        residence: Residence,
        card: &Card,
    ) -> Result<Self, PlanError> {
        let needed_bytes = match plan(name, n, residence, card, 0) {
            Ok(_) => 0,
            Err(MsmError::NoPlace { needed_bytes, .. }) => needed_bytes,
            Err(error) => return Err(PlanError::Sum(error)),
        };
        let sum = Self::within(name, n, residence, card, needed_bytes)?;
        Ok(sum.expect("these are the bytes of a plan"))
    }

    fn within(
        name: Name,
        n: usize,
        residence: Residence,
        card: &Card,
        scratch_bytes: usize,
    ) -> Result<Option<Self>, PlanError> {
        match plan(name, n, residence, card, scratch_bytes) {
            Ok(plan) => {
                let points = match plan.reduction {
                    Reduction::Segments => 1,
                    Reduction::Lines => 2,
                };
                // A point of a window has four coordinates, one of a query two.
                let results_bytes = points * plan.layout.windows() as usize * 2 * name.point();
                Ok(Some(Self {
                    plan,
                    results_bytes,
                }))
            }
            Err(MsmError::NoPlace { .. }) => Ok(None),
            Err(error) => Err(PlanError::Sum(error)),
        }
    }

    /// Scratch and results.
    pub(super) fn bytes(&self) -> usize {
        self.plan.scratch_bytes.saturating_add(self.results_bytes)
    }

    /// What the sums over the parts of a witness take, lists and values apart: the ones by a tree,
    /// then the rest, whose points are brought together. A sum of fewer points may take all the
    /// scratch that it is allowed.
    pub(super) fn side_bytes(&self, name: Name, sizes: &Sizes) -> usize {
        let n = self.plan.n;
        let (ones, rest) = (sizes.ones.min(n), sizes.rest.min(n / PART));
        let ones_bytes = most_scratch_bytes(name.point(), ones, 1);
        let rest_bytes = match rest {
            0 => 0,
            _ => self.bytes() + rest * name.point(),
        };
        ones_bytes.max(rest_bytes) + self.results_bytes
    }

    /// What it takes of time: of the ones a tree and of the rest a smaller sum, where the points
    /// are there and these are known to be few.
    pub(super) fn predicted_ms(
        &self,
        name: Name,
        residence: Residence,
        sizes: &Sizes,
        card: &Card,
    ) -> Result<f64, PlanError> {
        let n = self.plan.n;
        let (ones, rest) = (sizes.ones.min(n), sizes.rest.min(n));
        if name == Name::H || residence == Residence::Host || rest * PART > n {
            return Ok(self.plan.predicted.total_ms());
        }
        let room_bytes = self.plan.scratch_bytes + 32 * n;
        if most_scratch_bytes(name.point(), ones, 1) > room_bytes {
            return Ok(self.plan.predicted.total_ms());
        }
        /// The rounds of a tree, one after the other.
        const TREE_MS: f64 = 1.0;
        let addition = match name {
            Name::BG2 => PointCosts::G2.affine_addition,
            _ => PointCosts::G1.affine_addition,
        };
        let ones_ms = TREE_MS + ones as f64 * addition / card.figures.products_per_second * 1e3;
        let rest = Self::within(name, rest, residence, card, self.plan.scratch_bytes)?;
        let rest_ms = rest.map_or(0.0, |sum| sum.plan.predicted.total_ms());
        Ok(ones_ms + rest_ms)
    }
}

fn plan(
    name: Name,
    n: usize,
    residence: Residence,
    card: &Card,
    scratch_bytes: usize,
) -> Result<MsmPlan, MsmError> {
    let residence = match residence {
        Residence::Machine => MsmResidence::Device,
        Residence::Host => MsmResidence::Host,
    };
    let options = PlanOptions {
        host_link: Some(card.host_link),
        ..card.options.plan(Some(name.query()))
    };
    match name {
        Name::BG2 => MsmPlan::new::<G2>(n, residence, &card.figures, scratch_bytes, &options),
        _ => MsmPlan::new::<G1>(n, residence, &card.figures, scratch_bytes, &options),
    }
}
