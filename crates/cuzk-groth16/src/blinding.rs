use std::fmt;

use cuzk_curve::Fr;
use ff::Field;
use rand_core::{CryptoRng, RngCore};

use crate::secret::Secret;

/// The two scalars r, s that hide the witness in a proof.
///
/// Whoever knows them, and whoever sees two proofs of different witnesses with the same
/// ones, learns about the witness. They are overwritten when dropped.
///
/// # Source
/// `[Groth16]` §3.2, the r and s of the prover.
#[derive(Clone)]
pub struct Blinding(Secret<[Fr; 2]>);

impl Blinding {
    /// Fresh scalars: what a proof should have.
    pub fn random(mut rng: impl RngCore + CryptoRng) -> Self {
        Self::fixed(Fr::random(&mut rng), Fr::random(&mut rng))
    }

    /// Given scalars, for proofs that are to be reproduced byte for byte.
    #[must_use]
    pub fn fixed(r: Fr, s: Fr) -> Self {
        Self(Secret::new([r, s]))
    }

    /// No blinding, r = s = 0.
    ///
    /// The proof is sound and **not zero-knowledge**: it is a function of the witness, and a
    /// guess of the witness can be checked against it. For circuits whose witness is public.
    #[must_use]
    pub fn none() -> Self {
        Self::fixed(Fr::ZERO, Fr::ZERO)
    }

    pub(crate) fn r(&self) -> Fr {
        self.0[0]
    }

    pub(crate) fn s(&self) -> Fr {
        self.0[1]
    }
}

impl fmt::Debug for Blinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blinding(..)")
    }
}
