//! Plans of keys for this device, with the memory that it has now.

use cuzk_backend::{KeyPlan, KeyShape};
use cuzk_msm::HostLink;

use crate::plan::{Card, PlanError, Witness};
use crate::{Cuda, CudaError, MemoryPlan};

impl Cuda {
    /// The plan for a key whose witnesses may be any.
    ///
    /// Tables of transforms that stay for other domains are given up where there is no plan
    /// otherwise.
    ///
    /// # Errors
    /// [`CudaError::Plan`] with the smallest budget that would do; where the device does not
    /// answer.
    pub fn memory_plan(&self, shape: &KeyShape) -> Result<MemoryPlan, CudaError> {
        match self.plan_within(shape, self.room_bytes(shape)?) {
            Err(PlanError::NoPlace { .. }) if self.forget_other_twiddles(shape.log_n) => {
                Ok(self.plan_within(shape, self.room_bytes(shape)?)?)
            }
            plan => Ok(plan?),
        }
    }

    fn plan_within(&self, shape: &KeyShape, budget_bytes: usize) -> Result<MemoryPlan, PlanError> {
        MemoryPlan::new(shape, Witness::Any, &self.card(), budget_bytes)
    }

    fn card(&self) -> Card {
        let device = self.cuda_device();
        Card {
            host_link: HostLink::of(device.host_copies().strategy()),
            options: self.options,
            ..Card::of(device.info())
        }
    }

    /// What a key may take: what the budget leaves, and what nobody else holds of the card, a
    /// sixteenth less for what lies idle between buffers.
    fn room_bytes(&self, shape: &KeyShape) -> Result<usize, CudaError> {
        let device = self.cuda_device();
        // What the pool keeps is nobody else's.
        device.trim()?;
        let memory = device.memory()?;
        let budget = memory.total_bytes.saturating_sub(memory.used_bytes);
        let free = memory.free_bytes / 16 * 15;
        Ok(budget.min(free) + self.kept_twiddle_bytes(shape.log_n))
    }

    /// The plan of a key, made known: tables of its transforms stay or not from here on.
    pub(crate) fn decide(&self, shape: &KeyShape) -> Result<KeyPlan, CudaError> {
        Ok(self.adopt(shape, &self.memory_plan(shape)?))
    }

    /// A plan for three quarters of what the last one took, or the smallest.
    pub(crate) fn decide_less(&self, shape: &KeyShape, plan: &KeyPlan) -> Option<KeyPlan> {
        let before = plan.peak_bytes?;
        let least = MemoryPlan::least_budget(shape, Witness::Any, &self.card()).ok()?;
        let budget_bytes = (before / 4 * 3).max(least);
        let less = self.plan_within(shape, budget_bytes).ok()?;
        (less.peak_bytes < before).then(|| {
            tracing::warn!(
                before_bytes = before,
                now_bytes = less.peak_bytes,
                "the device had no place for a key, which is tried with less"
            );
            self.adopt(shape, &less)
        })
    }

    fn adopt(&self, shape: &KeyShape, plan: &MemoryPlan) -> KeyPlan {
        tracing::info!(
            peak_bytes = plan.peak_bytes,
            resident_bytes = plan.resident_bytes,
            predicted_ms = plan.predicted_ms,
            "planned the memory of a key"
        );
        tracing::debug!("{plan}");
        self.keep_twiddles(shape.log_n, plan.twiddles_stay);
        plan.key_plan()
    }
}
