use cuzk_backend::{Coeffs, CosetEvals, Evals, Ntt, Poly, ShapeError, Transform};
use cuzk_curve::{Domain, Fr};
use rayon::prelude::*;

use crate::{Cpu, CpuError, backend::zeros};

impl Ntt for Cpu {
    fn transform(
        &self,
        transform: Transform,
        domain: &Domain,
        mut vector: Vec<Fr>,
    ) -> Result<Vec<Fr>, CpuError> {
        ShapeError::check("values for the transform", domain.n(), vector.len())?;
        let mut out = zeros("the result of a transform", vector.len())?;
        self.ntt_plan(domain, transform)
            .run(&mut vector, &mut out)?;
        Ok(out)
    }

    fn multiply(&self, mut a: Vec<Fr>, b: &Vec<Fr>) -> Result<Vec<Fr>, CpuError> {
        ShapeError::check("values of b for those of a", a.len(), b.len())?;
        let all = a.par_iter_mut().zip(b).with_min_len(1 << 10);
        all.for_each(|(a, b)| *a *= b);
        Ok(a)
    }

    fn multiply_subtract_scale(
        &self,
        mut a: Vec<Fr>,
        b: &Vec<Fr>,
        c: &Vec<Fr>,
        factor: Fr,
    ) -> Result<Vec<Fr>, CpuError> {
        ShapeError::check("values of b for those of a", a.len(), b.len())?;
        ShapeError::check("values of c for those of a", a.len(), c.len())?;
        let others = b.par_iter().zip(c);
        let all = a.par_iter_mut().zip(others).with_min_len(1 << 10);
        all.for_each(|(a, (b, c))| *a = (*a * b - c) * factor);
        Ok(a)
    }

    /// Four passes over memory; see [`crate::QuotientPlan`].
    fn quotient(
        &self,
        a: Poly<Vec<Fr>, Evals>,
        b: Poly<Vec<Fr>, Evals>,
        c: Poly<Vec<Fr>, Evals>,
    ) -> Result<Poly<Vec<Fr>, Coeffs>, CpuError> {
        let domain = *a.domain();
        for other in [b.domain(), c.domain()] {
            ShapeError::check("order of the quotient's domains", domain.n(), other.n())?;
        }
        let plan = self.quotient_plan(&domain);
        let Some(plan) = plan.as_ref() else {
            return self.small_quotient(&domain, [a, b, c]);
        };
        let [mut a, mut b, mut c] = [a, b, c].map(Poly::into_vector);
        plan.run(&mut a, &mut b, &mut c)?;
        Ok(Poly::new(self, &domain, b)?)
    }

    /// Three passes over memory; see [`crate::QuotientPlan`].
    fn product_on_coset(
        &self,
        a: Poly<Vec<Fr>, Evals>,
        b: Poly<Vec<Fr>, Evals>,
    ) -> Result<Poly<Vec<Fr>, CosetEvals>, CpuError> {
        let domain = *a.domain();
        ShapeError::check("order of the product's domains", domain.n(), b.domain().n())?;
        let plan = self.quotient_plan(&domain);
        let Some(plan) = plan.as_ref() else {
            let on_coset = |p| self.coset_forward(self.inverse(p)?);
            let (a, b) = (on_coset(a)?, on_coset(b)?);
            let product = self.multiply(a.into_vector(), b.vector())?;
            return Ok(Poly::new(self, &domain, product)?);
        };
        let [mut a, mut b] = [a, b].map(Poly::into_vector);
        plan.product_on_coset(&mut a, &mut b)?;
        Ok(Poly::new(self, &domain, a)?)
    }
}

impl Cpu {
    fn small_quotient(
        &self,
        domain: &Domain,
        [a, b, c]: [Poly<Vec<Fr>, Evals>; 3],
    ) -> Result<Poly<Vec<Fr>, Coeffs>, CpuError> {
        let on_coset = |p| self.coset_forward(self.inverse(p)?);
        let (a, b, c) = (on_coset(a)?, on_coset(b)?, on_coset(c)?);
        let h = self.multiply_subtract_scale(
            a.into_vector(),
            b.vector(),
            c.vector(),
            domain.vanishing_on_coset_inv(),
        )?;
        let h: Poly<_, CosetEvals> = Poly::new(self, domain, h)?;
        self.coset_inverse(h)
    }
}
