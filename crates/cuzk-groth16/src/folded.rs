use cuzk_backend::{Fold, InverseTransform, Msm, ProverBackend, SharedBases, Transform};
use cuzk_curve::{Domain, Fr, G1, G1Affine, G1Projective};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{Parameters, Query};
use cuzk_phase::Phase;
use cuzk_r1cs::Shape;
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;
use tracing::debug_span;

use crate::{CircuitLayout, ProveError, key};

/// The H and L queries of a key in the form in which a quotient takes four transforms.
///
/// # Formula
/// With `Z = Xⁿ − 1`, which is `gⁿ − 1` everywhere on the coset, and `a·b = h·Z + c`: the
/// polynomial of degree below n with the values of `a·b` on the coset is `P = h·(gⁿ − 1) + c`. So
///
/// ```text
/// Σ h_i·H_i = Σ_k (a·b)(g·ω^k)·H'_k − Σ_j w_j·K_j
/// H'_k = (gⁿ − 1)⁻¹ Σ_i g^(−i)·ω^(−ik)/n·H_i      Lagrange form of H on the coset
/// M_i  = (gⁿ − 1)⁻¹ Σ_k ω^(−ik)/n·H_k             the same on the domain
/// K_j  = Σ_i C[i][j]·M_i
/// L'_j = L_j − K_j                                −K_j for inputs, which have no L
/// ```
///
/// c is not transformed, and nothing is transformed back. A key has no point for `h_(n−1)`, which
/// is zero; the identity stands for it. This holds for every witness, so that the sums, and with
/// them the proof, are the same.
///
/// # Source
/// `[Groth16]` §3.2, rearranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedQueries {
    h: Query<G1>,
    l: Query<G1>,
}

impl FoldedQueries {
    /// Derives the queries on a machine and checks them, see [`FoldedQueries::check`].
    ///
    /// Takes about `n·log₂ n` multiples of points.
    ///
    /// # Errors
    /// [`ProveError::KeyMismatch`] where the parameters are not of the shape;
    /// [`ProveError::FoldedQueries`]; [`ProveError::Backend`]; [`ProveError::Memory`].
    pub fn derive<B: ProverBackend + Fold>(
        backend: &B,
        shape: &Shape,
        parameters: &Parameters,
        memory: &HostAllocator,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Self, ProveError> {
        let layout = CircuitLayout::of_shape(shape)?;
        key::check_lengths(&layout, parameters)?;
        let domain = layout.domain();
        let _span = debug_span!("derive_queries", n = domain.n()).entered();
        let factor = domain.vanishing_on_coset_inv();
        let fold = |inverse| {
            backend
                .fold_inverse(inverse, domain, factor, parameters.h.points())
                .map_err(ProveError::backend(Phase::Compile))
        };
        let h = Query::from_points(&fold(InverseTransform::CosetInverse)?, memory)?;
        let on_domain = fold(InverseTransform::Inverse)?;
        let linear = backend
            .fold_matrix(shape.c(), &on_domain)
            .map_err(ProveError::backend(Phase::Compile))?;
        let l = subtract(shape.num_inputs(), parameters.l.points(), &linear);
        let l = Query::from_points(&l, memory)?;
        let folded = Self { h, l };
        folded.check(backend, shape, parameters, rng)?;
        Ok(folded)
    }

    /// Queries that were derived before and kept; [`FoldedQueries::check`] tells what they are.
    #[must_use]
    pub fn from_queries(h: Query<G1>, l: Query<G1>) -> Self {
        Self { h, l }
    }

    /// H', one point for every element of the domain.
    #[must_use]
    pub fn h(&self) -> &Query<G1> {
        &self.h
    }

    /// L', one point for every variable, inputs first.
    #[must_use]
    pub fn l(&self) -> &Query<G1> {
        &self.l
    }

    /// Compares a random combination of all points with the one that the parameters give; wrong
    /// queries pass with probability 2^−254.
    ///
    /// # Formula
    /// `Σ ρ_k·H'_k + Σ σ_j·L'_j = Σ σ_j·L_j + Σ u_i·H_i` with
    /// `u = (gⁿ − 1)⁻¹·(inverse on the coset of ρ − inverse of C·σ)`.
    ///
    /// # Errors
    /// [`ProveError::FoldedQueries`] where they differ; [`ProveError::KeyMismatch`];
    /// [`ProveError::Backend`].
    ///
    /// # Source
    /// Small exponents test of `[BGR98]` §3, with full-size ones.
    pub fn check<B: ProverBackend>(
        &self,
        backend: &B,
        shape: &Shape,
        parameters: &Parameters,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<(), ProveError> {
        let layout = CircuitLayout::of_shape(shape)?;
        key::check_lengths(&layout, parameters)?;
        self.check_lengths(&layout)?;
        let mut random =
            |len: usize| -> Vec<Fr> { (0..len).map(|_| Fr::random(&mut *rng)).collect() };
        let (rho, sigma) = (random(layout.domain().n()), random(shape.num_variables()));
        let equal = combinations_agree(
            backend,
            self,
            shape,
            parameters,
            layout.domain(),
            &rho,
            &sigma,
        )
        .map_err(ProveError::backend(Phase::Compile))?;
        match equal {
            true => Ok(()),
            false => Err(ProveError::FoldedQueries),
        }
    }

    pub(crate) fn check_lengths(&self, layout: &CircuitLayout) -> Result<(), ProveError> {
        let sections = [
            ("folded h query", layout.domain.n(), self.h.len()),
            ("folded l query", layout.num_variables(), self.l.len()),
        ];
        match sections
            .into_iter()
            .find(|(_, expected, got)| expected != got)
        {
            None => Ok(()),
            Some((what, expected, got)) => Err(ProveError::KeyMismatch {
                what,
                expected,
                got,
            }),
        }
    }
}

fn combinations_agree<B: ProverBackend>(
    backend: &B,
    folded: &FoldedQueries,
    shape: &Shape,
    parameters: &Parameters,
    domain: &Domain,
    rho: &[Fr],
    sigma: &[Fr],
) -> Result<bool, B::Error> {
    let sum = |query: &Query<G1>, scalars: &B::Vector| -> Result<G1Projective, B::Error> {
        let bases = Msm::<G1>::prepare(backend, SharedBases::new(query.clone()))?;
        Msm::<G1>::msm(backend, &bases, scalars)?.wait()
    };
    let on_coset = backend.upload(rho)?;
    let all = backend.upload(sigma)?;
    let got = sum(&folded.h, &on_coset)? + sum(&folded.l, &all)?;

    let coset = backend.transform(Transform::CosetInverse, domain, on_coset)?;
    let mut c: Vec<Fr> = (0..shape.c().rows())
        .into_par_iter()
        .map(|row| shape.c().row_terms(row).map(|(j, x)| x * sigma[j]).sum())
        .collect();
    c.resize(domain.n(), Fr::ZERO);
    let c = backend.transform(Transform::Inverse, domain, backend.upload(&c)?)?;
    let ones = backend.upload(&vec![Fr::ONE; domain.n()])?;
    let factor = domain.vanishing_on_coset_inv();
    let u = backend.multiply_subtract_scale(coset, &ones, &c, factor)?;
    let u = backend.truncate(u, domain.n() - 1)?;
    let auxiliary = backend.upload(&sigma[shape.num_inputs()..])?;
    let expected = sum(&parameters.h, &u)? + sum(&parameters.l, &auxiliary)?;
    Ok(got == expected)
}

/// `L_j − K_j`, with nothing for L_j where j is an input.
fn subtract(num_inputs: usize, l: &[G1Affine], k: &[G1Affine]) -> Vec<G1Affine> {
    const POINTS_PER_INVERSION: usize = 1 << 10;
    let mut out = vec![G1Affine::identity(); k.len()];
    let chunks = out.par_chunks_mut(POINTS_PER_INVERSION).enumerate();
    chunks.for_each(|(chunk, out)| {
        let first = chunk * POINTS_PER_INVERSION;
        let difference = |j: usize| {
            let l = j.checked_sub(num_inputs).and_then(|j| l.get(j));
            l.map_or_else(G1Projective::identity, G1Affine::to_curve) - k[j]
        };
        let points: Vec<_> = (first..first + out.len()).map(difference).collect();
        G1Projective::batch_normalize(&points, out);
    });
    out
}
