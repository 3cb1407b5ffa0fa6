//! The device arithmetic, compiled for the host, against the oracle.

use cuzk_curve::{Fp, FpLimbs, Fr, FrLimbs, G1, G1Affine, G1Limbs, G2, G2Affine, G2Limbs};
use cuzk_kernel_host::{Host, check_curves, check_fields, fp_constants, fr_constants};
use ff::{Field as _, PrimeField as _};
use group::prime::PrimeCurveAffine as _;

#[test]
fn fields_agree_with_the_oracle() {
    check_fields(&Host, 10_000);
}

#[test]
fn g1_agrees_with_the_oracle() {
    check_curves::<G1>(&Host, 10_000);
}

#[test]
fn g2_agrees_with_the_oracle() {
    check_curves::<G2>(&Host, 10_000);
}

#[test]
fn the_constants_of_the_scalar_field_are_the_curve_s() {
    let constants = fr_constants();
    assert_eq!(constants.one, FrLimbs::from(Fr::ONE));
    assert_eq!(
        constants.generator,
        FrLimbs::from(Fr::MULTIPLICATIVE_GENERATOR)
    );
    assert_eq!(constants.root_of_unity, FrLimbs::from(Fr::ROOT_OF_UNITY));
    assert!(!constants.modulus.is_reduced());
    let mut below = constants.modulus;
    below.0[0] -= 1;
    assert!(below.is_reduced());
}

#[test]
fn the_constants_of_the_curves_are_theirs() {
    let constants = fp_constants();
    assert_eq!(constants.one, FpLimbs::from(Fp::one()));
    let mut below = constants.modulus;
    assert!(!below.is_reduced());
    below.0[0] -= 1;
    assert!(below.is_reduced());

    let [x, y] = constants.g1_generator;
    assert_eq!(G1Limbs { x, y }, G1Affine::generator().into());
    let [x0, x1, y0, y1] = constants.g2_generator;
    let generator = G2Limbs {
        x: [x0, x1],
        y: [y0, y1],
    };
    assert_eq!(generator, G2Affine::generator().into());

    // b is what the generator's equation leaves.
    let [x, y] = constants.g1_generator.map(Fp::from_limbs_unchecked);
    assert_eq!(FpLimbs::from(y * y - x * x * x), constants.g1_b);
    assert_eq!(constants.g2_b, [constants.g1_b; 2]);
}
