//! From XYZZ to affine coordinates on the host, with one inversion for all points.

use std::ops::Mul;

use bytemuck::Zeroable as _;
use cuzk_curve::{Fp, Fp2, FpLimbs, G1, G1Limbs, G2, G2Limbs, SourceGroup};

use crate::group::{G1Xyzz, G2Xyzz};

/// What the conversion asks of a coordinate field.
trait Field: Copy + PartialEq + Mul<Output = Self> {
    fn zero() -> Self;
    fn one() -> Self;
    fn invert(&self) -> Option<Self>;
}

impl Field for Fp {
    fn zero() -> Self {
        Self::ZERO
    }
    fn one() -> Self {
        Self::one()
    }
    fn invert(&self) -> Option<Self> {
        self.invert()
    }
}

impl Field for Fp2 {
    fn zero() -> Self {
        Self::ZERO
    }
    fn one() -> Self {
        Self::one()
    }
    fn invert(&self) -> Option<Self> {
        self.invert()
    }
}

/// Points of G1 in affine coordinates.
pub(crate) fn g1(points: &[G1Xyzz]) -> Vec<<G1 as SourceGroup>::Affine> {
    let coordinates = points.iter().map(|p| p.0.map(Fp::from_limbs_unchecked));
    let limbs = affine(coordinates).map(|point| match point {
        Some([x, y]) => G1Limbs {
            x: x.into(),
            y: y.into(),
        },
        None => G1Limbs::zeroed(),
    });
    G1::from_limbs_unchecked(&limbs.collect::<Vec<_>>()).to_vec()
}

/// Points of G2 in affine coordinates.
pub(crate) fn g2(points: &[G2Xyzz]) -> Vec<<G2 as SourceGroup>::Affine> {
    let field = |limbs: [FpLimbs; 2]| {
        let [c0, c1] = limbs.map(Fp::from_limbs_unchecked);
        Fp2 { c0, c1 }
    };
    let coordinates = points.iter().map(|p| p.0.map(field));
    let limbs = affine(coordinates).map(|point| match point {
        Some(xy) => {
            let [x, y] = xy.map(|c| [c.c0.into(), c.c1.into()]);
            G2Limbs { x, y }
        }
        None => G2Limbs::zeroed(),
    });
    G2::from_limbs_unchecked(&limbs.collect::<Vec<_>>()).to_vec()
}

/// x = X / ZZ and y = Y / ZZZ; nothing for the identity.
///
/// 1 / ZZ is (ZZ / ZZZ)², since ZZ³ = ZZZ².
///
/// # Source
/// Simultaneous inversion: `[Montgomery87]`.
fn affine<F: Field>(points: impl Iterator<Item = [F; 4]>) -> impl Iterator<Item = Option<[F; 2]>> {
    let points: Vec<[F; 4]> = points.collect();
    let divisor = |point: &[F; 4]| match point[3] == F::zero() {
        true => F::one(),
        false => point[3],
    };
    let mut product = F::one();
    let before: Vec<F> = points
        .iter()
        .map(|point| {
            let before = product;
            product = product * divisor(point);
            before
        })
        .collect();
    let mut inverse = product.invert().expect("no divisor is zero");
    let mut results = vec![None; points.len()];
    for (i, point) in points.iter().enumerate().rev() {
        let over_zzz = inverse * before[i];
        inverse = inverse * divisor(point);
        let [x, y, zz, _] = *point;
        if zz != F::zero() {
            let over_z = over_zzz * zz;
            results[i] = Some([x * over_z * over_z, y * over_zzz]);
        }
    }
    results.into_iter()
}

#[cfg(test)]
mod tests {
    use ff::Field as _;
    use group::prime::PrimeCurveAffine as _;
    use group::{Curve as _, Group as _};

    use super::*;
    use crate::group::DeviceGroup;
    use crate::twin::{TestGroup, points, rng, scaled};

    fn scaled_points_come_back<G: TestGroup>() {
        let mut rng = rng(3);
        let mut multiples: Vec<cuzk_curve::Fr> = (0..9).map(cuzk_curve::Fr::from).collect();
        multiples.push(-cuzk_curve::Fr::ONE);
        multiples.push(cuzk_curve::Fr::ZERO);
        let limbs = points::<G>(&multiples);
        let affine = <G as DeviceGroup>::normalize(&scaled::<G>(&limbs, &mut rng));
        assert_eq!(G::as_limbs(&affine), limbs);
        for (point, multiple) in affine.iter().zip(multiples) {
            let expected = (G::Projective::generator() * multiple).to_affine();
            assert!(
                *point == expected && bool::from(point.is_identity()) == multiple.is_zero_vartime()
            );
        }
        assert!(<G as DeviceGroup>::normalize(&[]).is_empty());
    }

    #[test]
    fn points_over_random_coordinates_come_back_and_so_does_the_identity() {
        scaled_points_come_back::<G1>();
        scaled_points_come_back::<G2>();
    }
}
