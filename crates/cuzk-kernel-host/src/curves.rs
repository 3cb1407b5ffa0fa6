use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

use bytemuck::{Pod, Zeroable as _};
use cuzk_curve::{Fp, Fp2, FpLimbs, Fr, G1, G1Limbs, G2, G2Limbs, SourceGroup};
use group::prime::PrimeCurveAffine as _;
use group::{Curve as _, Group as _};
use num_bigint::BigUint;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore as _, SeedableRng as _},
};

use crate::machine::{Machine, binary, unary};
use crate::values::{SEED, random_below};

/// Checks every operation of the group on `cases` random pairs of points and all exceptional
/// pairs: equal, opposite, either or both the identity.
///
/// # Panics
/// At the first result that differs from the oracle's, naming the operation and the pair.
pub fn check_curves<G: CurveCases>(machine: &dyn Machine, cases: usize) {
    let cases = Cases::<G>::new(cases);
    let name = |verb: &str| format!("{verb}_{}", G::SUFFIX);

    let left: Vec<G::Xyzz> = cases.pairs.iter().map(|pair| pair.left_xyzz).collect();
    let right: Vec<G::Xyzz> = cases.pairs.iter().map(|pair| pair.right_xyzz).collect();
    let right_affine: Vec<G::Limbs> = cases
        .pairs
        .iter()
        .map(|pair| G::as_limbs(&[pair.right])[0])
        .collect();

    let sums = cases.normalized(|pair| pair.left.to_curve() + pair.right);
    cases.check(
        &name("add_mixed"),
        &binary(machine, &name("add_mixed"), &left, &right_affine),
        &sums,
    );
    cases.check(
        &name("add"),
        &binary(machine, &name("add"), &left, &right),
        &sums,
    );
    let doubles = cases.normalized(|pair| pair.left.to_curve().double());
    cases.check(
        &name("double"),
        &unary(machine, &name("double"), &left),
        &doubles,
    );

    let affine: Vec<G::Limbs> = unary(machine, &name("to_affine"), &left);
    let jacobian: Vec<G::Jacobian> = unary(machine, &name("to_jacobian"), &left);
    for (i, pair) in cases.pairs.iter().enumerate() {
        let expected = G::as_limbs(&[pair.left])[0];
        assert_eq!(affine[i], expected, "{} of pair {i}", name("to_affine"));
        let [x, y, z] = G::jacobian(&jacobian[i]);
        let (square, cube) = (z * z, z * z * z);
        let [ax, ay] = G::coordinates(&expected);
        let right = if expected == G::Limbs::zeroed() {
            z == G::zero()
        } else {
            z != G::zero() && x == ax * square && y == ay * cube
        };
        assert!(right, "{} of pair {i}: {pair:?}", name("to_jacobian"));
    }
}

/// Whether XYZZ coordinates are well-formed and those of this point, of which the identity is all
/// zeros.
#[must_use]
pub fn represents<G: CurveCases>(xyzz: &G::Xyzz, point: &G::Limbs) -> bool {
    let [x, y, zz, zzz] = G::from_xyzz(xyzz);
    if *point == G::Limbs::zeroed() {
        return zz == G::zero() && zzz == G::zero();
    }
    let [ax, ay] = G::coordinates(point);
    let well_formed = zz != G::zero() && zz * zz * zz == zzz * zzz;
    well_formed && x == ax * zz && y == ay * zzz
}

/// What the suite asks of a group besides its oracle: coordinates and their plain data.
pub trait CurveCases: SourceGroup {
    /// The field of the coordinates.
    type Field: Copy
        + PartialEq
        + Debug
        + Add<Output = Self::Field>
        + Sub<Output = Self::Field>
        + Mul<Output = Self::Field>
        + Neg<Output = Self::Field>;
    /// A point in XYZZ coordinates as plain data: `x | y | zz | zzz`.
    type Xyzz: Pod + Debug;
    /// A point in Jacobian coordinates as plain data: `x | y | z`.
    type Jacobian: Pod + Debug;
    /// The last part of an operation's name.
    const SUFFIX: &'static str;

    /// 0.
    fn zero() -> Self::Field;
    /// A random element other than 0, from a source of random numbers below p.
    fn random(next: &mut dyn FnMut() -> Fp) -> Self::Field;
    /// `x`, `y` of an affine point.
    fn coordinates(point: &Self::Limbs) -> [Self::Field; 2];
    /// Plain data of four coordinates.
    fn xyzz(coordinates: [Self::Field; 4]) -> Self::Xyzz;
    /// The four coordinates.
    fn from_xyzz(point: &Self::Xyzz) -> [Self::Field; 4];
    /// The three coordinates.
    fn jacobian(point: &Self::Jacobian) -> [Self::Field; 3];
}

impl CurveCases for G1 {
    type Field = Fp;
    type Xyzz = [FpLimbs; 4];
    type Jacobian = [FpLimbs; 3];
    const SUFFIX: &'static str = "g1";

    fn zero() -> Fp {
        Fp::ZERO
    }
    fn random(next: &mut dyn FnMut() -> Fp) -> Fp {
        next()
    }
    fn coordinates(point: &G1Limbs) -> [Fp; 2] {
        [point.x, point.y].map(Fp::from_limbs_unchecked)
    }
    fn xyzz(coordinates: [Fp; 4]) -> [FpLimbs; 4] {
        coordinates.map(FpLimbs::from)
    }
    fn from_xyzz(point: &[FpLimbs; 4]) -> [Fp; 4] {
        point.map(Fp::from_limbs_unchecked)
    }
    fn jacobian(point: &[FpLimbs; 3]) -> [Fp; 3] {
        point.map(Fp::from_limbs_unchecked)
    }
}

fn fp2([c0, c1]: [FpLimbs; 2]) -> Fp2 {
    Fp2 {
        c0: Fp::from_limbs_unchecked(c0),
        c1: Fp::from_limbs_unchecked(c1),
    }
}

impl CurveCases for G2 {
    type Field = Fp2;
    type Xyzz = [[FpLimbs; 2]; 4];
    type Jacobian = [[FpLimbs; 2]; 3];
    const SUFFIX: &'static str = "g2";

    fn zero() -> Fp2 {
        Fp2::ZERO
    }
    fn random(next: &mut dyn FnMut() -> Fp) -> Fp2 {
        Fp2 {
            c0: next(),
            c1: next(),
        }
    }
    fn coordinates(point: &G2Limbs) -> [Fp2; 2] {
        [point.x, point.y].map(fp2)
    }
    fn xyzz(coordinates: [Fp2; 4]) -> [[FpLimbs; 2]; 4] {
        coordinates.map(|c| [c.c0.into(), c.c1.into()])
    }
    fn from_xyzz(point: &[[FpLimbs; 2]; 4]) -> [Fp2; 4] {
        point.map(fp2)
    }
    fn jacobian(point: &[[FpLimbs; 2]; 3]) -> [Fp2; 3] {
        point.map(fp2)
    }
}

/// Two points, and the same scaled by random factors.
#[derive(Debug, Clone, Copy)]
struct Pair<G: CurveCases> {
    left: G::Affine,
    right: G::Affine,
    left_xyzz: G::Xyzz,
    right_xyzz: G::Xyzz,
}

struct Cases<G: CurveCases> {
    pairs: Vec<Pair<G>>,
}

/// Distinct random points from which the pairs are drawn.
const POINTS: usize = 64;

impl<G: CurveCases> Cases<G> {
    fn new(cases: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED + 4);
        let points: Vec<G::Affine> = (0..POINTS)
            .map(|_| (G::Projective::generator() * Fr::from(rng.next_u64())).to_affine())
            .collect();
        let identity = G::Affine::identity();
        let mut pairs = Vec::new();
        for point in points
            .iter()
            .take(16)
            .copied()
            .chain([G::Affine::generator()])
        {
            let opposite = -point;
            let others = [point, opposite, identity, points[POINTS - 1]];
            pairs.extend(others.map(|other| (point, other)));
            pairs.push((identity, point));
        }
        pairs.push((identity, identity));
        pairs.extend((0..cases).map(|_| {
            let mut draw = || points[rng.next_u32() as usize % POINTS];
            (draw(), draw())
        }));
        let p = BigUint::from_bytes_be(&(-Fp::one()).to_bytes_be());
        let mut next = || {
            let mut bytes = (random_below(&mut rng, &p) + 1u32).to_bytes_be();
            bytes.splice(0..0, vec![0; 48 - bytes.len()]);
            let bytes = bytes.try_into().expect("48 bytes");
            Fp::from_bytes_be(&bytes).expect("the number is below the modulus")
        };
        let pairs = pairs.into_iter().map(|(left, right)| Pair {
            left,
            right,
            left_xyzz: scaled::<G>(&left, &mut next),
            right_xyzz: scaled::<G>(&right, &mut next),
        });
        Self {
            pairs: pairs.collect(),
        }
    }

    fn normalized(&self, of: impl Fn(&Pair<G>) -> G::Projective) -> Vec<G::Limbs> {
        let points: Vec<G::Projective> = self.pairs.iter().map(of).collect();
        let mut affine = vec![G::Affine::identity(); points.len()];
        G::Projective::batch_normalize(&points, &mut affine);
        G::as_limbs(&affine).to_vec()
    }

    /// Whether every result is the expected point, in well-formed XYZZ coordinates.
    fn check(&self, name: &str, results: &[G::Xyzz], expected: &[G::Limbs]) {
        for (i, (result, expected)) in results.iter().zip(expected).enumerate() {
            assert!(
                represents::<G>(result, expected),
                "{name} of pair {i}: {:?} gave {result:x?}",
                self.pairs[i]
            );
        }
    }
}

/// The point over a random z; for the identity, two arbitrary coordinates over zero.
fn scaled<G: CurveCases>(point: &G::Affine, next: &mut dyn FnMut() -> Fp) -> G::Xyzz {
    let z = G::random(next);
    if bool::from(point.is_identity()) {
        return G::xyzz([z, z * z, G::zero(), G::zero()]);
    }
    let [x, y] = G::coordinates(&G::as_limbs(&[*point])[0]);
    let (square, cube) = (z * z, z * z * z);
    G::xyzz([x * square, y * cube, square, cube])
}
