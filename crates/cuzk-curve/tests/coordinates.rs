//! `Fp` and `Fp2` against the coordinates of points, which `blstrs` computes.

use cuzk_curve::{Fp, Fp2, G1, G1Projective, G2, G2Projective, SourceGroup};
use group::{Curve, Group};
use rand_core::OsRng;

#[test]
fn points_of_g1_satisfy_the_curve_equation_in_our_arithmetic() {
    for _ in 0..50 {
        let point = G1Projective::random(OsRng).to_affine();
        let limbs = G1::as_limbs(std::slice::from_ref(&point))[0];
        let x = Fp::try_from(limbs.x).expect("reduced");
        let y = Fp::try_from(limbs.y).expect("reduced");
        let two = Fp::one() + Fp::one();
        assert_eq!(y.square(), x.square() * x + two.square());
        assert_eq!(x.invert().map(|inv| inv * x), Some(Fp::one()));
    }
}

#[test]
fn points_of_g2_satisfy_the_curve_equation_in_our_arithmetic() {
    for _ in 0..50 {
        let point = G2Projective::random(OsRng).to_affine();
        let limbs = G2::as_limbs(std::slice::from_ref(&point))[0];
        let coordinate = |c: [cuzk_curve::FpLimbs; 2]| Fp2 {
            c0: Fp::try_from(c[0]).expect("reduced"),
            c1: Fp::try_from(c[1]).expect("reduced"),
        };
        let (x, y) = (coordinate(limbs.x), coordinate(limbs.y));
        let four = (Fp::one() + Fp::one()).square();
        let b = Fp2 { c0: four, c1: four };
        assert_eq!(y.square(), x * x * x + b);
        assert_eq!(x.invert().map(|inv| inv * x), Some(Fp2::one()));
    }
}
