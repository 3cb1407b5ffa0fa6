use cuzk_backend::{Coeffs, CosetEvals, Evals, Ntt, Poly, ShapeError, Transform};
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::DeviceBuf;
use cuzk_ntt::Scalars;
use group::ff::Field as _;

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

    fn multiply(
        &self,
        mut a: DeviceBuf<FrLimbs>,
        b: &DeviceBuf<FrLimbs>,
    ) -> Result<DeviceBuf<FrLimbs>, CudaError> {
        for vector in [&a, b] {
            self.check_own("vectors", vector.stream())?;
        }
        self.ntt.multiply_scale(&mut a, b, Fr::ONE)?;
        Ok(a)
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

    /// Four transforms, and no permutation.
    fn product_on_coset(
        &self,
        a: Poly<DeviceBuf<FrLimbs>, Evals>,
        b: Poly<DeviceBuf<FrLimbs>, Evals>,
    ) -> Result<Poly<DeviceBuf<FrLimbs>, CosetEvals>, CudaError> {
        let domain = *a.domain();
        ShapeError::check("order of the product's domains", domain.n(), b.domain().n())?;
        let vectors = [a, b].map(Poly::into_vector);
        for vector in &vectors {
            self.check_own("vectors", vector.stream())?;
        }
        let [a, b] = vectors.map(Scalars::natural);
        let prepared = self.domain(&domain, Transform::Inverse)?;
        let mut product = prepared.to_coset(a)?.into_values();
        let b = prepared.to_coset(b)?;
        self.ntt.multiply_scale(&mut product, b.values(), Fr::ONE)?;
        Ok(Poly::new(self, &domain, product)?)
    }
}
