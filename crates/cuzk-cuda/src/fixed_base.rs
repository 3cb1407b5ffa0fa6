use cuzk_backend::{FixedBase, ShapeError};
use cuzk_curve::Fr;
use cuzk_msm::{BasePlan, BaseTable};

use crate::{Cuda, CudaError, OnCuda};

/// Kernels of its own, loaded when they are asked for: no proof needs them.
impl<G: OnCuda> FixedBase<G> for Cuda {
    type Base = BaseTable<G>;

    fn prepare_base(&self, base: &G::Affine, products: usize) -> Result<BaseTable<G>, CudaError> {
        let device = self.cuda_device();
        // What the pool keeps is nobody else's, and what keys were promised is not ours.
        device.trim()?;
        let memory = device.memory()?;
        let held_bytes = memory.used_bytes.max(memory.promised_bytes);
        let unused_bytes = memory.total_bytes.saturating_sub(held_bytes);
        let free_bytes = (memory.free_bytes + memory.used_bytes).saturating_sub(held_bytes);
        let plan = BasePlan::new::<G>(products, unused_bytes.min(free_bytes))?;
        Ok(BaseTable::new(&self.stream, base, plan)?)
    }

    fn multiply_base(
        &self,
        base: &BaseTable<G>,
        scalars: &[Fr],
        points: &mut [G::Limbs],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), CudaError> {
        self.check_own("multiples of a point", base.stream())?;
        ShapeError::check("points for the products", scalars.len(), points.len())?;
        Ok(base.multiply(scalars, points, done)?)
    }
}
