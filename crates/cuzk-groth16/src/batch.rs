use std::ops::Range;

use cuzk_curve::{Bls12, Fr, G1Projective, G2Prepared, Gt};
use ff::Field;
use group::{Curve, Group};
use pairing::{MillerLoopResult as _, MultiMillerLoop};
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;

use crate::{PreparedVerifyingKey, Proof, VerifyError};

type MillerLoopResult = <Bls12 as MultiMillerLoop>::Result;

/// Whether every proof of a batch verifies for its public inputs.
///
/// The equations of all proofs are added with random weights of 128 bits, so the batch costs
/// one Miller loop a proof and one final exponentiation; a batch with a wrong proof passes
/// with probability 2^−128 at most. An empty batch is good. Work runs in the caller's
/// `rayon` pool.
///
/// # Errors
/// [`VerifyError::BatchInputCount`] for the first proof with a wrong number of inputs;
/// [`VerifyError::BatchRefused`] with the indices of all proofs that do not verify, found by
/// bisection.
///
/// # Source
/// Small exponents test of `[BGR98]` §3, on the equation of `[Groth16]` §3.2.
pub fn verify_batch<R: RngCore + CryptoRng>(
    key: &PreparedVerifyingKey,
    batch: &[(Proof, Vec<Fr>)],
    rng: &mut R,
) -> Result<(), VerifyError> {
    let expected = key.num_public_inputs();
    let wrong = batch
        .iter()
        .position(|(_, inputs)| inputs.len() != expected);
    if let Some(index) = wrong {
        return Err(VerifyError::BatchInputCount {
            index,
            expected,
            got: batch[index].1.len(),
        });
    }
    let weights: Vec<Fr> = batch.iter().map(|_| weight(rng)).collect();
    let batch = Batch {
        key,
        proofs: batch,
        terms: batch
            .par_iter()
            .zip(weights)
            .map(|((proof, _), weight)| Term::new(proof, weight))
            .collect(),
    };
    let mut culprits = Vec::new();
    if !batch.verifies(0..batch.proofs.len()) {
        batch.find_culprits(0..batch.proofs.len(), &mut culprits);
    }
    match culprits.is_empty() {
        true => Ok(()),
        false => Err(VerifyError::BatchRefused {
            culprits,
            len: batch.proofs.len(),
        }),
    }
}

/// A random scalar of 128 bits, not zero.
fn weight(rng: &mut impl RngCore) -> Fr {
    loop {
        let mut words = [0; 2];
        words.fill_with(|| rng.next_u64());
        if words != [0; 2] {
            let two_to_64 = Fr::from(u64::MAX) + Fr::ONE;
            return Fr::from(words[1]) * two_to_64 + Fr::from(words[0]);
        }
    }
}

/// One proof's part of the equation: z, z·C and the Miller loop of (z·A, B).
struct Term {
    weight: Fr,
    c: G1Projective,
    a_b: MillerLoopResult,
}

impl Term {
    fn new(proof: &Proof, weight: Fr) -> Self {
        let a = (proof.a() * weight).to_affine();
        Self {
            weight,
            c: proof.c() * weight,
            a_b: Bls12::multi_miller_loop(&[(&a, &G2Prepared::from(*proof.b()))]),
        }
    }
}

struct Batch<'a> {
    key: &'a PreparedVerifyingKey,
    proofs: &'a [(Proof, Vec<Fr>)],
    terms: Vec<Term>,
}

impl Batch<'_> {
    /// The weighted sum of the equations of some proofs:
    /// `Π e(zA, B) · e(Σ z·inputs, −γ) · e(Σ zC, −δ) · e(−Σz·α, β) = 1`.
    fn verifies(&self, range: Range<usize>) -> bool {
        let terms = &self.terms[range.clone()];
        let weights: Fr = terms.iter().map(|term| term.weight).sum();
        let c: G1Projective = terms.iter().map(|term| term.c).sum();
        let inputs = self
            .key
            .combine_inputs(&weights, &self.weighted_inputs(range));
        let alpha = self.key.key().alpha_g1 * -weights;
        let mut product = Bls12::multi_miller_loop(&[
            (&inputs.to_affine(), self.key.neg_gamma()),
            (&c.to_affine(), self.key.neg_delta()),
            (&alpha.to_affine(), self.key.beta()),
        ]);
        for term in terms {
            product += term.a_b;
        }
        product.final_exponentiation() == Gt::identity()
    }

    /// Σ z·input of some proofs, input by input.
    fn weighted_inputs(&self, range: Range<usize>) -> Vec<Fr> {
        let mut sums = vec![Fr::ZERO; self.key.num_public_inputs()];
        for (term, (_, inputs)) in self.terms[range.clone()].iter().zip(&self.proofs[range]) {
            for (sum, input) in sums.iter_mut().zip(inputs) {
                *sum += term.weight * input;
            }
        }
        sums
    }

    /// The wrong proofs among some that are known not to verify together.
    fn find_culprits(&self, range: Range<usize>, culprits: &mut Vec<usize>) {
        if range.len() == 1 {
            culprits.push(range.start);
            return;
        }
        let middle = range.start + range.len() / 2;
        let (left, right) = (range.start..middle, middle..range.end);
        let (left_good, right_good) = rayon::join(
            || self.verifies(left.clone()),
            || self.verifies(right.clone()),
        );
        if !left_good {
            self.find_culprits(left, culprits);
        }
        if !right_good {
            self.find_culprits(right, culprits);
        }
    }
}
