//! What a key and its proofs take of a device's memory: pure functions of counts, card and budget.

mod candidate;
mod error;
mod sizes;
mod sum;
mod text;

use cuzk_backend::{Keep, KeyPlan, KeyShape, Residence, WitnessSchedule};
use cuzk_device::DeviceInfo;
use cuzk_msm::{CardFigures, HostLink, MsmPlan};
use serde::{Serialize, Serializer};

use crate::CudaOptions;

pub use error::PlanError;
pub(crate) use sizes::PART;
use sizes::Sizes;

use candidate::Candidate;

/// What is known of the card beside its memory, and what was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Card {
    /// What it computes in a second.
    pub figures: CardFigures,
    /// The memory from which points and witnesses come.
    pub host_link: HostLink,
    /// What was chosen of the backend.
    pub options: CudaOptions,
}

/// What is known of the witnesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Witness {
    /// Nothing: every value may be a full one.
    #[default]
    Any,
    /// How many variables are one, and how many neither zero nor one.
    Counts {
        /// Ones.
        ones: usize,
        /// Neither zero nor one.
        rest: usize,
    },
}

/// What is kept on the device and what comes for every proof, how sums are cut, and what that takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryPlan {
    /// What may be used.
    pub budget_bytes: usize,
    /// The most that is used at one time.
    pub peak_bytes: usize,
    /// What the key holds between proofs.
    pub resident_bytes: usize,
    /// Points that stay on the host, and the packed witness.
    pub host_bytes: usize,
    /// Bytes that are copied to the device for one proof.
    pub copied_bytes: usize,
    /// The three matrices, which are kept, at most.
    pub matrix_bytes: usize,
    /// The variables that the queries hold.
    pub selection_bytes: usize,
    /// The tables of the transforms.
    pub twiddle_bytes: usize,
    /// Whether those are kept, or made for every proof.
    pub twiddles_stay: bool,
    /// When the sums over a split witness are made: beside other work only where there is memory.
    #[serde(serialize_with = "as_text")]
    pub schedule: WitnessSchedule,
    /// h, l, a, b_g1 and b_g2.
    pub queries: [QueryPlan; 5],
    /// The steps of a proof, each with what is used at most while it runs.
    pub steps: Vec<StepBytes>,
    /// From the packed witness to the sums.
    pub predicted_ms: f64,
}

/// How one query is kept and summed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueryPlan {
    /// Its name.
    pub name: &'static str,
    /// Its points.
    pub points: usize,
    /// What they take.
    pub point_bytes: usize,
    /// Whether they are on the device between proofs.
    pub resident: bool,
    /// Chunks in which the points are taken.
    pub chunks: usize,
    /// Bits of the widest window.
    pub window_bits: u32,
    /// Windows that are summed together.
    pub windows_at_once: u32,
    /// What a sum takes beside points and scalars.
    pub scratch_bytes: usize,
    /// What multiples of the points may take beside them.
    pub table_bytes: usize,
    /// What a sum takes of time, the copy of points that are not resident included.
    pub predicted_ms: f64,
}

/// What a step uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StepBytes {
    /// The phase.
    pub name: &'static str,
    /// The most that is used while it runs.
    pub bytes: usize,
}

fn as_text<S: Serializer>(schedule: &WitnessSchedule, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(schedule)
}

impl Card {
    /// A device with its defaults, and memory that is not registered.
    #[must_use]
    pub fn of(info: &DeviceInfo) -> Self {
        Self {
            figures: CardFigures::of(info),
            ..Self::h200()
        }
    }

    /// An H200, and memory that is not registered.
    #[must_use]
    pub fn h200() -> Self {
        Self {
            figures: CardFigures::H200,
            host_link: HostLink::Pageable,
            options: CudaOptions::default(),
        }
    }
}

impl MemoryPlan {
    /// The plan of the least predicted time among those that fit: everything kept, then one query
    /// after the other streamed, and the tables of transforms kept or not.
    ///
    /// # Errors
    /// [`PlanError::NoPlace`] with the smallest budget that a plan was found for;
    /// [`PlanError::Sum`] where a query has more points than a sum can have.
    pub fn new(
        shape: &KeyShape,
        witness: Witness,
        card: &Card,
        budget_bytes: usize,
    ) -> Result<Self, PlanError> {
        let sizes = Sizes::new(shape, witness);
        let mut best: Option<Self> = None;
        for candidate in Candidate::all(&sizes, card)? {
            let plan = match candidate.plan(&sizes, card, budget_bytes) {
                Ok(plan) => plan,
                Err(PlanError::NoPlace { .. }) => continue,
                Err(error) => return Err(error),
            };
            match &best {
                // What stays less makes sums faster by more scratch alone, up to here.
                Some(best) if plan.predicted_ms > best.predicted_ms => break,
                _ => best = Some(plan),
            }
        }
        match best {
            Some(plan) => Ok(plan),
            None => Err(Self::refusal(&sizes, card, budget_bytes)?),
        }
    }

    /// The smallest budget for which there is a plan.
    ///
    /// # Errors
    /// [`PlanError::Sum`].
    pub fn least_budget(
        shape: &KeyShape,
        witness: Witness,
        card: &Card,
    ) -> Result<usize, PlanError> {
        Candidate::SMALLEST.least_budget(&Sizes::new(shape, witness), card)
    }

    fn refusal(sizes: &Sizes, card: &Card, budget_bytes: usize) -> Result<PlanError, PlanError> {
        let smallest = Candidate::SMALLEST;
        let step = match smallest.plan(sizes, card, budget_bytes) {
            Err(PlanError::NoPlace { step, .. }) => step,
            Err(error) => return Err(error),
            Ok(_) => "no step",
        };
        Ok(PlanError::NoPlace {
            step,
            needed_bytes: smallest.least_budget(sizes, card)?,
            budget_bytes,
            others_bytes: 0,
        })
    }

    /// The same for whoever prepares the key.
    #[must_use]
    pub fn key_plan(&self) -> KeyPlan {
        let [mut h, l, a, b_g1, b_g2] = self.queries.each_ref().map(|query| Keep {
            residence: if query.resident {
                Residence::Machine
            } else {
                Residence::Host
            },
            scratch_bytes: Some(query.scratch_bytes),
            table_bytes: query.table_bytes,
            beside: self.schedule != WitnessSchedule::InTurn,
            reserved_bytes: 0,
        });
        // One query stands for the key.
        h.reserved_bytes = self.peak_bytes;
        KeyPlan {
            schedule: self.schedule,
            h,
            l,
            a,
            b_g1,
            b_g2,
            peak_bytes: Some(self.peak_bytes),
        }
    }
}

impl QueryPlan {
    fn new(name: &'static str, point_bytes: usize, resident: bool, plan: &MsmPlan) -> Self {
        Self {
            name,
            points: plan.n,
            point_bytes,
            resident,
            chunks: plan.chunks().count(),
            window_bits: plan.layout.window_bits(),
            windows_at_once: plan.windows_at_once,
            scratch_bytes: plan.scratch_bytes,
            table_bytes: 0,
            predicted_ms: 0.0,
        }
    }
}

#[cfg(test)]
mod tests;
