//! Plans of keys for this device, with the memory that it has now.

use cuzk_backend::{KeyPlan, KeyShape};
use cuzk_msm::HostLink;

use crate::plan::{Card, PlanError, Witness};
use crate::{Cuda, CudaError, MemoryPlan};

/// What there is for a key.
#[derive(Debug, Clone, Copy)]
struct Room {
    bytes: usize,
    /// What is set aside for other keys.
    others_bytes: usize,
}

impl Cuda {
    /// The plan for a key whose witnesses may be any, beside what other keys on the device and a
    /// proof with each of them take.
    ///
    /// Tables of transforms that stay for other domains are given up where there is no plan
    /// otherwise.
    ///
    /// # Errors
    /// [`CudaError::Plan`] with the smallest budget that would do; where the device does not
    /// answer.
    pub fn memory_plan(&self, shape: &KeyShape) -> Result<MemoryPlan, CudaError> {
        match self.plan_within(shape, self.room(shape)?) {
            Err(PlanError::NoPlace { .. }) if self.forget_other_twiddles(shape.log_n) => {
                Ok(self.plan_within(shape, self.room(shape)?)?)
            }
            plan => Ok(plan?),
        }
    }

    fn plan_within(&self, shape: &KeyShape, room: Room) -> Result<MemoryPlan, PlanError> {
        let plan = MemoryPlan::new(shape, Witness::Any, &self.card(), room.bytes);
        plan.map_err(|error| match error {
            PlanError::NoPlace {
                step,
                needed_bytes,
                budget_bytes,
                ..
            } => PlanError::NoPlace {
                step,
                needed_bytes,
                budget_bytes,
                others_bytes: room.others_bytes,
            },
            error => error,
        })
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
    ///
    /// Other keys have what is set aside for them, of which they hold a part: the rest is what
    /// their proofs take, now or later. Tables of transforms that are kept come on top, because
    /// those of keys that are gone are among them.
    fn room(&self, shape: &KeyShape) -> Result<Room, CudaError> {
        let device = self.cuda_device();
        // What the pool keeps is nobody else's.
        device.trim()?;
        let memory = device.memory()?;
        let others_bytes = memory.promised_bytes;
        let held = match others_bytes {
            0 => memory.used_bytes,
            _ => memory
                .used_bytes
                .max(others_bytes + self.all_kept_twiddle_bytes()),
        };
        let budget = memory.total_bytes.saturating_sub(held);
        let free = (memory.free_bytes + memory.used_bytes).saturating_sub(held) / 16 * 15;
        Ok(Room {
            bytes: budget.min(free) + self.kept_twiddle_bytes(shape.log_n),
            others_bytes,
        })
    }

    /// The plan of a key, made known: tables of its transforms stay or not from here on.
    pub(crate) fn decide(&self, shape: &KeyShape) -> Result<KeyPlan, CudaError> {
        Ok(self.adopt(shape, &self.memory_plan(shape)?))
    }

    /// A plan for three quarters of what the last one took, or the smallest.
    pub(crate) fn decide_less(&self, shape: &KeyShape, plan: &KeyPlan) -> Option<KeyPlan> {
        let before = plan.peak_bytes?;
        let least = MemoryPlan::least_budget(shape, Witness::Any, &self.card()).ok()?;
        let mut room = self.room(shape).ok()?;
        room.bytes = room.bytes.min((before / 4 * 3).max(least));
        let less = self.plan_within(shape, room).ok()?;
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
