use std::mem::{align_of, size_of};

use bytemuck::{Pod, Zeroable};

use crate::{Fp, Fp2, Fr, G1Affine, G2Affine, LimbsError};

/// A scalar as a device sees it: Montgomery form x·2^256 mod r, four little-endian 64-bit
/// limbs, 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FrLimbs(pub [u64; 4]);

/// A base-field element as a device sees it: Montgomery form x·2^384 mod p, six
/// little-endian 64-bit limbs, 48 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FpLimbs(pub [u64; 6]);

/// An affine point of G1 as a device sees it: `x | y`, 96 bytes; all zeros is the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct G1Limbs {
    /// The abscissa.
    pub x: FpLimbs,
    /// The ordinate.
    pub y: FpLimbs,
}

/// An affine point of G2 as a device sees it: `x.c0 | x.c1 | y.c0 | y.c1`, 192 bytes; all
/// zeros is the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct G2Limbs {
    /// The abscissa, `c0 + c1·u`.
    pub x: [FpLimbs; 2],
    /// The ordinate, `c0 + c1·u`.
    pub y: [FpLimbs; 2],
}

/// Limbs, lowest first, of the group order r.
const R: [u64; 4] = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// Limbs, lowest first, of the base-field modulus p.
const P: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

fn is_below(value: &[u64], modulus: &[u64]) -> bool {
    value.iter().rev().lt(modulus.iter().rev())
}

const fn same_layout<A, B>() -> bool {
    size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()
}

/// A zero-copy view between two types that [`same_layout`] holds equal; both are plain
/// integers in memory for which every bit pattern is a value.
macro_rules! views {
    ($limbs:ty, $value:ty) => {
        const _: () = assert!(same_layout::<$limbs, $value>());

        impl $limbs {
            /// The same values as plain data; costs nothing.
            #[must_use]
            pub fn view(values: &[$value]) -> &[$limbs] {
                // SAFETY: the value is `repr(transparent)` over a `repr(C)` struct of `u64`
                // limbs; size and alignment are asserted equal above.
                unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
            }

            pub(crate) fn points_unchecked(limbs: &[$limbs]) -> &[$value] {
                // SAFETY: as above, and every bit pattern of the integers is a valid value
                // of the type.
                unsafe { std::slice::from_raw_parts(limbs.as_ptr().cast(), limbs.len()) }
            }
        }

        impl From<$value> for $limbs {
            fn from(value: $value) -> Self {
                Self::view(std::slice::from_ref(&value))[0]
            }
        }
    };
}

views!(FrLimbs, Fr);
views!(G1Limbs, G1Affine);
views!(G2Limbs, G2Affine);

impl FrLimbs {
    /// Whether the limbs are below r.
    #[must_use]
    pub fn is_reduced(&self) -> bool {
        is_below(&self.0, &R)
    }

    /// Plain data as scalars, without a copy.
    ///
    /// # Errors
    /// [`LimbsError`] with the index of the first element that is not below r.
    pub fn scalars(limbs: &[Self]) -> Result<&[Fr], LimbsError> {
        match limbs.iter().position(|l| !l.is_reduced()) {
            Some(index) => Err(LimbsError { index, field: "Fr" }),
            None => Ok(Self::points_unchecked(limbs)),
        }
    }
}

impl FpLimbs {
    /// Whether the limbs are below p.
    #[must_use]
    pub fn is_reduced(&self) -> bool {
        is_below(&self.0, &P)
    }
}

impl G1Limbs {
    pub(crate) fn finite(x: Fp, y: Fp) -> G1Affine {
        let limbs = Self {
            x: x.into(),
            y: y.into(),
        };
        Self::points_unchecked(&[limbs])[0]
    }

    /// Whether both coordinates are below p.
    #[must_use]
    pub fn is_reduced(&self) -> bool {
        self.x.is_reduced() && self.y.is_reduced()
    }
}

impl G2Limbs {
    pub(crate) fn finite(x: Fp2, y: Fp2) -> G2Affine {
        let limbs = Self {
            x: [x.c0.into(), x.c1.into()],
            y: [y.c0.into(), y.c1.into()],
        };
        Self::points_unchecked(&[limbs])[0]
    }

    /// Whether all four coordinates are below p.
    #[must_use]
    pub fn is_reduced(&self) -> bool {
        self.x.iter().chain(&self.y).all(FpLimbs::is_reduced)
    }
}

impl TryFrom<FrLimbs> for Fr {
    type Error = LimbsError;

    fn try_from(limbs: FrLimbs) -> Result<Self, LimbsError> {
        FrLimbs::scalars(&[limbs]).map(|values| values[0])
    }
}

#[cfg(test)]
mod tests {
    use ff::Field;
    use group::{Curve, Group};

    use super::*;
    use crate::{Fp, G1, G1Projective, G2, G2Projective, SourceGroup};

    #[test]
    fn sizes_are_those_of_the_device() {
        assert_eq!(size_of::<FrLimbs>(), 32);
        assert_eq!(size_of::<FpLimbs>(), 48);
        assert_eq!(size_of::<G1Limbs>(), 96);
        assert_eq!(size_of::<G2Limbs>(), 192);
    }

    #[test]
    fn one_is_two_to_the_256_mod_r() {
        let one = FrLimbs::from(Fr::ONE);
        assert_eq!(
            one.0,
            [
                0x0000_0001_ffff_fffe,
                0x5884_b7fa_0003_4802,
                0x998c_4fef_ecbc_4ff5,
                0x1824_b159_acc5_056f
            ]
        );
        assert_eq!(Fr::try_from(one), Ok(Fr::ONE));
    }

    #[test]
    fn the_modulus_itself_is_refused_and_one_less_is_taken() {
        assert!(Fr::try_from(FrLimbs(R)).is_err());
        assert!(Fp::try_from(FpLimbs(P)).is_err());
        let mut below = R;
        below[0] -= 1;
        assert!(Fr::try_from(FrLimbs(below)).is_ok());
        let mut below = P;
        below[0] -= 1;
        assert!(Fp::try_from(FpLimbs(below)).is_ok());
        assert!(Fr::try_from(FrLimbs([u64::MAX; 4])).is_err());
    }

    #[test]
    fn refused_slices_name_the_first_bad_element() {
        let refused =
            FrLimbs::scalars(&[FrLimbs([0; 4]), FrLimbs(R)]).expect_err("r is not reduced");
        assert_eq!(
            refused,
            LimbsError {
                index: 1,
                field: "Fr"
            }
        );
        let point = G1Limbs {
            y: FpLimbs(P),
            ..G1Limbs::default()
        };
        assert_eq!(
            G1::from_limbs(&[point])
                .expect_err("p is not reduced")
                .index,
            0
        );
    }

    #[test]
    fn points_keep_their_coordinates() {
        let g1 = (G1Projective::generator() * Fr::from(12345)).to_affine();
        let limbs = G1::as_limbs(std::slice::from_ref(&g1));
        let bytes = |x: FpLimbs| Fp::try_from(x).expect("reduced").to_bytes_be();
        assert_eq!(bytes(limbs[0].x), g1.x().to_bytes_be());
        assert_eq!(bytes(limbs[0].y), g1.y().to_bytes_be());
        assert_eq!(G1::from_limbs(limbs).expect("reduced"), &[g1]);

        let g2 = (G2Projective::generator() * Fr::from(54321)).to_affine();
        let limbs = G2::as_limbs(std::slice::from_ref(&g2));
        assert_eq!(bytes(limbs[0].x[1]), g2.x().c1().to_bytes_be());
        assert_eq!(bytes(limbs[0].y[0]), g2.y().c0().to_bytes_be());
        assert_eq!(G2::from_limbs(limbs).expect("reduced"), &[g2]);
    }

    #[test]
    fn the_identity_is_all_zeros() {
        use group::prime::PrimeCurveAffine;
        assert_eq!(G1Limbs::from(G1Affine::identity()), G1Limbs::default());
        assert_eq!(G2Limbs::from(G2Affine::identity()), G2Limbs::default());
        assert_eq!(
            G1::from_limbs(&[G1Limbs::default()]).expect("reduced")[0],
            G1Affine::identity()
        );
    }
}
