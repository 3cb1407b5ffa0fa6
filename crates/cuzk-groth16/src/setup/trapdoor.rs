use std::fmt;

use cuzk_curve::{Domain, Fr};
use ff::Field;
use rand_core::{CryptoRng, RngCore};

use crate::{SetupError, secret::Secret};

/// The secrets of a set-up: α, β, γ, δ and the point τ. Overwritten when dropped.
///
/// # Source
/// `[Groth16]` §3.2; τ is the paper's x.
#[derive(Clone)]
pub struct Trapdoor(Secret<[Fr; 7]>);

impl Trapdoor {
    /// A trapdoor of given values.
    ///
    /// # Errors
    /// [`SetupError::Trapdoor`] where α, β, γ or δ is zero.
    pub fn new(alpha: Fr, beta: Fr, gamma: Fr, delta: Fr, tau: Fr) -> Result<Self, SetupError> {
        let not_zero = |what, value: Fr| match bool::from(value.is_zero()) {
            true => Err(SetupError::Trapdoor {
                what,
                expected: "not zero",
            }),
            false => Ok(value),
        };
        let inverse = |what, value: Fr| {
            not_zero(what, value).map(|value| value.invert().expect("zero was refused"))
        };
        Ok(Self(Secret::new([
            not_zero("alpha", alpha)?,
            not_zero("beta", beta)?,
            gamma,
            delta,
            tau,
            inverse("gamma", gamma)?,
            inverse("delta", delta)?,
        ])))
    }

    /// Fresh values that are good for the domain.
    pub(crate) fn random(domain: &Domain, rng: &mut (impl RngCore + CryptoRng)) -> Self {
        loop {
            let mut draw = || Fr::random(&mut *rng);
            let drawn = Self::new(draw(), draw(), draw(), draw(), draw());
            if let Ok(trapdoor) = drawn
                && trapdoor.check(domain).is_ok()
            {
                return trapdoor;
            }
        }
    }

    /// Refuses a τ in the domain, where every point of the H query would be the identity.
    pub(crate) fn check(&self, domain: &Domain) -> Result<(), SetupError> {
        match bool::from(domain.vanishing_at(self.tau()).is_zero()) {
            false => Ok(()),
            true => Err(SetupError::Trapdoor {
                what: "tau",
                expected: "outside the domain",
            }),
        }
    }

    pub(crate) fn alpha(&self) -> Fr {
        self.0[0]
    }

    pub(crate) fn beta(&self) -> Fr {
        self.0[1]
    }

    pub(crate) fn gamma(&self) -> Fr {
        self.0[2]
    }

    pub(crate) fn delta(&self) -> Fr {
        self.0[3]
    }

    pub(crate) fn tau(&self) -> Fr {
        self.0[4]
    }

    pub(crate) fn gamma_inv(&self) -> Fr {
        self.0[5]
    }

    pub(crate) fn delta_inv(&self) -> Fr {
        self.0[6]
    }
}

impl fmt::Debug for Trapdoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trapdoor(..)")
    }
}
