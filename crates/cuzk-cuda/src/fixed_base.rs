use cuzk_backend::{FixedBase, ShapeError};
use cuzk_curve::Fr;
use cuzk_msm::{BasePlan, BaseTable};

use crate::{Cuda, CudaError, OnCuda};

/// Kernels of its own, loaded when they are asked for: no proof needs them.
impl<G: OnCuda> FixedBase<G> for Cuda {
    type Base = BaseTable<G>;

    fn prepare_base(&self, base: &G::Affine, products: usize) -> Result<BaseTable<G>, CudaError> {
        let memory = self.cuda_device().memory()?;
        let unused_bytes = memory.total_bytes.saturating_sub(memory.used_bytes);
        let plan = BasePlan::new::<G>(products, unused_bytes.min(memory.free_bytes))?;
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
