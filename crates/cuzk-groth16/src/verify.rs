use cuzk_curve::{Bls12, Fr, G1Affine, G1Projective, G2Prepared, Gt};
use cuzk_params::VerifyingKey;
use group::{Curve, prime::PrimeCurveAffine};
use pairing::{Engine, MillerLoopResult, MultiMillerLoop};
use rayon::prelude::*;

use crate::{Proof, VerifyError};

/// Inputs below which their sum is not worth a second thread, nor a call into a pool.
const INPUTS_PER_JOB: usize = 16;

/// A verifying key with its fixed pairing and its lines computed once.
#[derive(Debug, Clone)]
pub struct PreparedVerifyingKey {
    key: VerifyingKey,
    alpha_beta: Gt,
    beta: G2Prepared,
    neg_gamma: G2Prepared,
    neg_delta: G2Prepared,
}

impl PreparedVerifyingKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`VerifyError::DegenerateKey`] where a point of the head is the identity: under such a
    /// key proofs can be made of anything.
    pub fn new(key: &VerifyingKey) -> Result<Self, VerifyError> {
        let head = [
            ("alpha_g1", key.alpha_g1.is_identity()),
            ("beta_g1", key.beta_g1.is_identity()),
            ("beta_g2", key.beta_g2.is_identity()),
            ("gamma_g2", key.gamma_g2.is_identity()),
            ("delta_g1", key.delta_g1.is_identity()),
            ("delta_g2", key.delta_g2.is_identity()),
        ];
        if let Some((what, _)) = head.into_iter().find(|(_, identity)| (*identity).into()) {
            return Err(VerifyError::DegenerateKey { what });
        }
        if key.ic.is_empty() {
            return Err(VerifyError::DegenerateKey { what: "ic" });
        }
        Ok(Self {
            key: key.clone(),
            alpha_beta: Bls12::pairing(&key.alpha_g1, &key.beta_g2),
            beta: key.beta_g2.into(),
            neg_gamma: (-key.gamma_g2).into(),
            neg_delta: (-key.delta_g2).into(),
        })
    }

    /// The key as it was read.
    #[must_use]
    pub fn key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Public inputs that a proof has, without the constant one.
    #[must_use]
    pub fn num_public_inputs(&self) -> usize {
        self.key.inputs()
    }

    pub(crate) fn beta(&self) -> &G2Prepared {
        &self.beta
    }

    pub(crate) fn neg_gamma(&self) -> &G2Prepared {
        &self.neg_gamma
    }

    pub(crate) fn neg_delta(&self) -> &G2Prepared {
        &self.neg_delta
    }

    /// `one·ic[0] + Σ inputs[i]·ic[i + 1]`.
    ///
    /// # Shapes
    /// As many inputs as the key has.
    pub(crate) fn combine_inputs(&self, one: &Fr, inputs: &[Fr]) -> G1Projective {
        let points = &self.key.ic[1..];
        let multiply = |(point, input): (&G1Affine, &Fr)| point * input;
        let sum: G1Projective = if inputs.len() <= INPUTS_PER_JOB {
            points.iter().zip(inputs).map(multiply).sum()
        } else {
            let terms = points.par_iter().zip(inputs);
            terms.with_min_len(INPUTS_PER_JOB).map(multiply).sum()
        };
        sum + self.key.ic[0] * one
    }
}

/// Whether a proof shows a witness for these public inputs: one per input of the circuit,
/// without the constant one.
///
/// Checks `e(A, B) = e(α, β) · e(Σ inputs, γ) · e(C, δ)` with one final exponentiation.
/// The points of a [`Proof`] are checked when it is made, and an [`Fr`] is in range.
///
/// # Errors
/// [`VerifyError::InputCount`]; [`VerifyError::Refused`] for a proof of anything else.
///
/// # Source
/// `[Groth16]` §3.2.
pub fn verify(
    key: &PreparedVerifyingKey,
    proof: &Proof,
    public_inputs: &[Fr],
) -> Result<(), VerifyError> {
    let expected = key.num_public_inputs();
    if public_inputs.len() != expected {
        return Err(VerifyError::InputCount {
            expected,
            got: public_inputs.len(),
        });
    }
    let inputs: G1Affine = key
        .combine_inputs(&ff::Field::ONE, public_inputs)
        .to_affine();
    let product = Bls12::multi_miller_loop(&[
        (proof.a(), &(*proof.b()).into()),
        (&inputs, &key.neg_gamma),
        (proof.c(), &key.neg_delta),
    ]);
    if product.final_exponentiation() == key.alpha_beta {
        Ok(())
    } else {
        Err(VerifyError::Refused)
    }
}
