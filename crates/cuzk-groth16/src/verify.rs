use cuzk_curve::{Bls12, Fr, G1Affine, G1Projective, G2Prepared, Gt};
use cuzk_params::VerifyingKey;
use group::{Curve, prime::PrimeCurveAffine};
use pairing::{Engine, MillerLoopResult, MultiMillerLoop};
use rayon::prelude::*;

use crate::{Proof, VerifyError};

/// Inputs that are summed by one call and one thread: of more, `blst` makes work for threads of
/// its own, which no pool of the caller's confines.
const INPUTS_PER_JOB: usize = 31;
/// Inputs from which on the bucket method is faster than a product for each.
const INPUTS_FOR_BUCKETS: usize = 4;

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
        let sum: G1Projective = if inputs.len() <= INPUTS_PER_JOB {
            sum_of_products(points, inputs)
        } else {
            let jobs = points.par_chunks(INPUTS_PER_JOB);
            let jobs = jobs.zip(inputs.par_chunks(INPUTS_PER_JOB));
            jobs.map(|(points, inputs)| sum_of_products(points, inputs))
                .sum()
        };
        sum + self.key.ic[0] * one
    }
}

/// `Σ inputs[i]·points[i]`, for as many of both.
fn sum_of_products(points: &[G1Affine], inputs: &[Fr]) -> G1Projective {
    if inputs.len() < INPUTS_FOR_BUCKETS {
        return points.iter().zip(inputs).map(|(p, x)| p * x).sum();
    }
    let points: Vec<G1Projective> = points.iter().map(G1Projective::from).collect();
    G1Projective::multi_exp(&points, inputs)
}

/// The part of a verification that needs no proof: the sum of the public inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummedInputs(G1Affine);

impl PreparedVerifyingKey {
    /// Sums the public inputs of a proof that may still be in the making.
    ///
    /// # Errors
    /// [`VerifyError::InputCount`].
    pub(crate) fn sum_inputs(&self, public_inputs: &[Fr]) -> Result<SummedInputs, VerifyError> {
        let expected = self.num_public_inputs();
        if public_inputs.len() != expected {
            return Err(VerifyError::InputCount {
                expected,
                got: public_inputs.len(),
            });
        }
        let sum = self.combine_inputs(&ff::Field::ONE, public_inputs);
        Ok(SummedInputs(sum.to_affine()))
    }

    /// Whether a proof shows a witness for the inputs of the sum.
    pub(crate) fn accepts(&self, proof: &Proof, SummedInputs(inputs): &SummedInputs) -> bool {
        let product = Bls12::multi_miller_loop(&[
            (proof.a(), &(*proof.b()).into()),
            (inputs, &self.neg_gamma),
            (proof.c(), &self.neg_delta),
        ]);
        product.final_exponentiation() == self.alpha_beta
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
    let inputs = key.sum_inputs(public_inputs)?;
    match key.accepts(proof, &inputs) {
        true => Ok(()),
        false => Err(VerifyError::Refused),
    }
}

#[cfg(test)]
mod tests {
    use ff::Field;
    use group::Group;
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn sums_of_inputs_are_those_of_the_products() {
        let rng = &mut ChaCha8Rng::seed_from_u64(7);
        let lengths = [0, 1, INPUTS_FOR_BUCKETS - 1, INPUTS_FOR_BUCKETS];
        let around = [INPUTS_PER_JOB, INPUTS_PER_JOB + 1, 2 * INPUTS_PER_JOB + 5];
        for len in lengths.into_iter().chain(around) {
            let mut point = || G1Projective::random(&mut *rng).to_affine();
            let ic: Vec<G1Affine> = (0..=len).map(|_| point()).collect();
            let (g1, g2) = (ic[0], cuzk_curve::G2Affine::generator());
            let key = PreparedVerifyingKey::new(&VerifyingKey {
                alpha_g1: g1,
                beta_g1: g1,
                beta_g2: g2,
                gamma_g2: g2,
                delta_g1: g1,
                delta_g2: g2,
                ic: ic.clone(),
            })
            .expect("a good key");
            let mut inputs: Vec<Fr> = (0..len).map(|_| Fr::random(&mut *rng)).collect();
            // Among them zero, one and the largest.
            for (input, value) in inputs.iter_mut().zip([Fr::ZERO, Fr::ONE, -Fr::ONE]) {
                *input = value;
            }
            let products = ic[1..].iter().zip(&inputs).map(|(p, x)| p * x);
            let expected = products.sum::<G1Projective>() + ic[0];
            assert_eq!(key.combine_inputs(&Fr::ONE, &inputs), expected, "{len}");
        }
    }
}
