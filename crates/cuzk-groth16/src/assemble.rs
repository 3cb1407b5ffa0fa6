use cuzk_curve::{G1Projective, G2Projective};
use cuzk_params::VerifyingKey;
use group::Curve;

use crate::{Blinding, Proof, ProofError, ProveError};

/// The five sums of a proof.
pub(crate) struct Sums {
    pub(crate) h: G1Projective,
    pub(crate) l: G1Projective,
    pub(crate) a: G1Projective,
    pub(crate) b_g1: G1Projective,
    pub(crate) b_g2: G2Projective,
}

/// The parts of a proof that no sum is needed for.
pub(crate) struct Blinded {
    /// `[α]₁ + r·[δ]₁`
    a: G1Projective,
    /// `[β]₂ + s·[δ]₂`
    b: G2Projective,
}

impl Blinded {
    pub(crate) fn new(key: &VerifyingKey, blinding: &Blinding) -> Self {
        Self {
            a: key.delta_g1 * blinding.r() + key.alpha_g1,
            b: key.delta_g2 * blinding.s() + key.beta_g2,
        }
    }
}

/// The proof from its sums:
///
/// ```text
/// A  = [α]₁ + Σ w·A + r·[δ]₁
/// B  = [β]₂ + Σ w·B + s·[δ]₂
/// C  = Σ w·L + Σ h·H + s·A + r·([β]₁ + Σ w·B₁)
/// ```
///
/// C is the paper's `… + s·A + r·B₁ − r·s·[δ]₁`: its B₁ is `[β]₁ + Σ w·B₁ + s·[δ]₁`, whose
/// last term cancels the paper's last.
///
/// # Source
/// `[Groth16]` §3.2.
pub(crate) fn assemble(
    key: &VerifyingKey,
    blinded: &Blinded,
    sums: &Sums,
    blinding: &Blinding,
) -> Result<Proof, ProveError> {
    let (r, s) = (blinding.r(), blinding.s());
    let a = sums.a + blinded.a;
    let b = sums.b_g2 + blinded.b;
    let c = sums.l + sums.h + a * s + (sums.b_g1 + key.beta_g1) * r;
    Proof::new(a.to_affine(), b.to_affine(), c.to_affine()).map_err(|error| match error {
        ProofError::Point { what, source, .. } => ProveError::ProofPoint { what, source },
        ProofError::Length { .. } => ProveError::ProofRefused,
    })
}
