use std::marker::PhantomData;

use cuzk_curve::{Domain, Fr};

use crate::{Backend, ShapeError};

/// How the values of a [`Poly`] represent a polynomial.
pub trait Basis: sealed::Sealed + Copy + Send + Sync + 'static {}

/// Values at `ω^i`.
#[derive(Debug, Clone, Copy)]
pub struct Evals;
/// Coefficients of `X^i`.
#[derive(Debug, Clone, Copy)]
pub struct Coeffs;
/// Values at `g·ω^i`, g the domain's coset shift.
#[derive(Debug, Clone, Copy)]
pub struct CosetEvals;

impl Basis for Evals {}
impl Basis for Coeffs {}
impl Basis for CosetEvals {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Evals {}
    impl Sealed for super::Coeffs {}
    impl Sealed for super::CosetEvals {}
}

/// A polynomial of degree below `domain.n()`: a vector, with its basis as a type.
///
/// ```compile_fail
/// # use cuzk_backend::{Backend, Coeffs, Evals, Ntt, Poly};
/// fn twice<B: Ntt>(backend: &B, p: Poly<B::Vector, Evals>) -> Result<Poly<B::Vector, Evals>, B::Error> {
///     backend.forward(p) // evaluations cannot be transformed forward again
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Poly<V, B> {
    vector: V,
    domain: Domain,
    basis: PhantomData<B>,
}

impl<V, B: Basis> Poly<V, B> {
    /// Names the basis of a vector in natural order.
    ///
    /// # Errors
    /// [`ShapeError`] where the vector's length is not the domain's order.
    pub fn new<T: Backend<Vector = V> + ?Sized>(
        backend: &T,
        domain: &Domain,
        vector: V,
    ) -> Result<Self, ShapeError> {
        ShapeError::check("values for the domain", domain.n(), backend.len(&vector))?;
        Ok(Self {
            vector,
            domain: *domain,
            basis: PhantomData,
        })
    }

    /// The domain.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The values.
    pub fn vector(&self) -> &V {
        &self.vector
    }

    /// The values, given up.
    pub fn into_vector(self) -> V {
        self.vector
    }
}

/// One of the four transforms, all from natural to natural order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transform {
    /// Coefficients to values at `ω^i`: `out[i] = Σ_j in[j]·ω^(ij)`.
    Forward,
    /// Values at `ω^i` to coefficients: `out[j] = n⁻¹ Σ_i in[i]·ω^(−ij)`.
    Inverse,
    /// Coefficients to values at `g·ω^i`.
    CosetForward,
    /// Values at `g·ω^i` to coefficients.
    CosetInverse,
}

/// Number-theoretic transforms and the quotient built of them.
pub trait Ntt: Backend {
    /// Transforms a vector.
    ///
    /// # Shapes
    /// The vector has `domain.n()` values, and so has the result.
    ///
    /// # Errors
    /// [`ShapeError`] for any other length.
    fn transform(
        &self,
        transform: Transform,
        domain: &Domain,
        vector: Self::Vector,
    ) -> Result<Self::Vector, Self::Error>;

    /// `a[i]·b[i]` for every `i`.
    ///
    /// # Errors
    /// [`ShapeError`] where the lengths differ.
    fn multiply(&self, a: Self::Vector, b: &Self::Vector) -> Result<Self::Vector, Self::Error>;

    /// `(a[i]·b[i] − c[i])·factor` for every `i`.
    ///
    /// # Errors
    /// [`ShapeError`] where the lengths differ.
    fn multiply_subtract_scale(
        &self,
        a: Self::Vector,
        b: &Self::Vector,
        c: &Self::Vector,
        factor: Fr,
    ) -> Result<Self::Vector, Self::Error>;

    /// Coefficients to values.
    ///
    /// # Errors
    /// The machine's own.
    fn forward(
        &self,
        poly: Poly<Self::Vector, Coeffs>,
    ) -> Result<Poly<Self::Vector, Evals>, Self::Error> {
        convert(self, Transform::Forward, poly)
    }

    /// Values to coefficients.
    ///
    /// # Errors
    /// The machine's own.
    fn inverse(
        &self,
        poly: Poly<Self::Vector, Evals>,
    ) -> Result<Poly<Self::Vector, Coeffs>, Self::Error> {
        convert(self, Transform::Inverse, poly)
    }

    /// Coefficients to values on the coset.
    ///
    /// # Errors
    /// The machine's own.
    fn coset_forward(
        &self,
        poly: Poly<Self::Vector, Coeffs>,
    ) -> Result<Poly<Self::Vector, CosetEvals>, Self::Error> {
        convert(self, Transform::CosetForward, poly)
    }

    /// Values on the coset to coefficients.
    ///
    /// # Errors
    /// The machine's own.
    fn coset_inverse(
        &self,
        poly: Poly<Self::Vector, CosetEvals>,
    ) -> Result<Poly<Self::Vector, Coeffs>, Self::Error> {
        convert(self, Transform::CosetInverse, poly)
    }

    /// The quotient `h = (a·b − c) / Z` of three polynomials of one domain, `Z = Xⁿ − 1`:
    /// seven transforms.
    ///
    /// Where `a·b − c` does not vanish on the domain, the result is that of the formula on
    /// the coset, and no quotient.
    ///
    /// # Errors
    /// [`ShapeError`] where the domains differ.
    ///
    /// # Source
    /// `[Groth16]` §3.2, the polynomial h(X) of the prover.
    fn quotient(
        &self,
        a: Poly<Self::Vector, Evals>,
        b: Poly<Self::Vector, Evals>,
        c: Poly<Self::Vector, Evals>,
    ) -> Result<Poly<Self::Vector, Coeffs>, Self::Error> {
        let domain = *a.domain();
        for other in [b.domain(), c.domain()] {
            ShapeError::check("order of the quotient's domains", domain.n(), other.n())?;
        }
        let a = self.coset_forward(self.inverse(a)?)?;
        let b = self.coset_forward(self.inverse(b)?)?;
        let c = self.coset_forward(self.inverse(c)?)?;
        let h = self.multiply_subtract_scale(
            a.into_vector(),
            b.vector(),
            c.vector(),
            domain.vanishing_on_coset_inv(),
        )?;
        self.coset_inverse(Poly::new(self, &domain, h)?)
    }

    /// The values of `a·b` on the coset, for two polynomials of one domain: four transforms.
    ///
    /// # Errors
    /// [`ShapeError`] where the domains differ.
    fn product_on_coset(
        &self,
        a: Poly<Self::Vector, Evals>,
        b: Poly<Self::Vector, Evals>,
    ) -> Result<Poly<Self::Vector, CosetEvals>, Self::Error> {
        let domain = *a.domain();
        ShapeError::check("order of the product's domains", domain.n(), b.domain().n())?;
        let a = self.coset_forward(self.inverse(a)?)?;
        let b = self.coset_forward(self.inverse(b)?)?;
        let product = self.multiply(a.into_vector(), b.vector())?;
        Ok(Poly::new(self, &domain, product)?)
    }
}

fn convert<T: Ntt + ?Sized, From: Basis, To: Basis>(
    backend: &T,
    transform: Transform,
    poly: Poly<T::Vector, From>,
) -> Result<Poly<T::Vector, To>, T::Error> {
    let vector = backend.transform(transform, &poly.domain, poly.vector)?;
    Ok(Poly {
        vector,
        domain: poly.domain,
        basis: PhantomData,
    })
}
