use cuzk_curve::{Domain, Fr, G1, G1Affine, G1Projective, G2, G2Projective, SourceGroup};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{Parameters, Query, VerifyingKey};
use cuzk_r1cs::{Bitmap, Shape};
use group::{Curve, Group};
use rand_core::{CryptoRng, RngCore};

use crate::SetupError;

mod fixed_base;
mod lagrange;
mod progress;
mod trapdoor;

use fixed_base::FixedBase;
use lagrange::{column_sums, lagrange_values, powers};
use progress::Counter;
pub use progress::Progress;
pub use trapdoor::Trapdoor;

use crate::secret::Secret;

/// Generates parameters for a circuit from fresh randomness.
///
/// Whoever ran this could have kept the trapdoor and forge proofs: for tests, and for circuits
/// whose provers are also their only verifiers. Everyone else needs a ceremony. The trapdoor
/// is overwritten before this returns.
///
/// `progress` is called from many threads.
///
/// # Errors
/// [`SetupError::Unconstrained`] where an auxiliary variable stands in no constraint;
/// [`SetupError::Domain`]; [`SetupError::Memory`].
///
/// # Source
/// `[Groth16]` §3.2; the queries are those of `bellman`'s generator.
pub fn generate_parameters<R: RngCore + CryptoRng>(
    shape: &Shape,
    rng: &mut R,
    progress: impl Fn(Progress) + Sync,
) -> Result<Parameters, SetupError> {
    let domain = Domain::for_len(shape.num_rows())?;
    with_trapdoor(shape, &Trapdoor::random(&domain, rng), progress)
}

/// Generates the parameters of a given trapdoor, for tests in which discrete logarithms have
/// to be known.
///
/// # Errors
/// As [`generate_parameters`], and [`SetupError::Trapdoor`] where a value is zero or τ lies
/// in the domain.
pub fn with_trapdoor(
    shape: &Shape,
    trapdoor: &Trapdoor,
    progress: impl Fn(Progress) + Sync,
) -> Result<Parameters, SetupError> {
    let domain = Domain::for_len(shape.num_rows())?;
    trapdoor.check(&domain)?;
    refuse_unconstrained(shape)?;
    let exponents = Exponents::new(shape, trapdoor, &domain);
    exponents.raise(shape, trapdoor, &progress)
}

/// The discrete logarithms of the queries.
struct Exponents {
    h: Secret<Vec<Fr>>,
    /// Per variable: that of the A query, of the B query, and of IC or L.
    a: Secret<Vec<Fr>>,
    b: Secret<Vec<Fr>>,
    extended: Secret<Vec<Fr>>,
}

impl Exponents {
    fn new(shape: &Shape, trapdoor: &Trapdoor, domain: &Domain) -> Self {
        let vanishing = domain.vanishing_at(trapdoor.tau());
        let h = powers(
            trapdoor.tau(),
            vanishing * trapdoor.delta_inv(),
            domain.n() - 1,
        );
        let lagrange = Secret::new(lagrange_values(domain, trapdoor.tau()));
        let (a, (b, c)) = rayon::join(
            || column_sums(shape.a(), &lagrange),
            || {
                rayon::join(
                    || column_sums(shape.b(), &lagrange),
                    || column_sums(shape.c(), &lagrange),
                )
            },
        );
        let c = Secret::new(c);
        let extended = (0..shape.num_variables())
            .map(|variable| {
                let divisor_inv = match variable < shape.num_inputs() {
                    true => trapdoor.gamma_inv(),
                    false => trapdoor.delta_inv(),
                };
                (trapdoor.beta() * a[variable] + trapdoor.alpha() * b[variable] + c[variable])
                    * divisor_inv
            })
            .collect();
        Self {
            h: Secret::new(h),
            a: Secret::new(a),
            b: Secret::new(b),
            extended: Secret::new(extended),
        }
    }

    /// The points of the queries.
    fn raise(
        &self,
        shape: &Shape,
        trapdoor: &Trapdoor,
        progress: &(impl Fn(Progress) + Sync),
    ) -> Result<Parameters, SetupError> {
        let a = Secret::new(select(&self.a, &shape.densities().a));
        let b = Secret::new(select(&self.b, &shape.densities().b));
        let in_g1 = self.h.len() + self.extended.len() + a.len() + b.len();
        let (g1, g2) = rayon::join(
            || FixedBase::<G1>::new(G1Projective::generator(), in_g1),
            || FixedBase::<G2>::new(G2Projective::generator(), b.len()),
        );
        let counter = Counter::new(in_g1 + b.len(), progress);
        let points = |exponents: &[Fr]| g1.multiply(exponents, &counter);
        let (ic, l) = self.extended.split_at(shape.num_inputs());
        Ok(Parameters {
            vk: trapdoor.verifying_key(G1::from_limbs_unchecked(&points(ic)).to_vec()),
            h: query(&points(&self.h))?,
            l: query(&points(l))?,
            a: query(&points(&a))?,
            b_g1: query(&points(&b))?,
            b_g2: query(&g2.multiply(&b, &counter))?,
        })
    }
}

fn query<G: SourceGroup>(points: &[G::Limbs]) -> Result<Query<G>, SetupError> {
    let points = G::from_limbs_unchecked(points);
    Ok(Query::from_points(points, &HostAllocator::default())?)
}

fn select(values: &[Fr], selection: &Bitmap) -> Vec<Fr> {
    selection.ones().map(|variable| values[variable]).collect()
}

impl Trapdoor {
    fn verifying_key(&self, ic: Vec<G1Affine>) -> VerifyingKey {
        let g1 = |exponent: Fr| (G1Projective::generator() * exponent).to_affine();
        let g2 = |exponent: Fr| (G2Projective::generator() * exponent).to_affine();
        VerifyingKey {
            alpha_g1: g1(self.alpha()),
            beta_g1: g1(self.beta()),
            beta_g2: g2(self.beta()),
            gamma_g2: g2(self.gamma()),
            delta_g1: g1(self.delta()),
            delta_g2: g2(self.delta()),
            ic,
        }
    }
}

/// A variable in no constraint could have any value, and its L point would be the identity.
fn refuse_unconstrained(shape: &Shape) -> Result<(), SetupError> {
    let mut used = shape.densities().a.clone();
    for column in shape
        .b()
        .term_columns()
        .iter()
        .chain(shape.c().term_columns())
    {
        used.set(*column as usize);
    }
    match (shape.num_inputs()..shape.num_variables()).find(|&variable| !used.get(variable)) {
        None => Ok(()),
        Some(variable) => Err(SetupError::Unconstrained {
            aux: variable - shape.num_inputs(),
        }),
    }
}
