use std::sync::Arc;

use cuzk_backend::{ShapeError, Transform};
use cuzk_curve::{Domain, FrLimbs};
use cuzk_device::DeviceBuf;

use crate::order::{Natural, Reversed, Scalars};
use crate::params::PassParams;
use crate::table::{Table, on_coset};
use crate::{Decimation, NttEngine, NttError, Plan};

/// A domain prepared on an engine, for the transforms that were asked for.
///
/// A clone shares the twiddles. The last one to go waits for all work of the device.
#[derive(Debug, Clone)]
pub struct NttDomain {
    engine: NttEngine,
    domain: Domain,
    plan: Plan,
    /// By the number of the transform.
    tables: [Option<Arc<Table>>; 4],
}

/// The transforms that lead from natural to reversed order without a permutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FromNatural {
    /// [`Transform::Forward`].
    Forward,
    /// [`Transform::Inverse`].
    Inverse,
    /// [`Transform::CosetInverse`].
    CosetInverse,
}

/// The transforms that lead from reversed to natural order without a permutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FromReversed {
    /// [`Transform::Forward`].
    Forward,
    /// [`Transform::Inverse`].
    Inverse,
    /// [`Transform::CosetForward`].
    CosetForward,
}

impl From<FromNatural> for Transform {
    fn from(transform: FromNatural) -> Self {
        match transform {
            FromNatural::Forward => Self::Forward,
            FromNatural::Inverse => Self::Inverse,
            FromNatural::CosetInverse => Self::CosetInverse,
        }
    }
}

impl From<FromReversed> for Transform {
    fn from(transform: FromReversed) -> Self {
        match transform {
            FromReversed::Forward => Self::Forward,
            FromReversed::Inverse => Self::Inverse,
            FromReversed::CosetForward => Self::CosetForward,
        }
    }
}

impl NttDomain {
    pub(crate) fn new(
        engine: NttEngine,
        domain: Domain,
        plan: Plan,
        tables: [Option<Arc<Table>>; 4],
    ) -> Self {
        Self {
            engine,
            domain,
            plan,
            tables,
        }
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The passes by which its transforms are made.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The engine on which it was prepared.
    #[must_use]
    pub fn engine(&self) -> &NttEngine {
        &self.engine
    }

    /// Transforms values in place, from natural to natural order.
    ///
    /// # Shapes
    /// As many values as the domain has elements.
    ///
    /// # Errors
    /// [`ShapeError`] for any other number, [`NttError::NotPrepared`], or where the driver
    /// refuses a launch; the values are then arbitrary.
    pub fn transform(
        &self,
        transform: Transform,
        values: &mut DeviceBuf<FrLimbs>,
    ) -> Result<(), NttError> {
        // The powers of a shift are in the twiddles on that side where the order is natural.
        if transform == Transform::CosetForward {
            self.check(transform, values)?;
            self.engine.reverse(values)?;
            self.run(transform, Decimation::InTime, values)
        } else {
            self.run(transform, Decimation::InFrequency, values)?;
            self.engine.reverse(values)
        }
    }

    /// Transforms values in place, from natural to reversed order.
    ///
    /// # Errors
    /// As [`NttDomain::transform`].
    pub fn to_reversed(
        &self,
        transform: FromNatural,
        scalars: Scalars<Natural>,
    ) -> Result<Scalars<Reversed>, NttError> {
        let mut values = scalars.into_values();
        self.run(transform.into(), Decimation::InFrequency, &mut values)?;
        Ok(Scalars::of(values))
    }

    /// Transforms values in place, from reversed to natural order.
    ///
    /// # Errors
    /// As [`NttDomain::transform`].
    pub fn to_natural(
        &self,
        transform: FromReversed,
        scalars: Scalars<Reversed>,
    ) -> Result<Scalars<Natural>, NttError> {
        let mut values = scalars.into_values();
        self.run(transform.into(), Decimation::InTime, &mut values)?;
        Ok(Scalars::of(values))
    }

    /// The values on the coset of the polynomial with these values on the domain: two transforms
    /// in place, and no permutation between them.
    ///
    /// Needs [`Transform::Inverse`] and [`Transform::CosetForward`].
    ///
    /// # Errors
    /// As [`NttDomain::transform`].
    pub fn to_coset(&self, scalars: Scalars<Natural>) -> Result<Scalars<Natural>, NttError> {
        self.check(Transform::CosetForward, scalars.values())?;
        let coefficients = self.to_reversed(FromNatural::Inverse, scalars)?;
        self.to_natural(FromReversed::CosetForward, coefficients)
    }

    /// The coefficients of `h = (a·b − c) / Z`, `Z = Xⁿ − 1`, from the values of a, b and c on
    /// the domain: seven transforms, and no permutation.
    ///
    /// Needs [`Transform::Inverse`], [`Transform::CosetForward`] and
    /// [`Transform::CosetInverse`]. Where `a·b − c` does not vanish on the domain, the result is
    /// that of the formula on the coset, and no quotient.
    ///
    /// # Errors
    /// As [`NttDomain::transform`].
    ///
    /// # Source
    /// `[Groth16]` §3.2, the polynomial h(X) of the prover.
    pub fn quotient(
        &self,
        a: Scalars<Natural>,
        b: Scalars<Natural>,
        c: Scalars<Natural>,
    ) -> Result<Scalars<Reversed>, NttError> {
        for scalars in [&a, &b, &c] {
            self.check(Transform::CosetInverse, scalars.values())?;
        }
        let mut h = self.to_coset(a)?.into_values();
        let (b, c) = (self.to_coset(b)?, self.to_coset(c)?);
        let factor = self.domain.vanishing_on_coset_inv();
        let engine = &self.engine;
        engine.multiply_subtract_scale(&mut h, b.values(), c.values(), factor)?;
        self.to_reversed(FromNatural::CosetInverse, Scalars::natural(h))
    }

    /// The table for a transform of these values, if everything fits.
    fn check(&self, transform: Transform, values: &DeviceBuf<FrLimbs>) -> Result<&Table, NttError> {
        ShapeError::check("values for the transform", self.domain.n(), values.len())?;
        self.engine.check_device(values)?;
        let table = self.tables[transform as usize].as_deref();
        table.ok_or(NttError::NotPrepared {
            transform,
            log_n: self.domain.log_n(),
        })
    }

    /// All passes, with the division by n of an inverse in the last one.
    #[tracing::instrument(level = "debug", skip_all, fields(n = self.domain.n()))]
    fn run(
        &self,
        transform: Transform,
        decimation: Decimation,
        values: &mut DeviceBuf<FrLimbs>,
    ) -> Result<(), NttError> {
        let table = self.check(transform, values)?;
        let inverse = matches!(transform, Transform::Inverse | Transform::CosetInverse);
        let address = values.as_mut_slice().address();
        let kernel = self.engine.pass_kernel(decimation);
        let log_n = u64::from(self.domain.log_n());
        let passes = self.plan.passes(decimation);
        let last = passes.len().saturating_sub(1);
        for (i, pass) in passes.enumerate() {
            let params = PassParams {
                input: address,
                out: address,
                twiddles: table.address(),
                log_n,
                log_stride: pass.log_stride.into(),
                log_rows: pass.stages.into(),
                log_divisor: if inverse && i == last { log_n } else { 0 },
                begins_with_one: (!on_coset(transform)).into(),
            };
            // SAFETY: there are 2^log_n values, which belong to the stream; the table has as many
            // elements and is complete; the blocks are as many as the tiles of a pass whose rows
            // fit in one.
            unsafe { kernel.launch(values.stream(), self.plan.tiles(), &params) }?;
        }
        Ok(())
    }
}
