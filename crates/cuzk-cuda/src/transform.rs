use cuzk_backend::{Coeffs, Evals, Ntt, Poly, ShapeError, Transform};
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::DeviceBuf;
use cuzk_ntt::Scalars;

use crate::{Cuda, CudaError};

impl Ntt for Cuda {
    fn transform(
        &self,
        transform: Transform,
        domain: &Domain,
        mut values: DeviceBuf<FrLimbs>,
    ) -> Result<DeviceBuf<FrLimbs>, CudaError> {
        self.check_own("vectors", values.stream())?;
        ShapeError::check("values for the transform", domain.n(), values.len())?;
        self.domain(domain, transform)?
            .transform(transform, &mut values)?;
        Ok(values)
    }

    fn multiply_subtract_scale(
        &self,
        mut a: DeviceBuf<FrLimbs>,
        b: &DeviceBuf<FrLimbs>,
        c: &DeviceBuf<FrLimbs>,
        factor: Fr,
    ) -> Result<DeviceBuf<FrLimbs>, CudaError> {
        for vector in [&a, b, c] {
            self.check_own("vectors", vector.stream())?;
        }
        ShapeError::check("values of b for those of a", a.len(), b.len())?;
        ShapeError::check("values of c for those of a", a.len(), c.len())?;
        self.ntt.multiply_subtract_scale(&mut a, b, c, factor)?;
        Ok(a)
    }

    /// Seven transforms, and one permutation at the end.
    fn quotient(
        &self,
        a: Poly<DeviceBuf<FrLimbs>, Evals>,
        b: Poly<DeviceBuf<FrLimbs>, Evals>,
        c: Poly<DeviceBuf<FrLimbs>, Evals>,
    ) -> Result<Poly<DeviceBuf<FrLimbs>, Coeffs>, CudaError> {
        let domain = *a.domain();
        for other in [b.domain(), c.domain()] {
            ShapeError::check("order of the quotient's domains", domain.n(), other.n())?;
        }
        let vectors = [a, b, c].map(Poly::into_vector);
        for vector in &vectors {
            self.check_own("vectors", vector.stream())?;
        }
        let [a, b, c] = vectors.map(Scalars::natural);
        let h = self
            .domain(&domain, Transform::Inverse)?
            .quotient(a, b, c)?;
        let h = self.ntt.reorder(h)?.into_values();
        Ok(Poly::new(self, &domain, h)?)
    }
}
