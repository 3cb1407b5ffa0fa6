use cuzk_backend::{Msm, SharedBases, WitnessMsm};
use cuzk_curve::{Fr, SourceGroup};
use cuzk_r1cs::Bitmap;
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_core::RngCore;

use crate::{mixed_scalars, random_witness, rng, shape::assert_refused};

/// Points with known logarithms: `points[i] = logs[i]·G`, so that a sum of multiples of any
/// length is checked by one multiplication.
#[derive(Debug, Clone)]
pub struct KnownBases<G: SourceGroup> {
    /// The points.
    pub points: Vec<G::Affine>,
    /// Their logarithms to the generator.
    pub logs: Vec<Fr>,
}

impl<G: SourceGroup> KnownBases<G> {
    /// `len` points, with what breaks additions among them: the identity, equal neighbours, a
    /// point and its negative.
    #[must_use]
    pub fn new(rng: &mut impl RngCore, len: usize) -> Self {
        let [start, step] = [(); 2].map(|()| Fr::random(&mut *rng));
        let generator = G::Projective::generator();
        let (mut point, step_point) = (generator * start, generator * step);
        let mut log = start;
        let mut logs = Vec::with_capacity(len);
        let mut points = Vec::with_capacity(len);
        for i in 0..len {
            let special = if i == 0 { 0 } else { rng.next_u32() % 16 };
            let (next, next_log) = match special {
                1 => (G::Projective::identity(), Fr::ZERO),
                2 => (points[i - 1], logs[i - 1]),
                3 => (-points[i - 1], -logs[i - 1]),
                _ => (point, log),
            };
            points.push(next);
            logs.push(next_log);
            point += step_point;
            log += step;
        }
        let mut affine = vec![G::Affine::identity(); len];
        G::Projective::batch_normalize(&points, &mut affine);
        Self {
            points: affine,
            logs,
        }
    }

    /// `Σ scalars[i] · points[i]`, by the logarithms.
    #[must_use]
    pub fn sum(&self, scalars: &[Fr]) -> G::Projective {
        let log: Fr = self.logs.iter().zip(scalars).map(|(k, s)| k * s).sum();
        G::Projective::generator() * log
    }
}

/// Sums of multiples equal what the logarithms of the points say, for each length and several
/// kinds of scalars; other lengths are refused.
///
/// # Panics
/// Where they do not.
pub fn msm_conformance<G: SourceGroup, B: Msm<G>>(
    backend: &B,
    lens: impl IntoIterator<Item = usize>,
) {
    for len in lens {
        let seed = 4000 + len as u64;
        let mut rng = rng(seed);
        let known = KnownBases::<G>::new(&mut rng, len);
        let bases = backend.prepare(SharedBases::from(known.points.clone()));
        let bases = bases.expect("prepare");
        let bits = |rng: &mut dyn RngCore| Fr::from(u64::from(rng.next_u32() % 2));
        let cases = [
            ("mixed", mixed_scalars(&mut rng, len)),
            ("zeros", vec![Fr::ZERO; len]),
            ("ones", vec![Fr::ONE; len]),
            ("minus ones", vec![-Fr::ONE; len]),
            ("bits", (0..len).map(|_| bits(&mut rng)).collect()),
            ("one value", vec![Fr::random(&mut rng); len]),
        ];
        for (name, scalars) in cases {
            let vector = backend.upload(&scalars).expect("upload");
            let sum = backend.msm(&bases, &vector).expect("equal lengths");
            let sum = sum.wait().expect("sum");
            let context = (G::NAME, len, name, seed);
            assert_eq!(
                sum.to_affine(),
                known.sum(&scalars).to_affine(),
                "{context:?}"
            );
        }
        let longer = backend.upload(&vec![Fr::ONE; len + 1]).expect("upload");
        assert_refused(backend.msm(&bases, &longer), len, len + 1, &G::NAME);
    }
    equal_points::<G, B>(backend);
}

/// All points equal: every addition of a bucket is a doubling.
fn equal_points<G: SourceGroup, B: Msm<G>>(backend: &B) {
    let len = 300;
    let points = vec![G::Affine::generator(); len];
    let scalars = mixed_scalars(&mut rng(5), len);
    let bases = backend.prepare(SharedBases::from(points)).expect("prepare");
    let vector = backend.upload(&scalars).expect("upload");
    let sum = backend.msm(&bases, &vector).expect("equal lengths");
    let expected = G::Projective::generator() * scalars.iter().sum::<Fr>();
    let sum = sum.wait().expect("sum");
    assert_eq!(
        sum.to_affine(),
        expected.to_affine(),
        "{} equal points",
        G::NAME
    );
}

/// The two sums of a split witness equal what the logarithms of the points say, for each
/// number of variables and several selections; other lengths are refused.
///
/// # Panics
/// Where they do not.
pub fn witness_msm_conformance<G: SourceGroup, B: WitnessMsm<G>>(
    backend: &B,
    variables: impl IntoIterator<Item = usize>,
) {
    for variables in variables {
        let seed = 5000 + variables as u64;
        let mut rng = rng(seed);
        let packed = random_witness(&mut rng, 1, variables);
        let values = packed.unpack();
        let witness = backend.upload_witness(&packed).expect("upload");
        let mut some = Bitmap::zeros(variables);
        let mut all = Bitmap::zeros(variables);
        for variable in 0..variables {
            all.set(variable);
            if !rng.next_u32().is_multiple_of(3) {
                some.set(variable);
            }
        }
        for selection in [Bitmap::zeros(variables), some, all] {
            let chosen: Vec<Fr> = selection.ones().map(|j| values[j]).collect();
            let known = KnownBases::<G>::new(&mut rng, chosen.len());
            let context = (G::NAME, variables, chosen.len(), seed);
            let prepared = backend.prepare_selection(&selection).expect("prepare");
            let split = backend.split(&witness, &prepared).expect("equal lengths");
            let bases = |points| backend.prepare(SharedBases::from(points)).expect("prepare");
            let right = bases(known.points.clone());
            let ones = backend.sum_ones(&right, &split).expect("equal lengths");
            let rest = backend.msm_rest(&right, &split).expect("equal lengths");
            let is_one = |keep: bool| {
                move |value: &Fr| {
                    if (*value == Fr::ONE) == keep {
                        *value
                    } else {
                        Fr::ZERO
                    }
                }
            };
            let [only_ones, only_rest]: [Vec<Fr>; 2] =
                [true, false].map(|keep| chosen.iter().map(is_one(keep)).collect());
            let [only_ones, only_rest] = [only_ones, only_rest].map(|scalars| known.sum(&scalars));
            let together = ones.wait().expect("ones");
            // A machine may leave the ones to the sum of the rest.
            let expected = if together == G::Projective::identity() {
                only_ones + only_rest
            } else {
                assert_eq!(together, only_ones, "ones of {context:?}");
                only_rest
            };
            let rest = rest.wait().expect("rest");
            assert_eq!(rest, expected, "rest of {context:?}");
            let longer = bases(vec![G::Affine::generator(); chosen.len() + 1]);
            let len = chosen.len();
            assert_refused(backend.sum_ones(&longer, &split), len, len + 1, &context);
            assert_refused(backend.msm_rest(&longer, &split), len, len + 1, &context);
        }
        let longer = backend.prepare_selection(&Bitmap::zeros(variables + 1));
        let refused = backend.split(&witness, &longer.expect("prepare"));
        assert_refused(refused, variables, variables + 1, &G::NAME);
    }
}
