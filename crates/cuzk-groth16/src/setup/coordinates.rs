use std::ops::{Add, Mul, Sub};

use cuzk_curve::{Fp, Fp2, FpLimbs, G1, G1Affine, G1Limbs, G2, G2Affine, G2Limbs, SourceGroup};

/// A field of coordinates.
pub(super) trait Coordinate:
    Copy + PartialEq + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    fn one() -> Self;
    fn square(&self) -> Self;
    fn invert(&self) -> Option<Self>;
}

macro_rules! coordinate {
    ($field:ty) => {
        impl Coordinate for $field {
            fn one() -> Self {
                <$field>::one()
            }

            fn square(&self) -> Self {
                <$field>::square(self)
            }

            fn invert(&self) -> Option<Self> {
                <$field>::invert(self)
            }
        }
    };
}

coordinate!(Fp);
coordinate!(Fp2);

/// A finite point by its coordinates.
#[derive(Clone, Copy)]
pub(super) struct Point<F> {
    pub(super) x: F,
    pub(super) y: F,
}

/// A group whose points can be taken apart and put together.
pub(super) trait Coordinates: SourceGroup {
    type Field: Coordinate;

    /// The coordinates of a finite point.
    fn split(point: &Self::Affine) -> Point<Self::Field>;
    /// The point of these coordinates, which are on the curve.
    fn join(point: &Point<Self::Field>) -> Self::Affine;
}

fn fp(limbs: FpLimbs) -> Fp {
    Fp::try_from(limbs).expect("a point's coordinates are reduced")
}

impl Coordinates for G1 {
    type Field = Fp;

    fn split(point: &G1Affine) -> Point<Fp> {
        let limbs = G1Limbs::from(*point);
        Point {
            x: fp(limbs.x),
            y: fp(limbs.y),
        }
    }

    fn join(point: &Point<Fp>) -> G1Affine {
        let limbs = G1Limbs {
            x: point.x.into(),
            y: point.y.into(),
        };
        Self::from_limbs_unchecked(&[limbs])[0]
    }
}

impl Coordinates for G2 {
    type Field = Fp2;

    fn split(point: &G2Affine) -> Point<Fp2> {
        let limbs = G2Limbs::from(*point);
        let fp2 = |[c0, c1]: [FpLimbs; 2]| Fp2 {
            c0: fp(c0),
            c1: fp(c1),
        };
        Point {
            x: fp2(limbs.x),
            y: fp2(limbs.y),
        }
    }

    fn join(point: &Point<Fp2>) -> G2Affine {
        let limbs = |value: Fp2| [value.c0.into(), value.c1.into()];
        let limbs = G2Limbs {
            x: limbs(point.x),
            y: limbs(point.y),
        };
        Self::from_limbs_unchecked(&[limbs])[0]
    }
}
