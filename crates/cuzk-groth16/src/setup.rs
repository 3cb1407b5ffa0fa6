use cuzk_backend::{FixedBase, Lane, SetupBackend};
use cuzk_curve::{Domain, Fr, G1, G1Affine, G1Projective, G2, G2Projective, SourceGroup};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{Parameters, Query, VerifyingKey};
use cuzk_phase::{Phase, Timeline};
use cuzk_r1cs::{Bitmap, Shape};
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;

use crate::{
    SetupError,
    laps::{Laps, MachineClock},
    secret::Secret,
};

mod lagrange;
mod progress;
mod trapdoor;

use lagrange::{column_sums, lagrange_values, powers};
use progress::Counter;
pub use progress::Progress;
pub use trapdoor::Trapdoor;

/// Generates parameters for a circuit from fresh randomness, on a machine.
///
/// Whoever ran this could have kept the trapdoor and forge proofs: for tests, and for circuits
/// whose provers are also their only verifiers. Everyone else needs a ceremony. The trapdoor
/// is overwritten before this returns.
///
/// The parameters are a function of circuit and randomness alone, whatever the machine.
/// `progress` is called from many threads.
///
/// # Errors
/// [`SetupError::Unconstrained`] where an auxiliary variable stands in no constraint;
/// [`SetupError::Domain`]; [`SetupError::Memory`]; [`SetupError::Backend`].
///
/// # Source
/// `[Groth16]` §3.2; the queries are those of `bellman`'s generator.
pub fn generate_parameters<B: SetupBackend, R: RngCore + CryptoRng>(
    backend: &B,
    shape: &Shape,
    rng: &mut R,
    timeline: &Timeline,
    progress: impl Fn(Progress) + Sync,
) -> Result<Parameters, SetupError> {
    let domain = Domain::for_len(shape.num_rows())?;
    let trapdoor = Trapdoor::random(&domain, rng);
    with_trapdoor(backend, shape, &trapdoor, timeline, progress)
}

/// Generates the parameters of a given trapdoor, for tests in which discrete logarithms have
/// to be known.
///
/// # Errors
/// As [`generate_parameters`], and [`SetupError::Trapdoor`] where a value is zero or τ lies
/// in the domain.
pub fn with_trapdoor<B: SetupBackend>(
    backend: &B,
    shape: &Shape,
    trapdoor: &Trapdoor,
    timeline: &Timeline,
    progress: impl Fn(Progress) + Sync,
) -> Result<Parameters, SetupError> {
    let domain = Domain::for_len(shape.num_rows())?;
    trapdoor.check(&domain)?;
    let exponents = timeline.measure(Phase::Exponents, || {
        refuse_unconstrained(shape)?;
        Exponents::new(shape, trapdoor, &domain)
    })?;
    let _span = timeline.span(Phase::FixedBase);
    let failed = SetupError::backend(Phase::FixedBase);
    let mut laps = Laps::new(MachineClock::new(), 0);
    let lap = laps.begin(Phase::FixedBase, Lane::Work, backend, timeline);
    let lap = lap.map_err(&failed)?;
    let parameters = exponents.raise(backend, shape, trapdoor, &progress)?;
    lap.map_or(Ok(()), |lap| laps.end(lap)).map_err(&failed)?;
    laps.tell(timeline).map_err(|(_, error)| failed(error))?;
    Ok(parameters)
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
    fn new(shape: &Shape, trapdoor: &Trapdoor, domain: &Domain) -> Result<Self, SetupError> {
        let vanishing = domain.vanishing_at(trapdoor.tau());
        let h = Secret::new(powers(
            trapdoor.tau(),
            vanishing * trapdoor.delta_inv(),
            domain.n() - 1,
        )?);
        let lagrange = Secret::new(lagrange_values(domain, trapdoor.tau())?);
        let (a, (b, c)) = rayon::join(
            || column_sums(shape.a(), &lagrange),
            || {
                rayon::join(
                    || column_sums(shape.b(), &lagrange),
                    || column_sums(shape.c(), &lagrange),
                )
            },
        );
        let [a, b, c] = [a?, b?, c?].map(Secret::new);
        let extended = (0..shape.num_variables())
            .into_par_iter()
            .map(|variable| {
                let divisor_inv = match variable < shape.num_inputs() {
                    true => trapdoor.gamma_inv(),
                    false => trapdoor.delta_inv(),
                };
                (trapdoor.beta() * a[variable] + trapdoor.alpha() * b[variable] + c[variable])
                    * divisor_inv
            })
            .collect();
        Ok(Self {
            h,
            a,
            b,
            extended: Secret::new(extended),
        })
    }

    /// The points of the queries; all queries at once, so that on a machine with memory of its
    /// own copies of one go beside the work of others.
    fn raise<B: SetupBackend>(
        self,
        backend: &B,
        shape: &Shape,
        trapdoor: &Trapdoor,
        progress: &(impl Fn(Progress) + Sync),
    ) -> Result<Parameters, SetupError> {
        let densities = shape.densities();
        let (a, b) = rayon::join(
            || Secret::new(select(&self.a, &densities.a)),
            || Secret::new(select(&self.b, &densities.b)),
        );
        let (ic, l) = self.extended.split_at(shape.num_inputs());
        let in_g1 = [ic, &self.h, l, &a, &b];
        let len = in_g1.iter().map(|exponents| exponents.len()).sum();
        let (g1, g2) = rayon::join(
            || Raise::<G1, B>::new(backend, len),
            || Raise::<G2, B>::new(backend, b.len()),
        );
        let (g1, g2) = (g1?, g2?);
        let counter = Counter::new(len + b.len(), progress);
        let (in_g1, b_g2) = rayon::join(
            || {
                let queries = in_g1.into_par_iter();
                let queries = queries.map(|exponents| g1.query(exponents, &counter));
                queries.collect::<Result<Vec<_>, _>>()
            },
            || g2.query(&b, &counter),
        );
        let [ic, h, l, a, b_g1] = in_g1?.try_into().expect("a query for each");
        Ok(Parameters {
            vk: trapdoor.verifying_key(ic.points().to_vec()),
            h,
            l,
            a,
            b_g1,
            b_g2: b_g2?,
        })
    }
}

/// The generator of a group on a machine.
struct Raise<'b, G: SourceGroup, B: FixedBase<G>> {
    backend: &'b B,
    generator: B::Base,
}

impl<'b, G: SourceGroup, B: FixedBase<G>> Raise<'b, G, B> {
    fn new(backend: &'b B, products: usize) -> Result<Self, SetupError> {
        let generator = backend.prepare_base(&G::Affine::generator(), products);
        Ok(Self {
            backend,
            generator: generator.map_err(SetupError::backend(Phase::FixedBase))?,
        })
    }

    fn query<F: Fn(Progress) + Sync>(
        &self,
        exponents: &[Fr],
        counter: &Counter<'_, F>,
    ) -> Result<Query<G>, SetupError> {
        Query::filled(exponents.len(), &HostAllocator::default(), |points| {
            let done = |points| counter.add(points);
            let made = self
                .backend
                .multiply_base(&self.generator, exponents, points, &done);
            made.map_err(SetupError::backend(Phase::FixedBase))
        })
    }
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
