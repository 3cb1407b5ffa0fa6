use std::ops::{Add, Mul, Neg, Sub};

use bytemuck::Zeroable;

use crate::FpLimbs;

/// An element of the base field of order p, 381 bits.
///
/// `blstrs` keeps its own private, so this is a thin type over the same `blst` arithmetic;
/// the limbs are those of [`FpLimbs`], always reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Fp(FpLimbs);

/// An element `c0 + c1·u` of the quadratic extension, u² = −1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Fp2 {
    /// The coefficient of 1.
    pub c0: Fp,
    /// The coefficient of u.
    pub c1: Fp,
}

/// Applies a `blst` function of the shape `f(out, inputs…)`.
macro_rules! blst_call {
    ($function:ident $(, $input:expr)*) => {{
        let mut out = blst::blst_fp { l: [0; 6] };
        // SAFETY: the pointers are to live values of the types the function expects, and it
        // writes one element.
        unsafe { blst::$function(&raw mut out $(, $input)*) };
        Fp(FpLimbs(out.l))
    }};
}

impl Fp {
    /// The additive identity.
    pub const ZERO: Self = Self(FpLimbs([0; 6]));

    /// The multiplicative identity.
    #[must_use]
    pub fn one() -> Self {
        let mut bytes = [0; 48];
        bytes[47] = 1;
        Self::from_bytes_be(&bytes).expect("one is below the modulus")
    }

    fn raw(&self) -> blst::blst_fp {
        blst::blst_fp { l: self.0.0 }
    }

    /// The element with the given limbs in Montgomery form, without a check.
    ///
    /// # Correctness
    /// The limbs are below p. Other limbs give wrong results, never undefined behaviour.
    #[must_use]
    pub const fn from_limbs_unchecked(limbs: FpLimbs) -> Self {
        Self(limbs)
    }

    /// An element from 48 big-endian bytes, or `None` at or above p.
    #[must_use]
    pub fn from_bytes_be(bytes: &[u8; 48]) -> Option<Self> {
        let mut canonical = FpLimbs::zeroed();
        for (limb, chunk) in canonical.0.iter_mut().zip(bytes.rchunks_exact(8)) {
            *limb = u64::from_be_bytes(chunk.try_into().expect("chunks of eight bytes"));
        }
        canonical
            .is_reduced()
            .then(|| blst_call!(blst_fp_from_bendian, bytes.as_ptr()))
    }

    /// The 48 big-endian bytes, out of Montgomery form.
    #[must_use]
    pub fn to_bytes_be(&self) -> [u8; 48] {
        let mut bytes = [0; 48];
        // SAFETY: the function reads one element and writes 48 bytes.
        unsafe { blst::blst_bendian_from_fp(bytes.as_mut_ptr(), &self.raw()) };
        bytes
    }

    /// x².
    #[must_use]
    pub fn square(&self) -> Self {
        blst_call!(blst_fp_sqr, &self.raw())
    }

    /// x⁻¹, or `None` for zero.
    #[must_use]
    pub fn invert(&self) -> Option<Self> {
        (*self != Self::ZERO).then(|| blst_call!(blst_fp_eucl_inverse, &self.raw()))
    }
}

impl From<Fp> for FpLimbs {
    fn from(value: Fp) -> Self {
        value.0
    }
}

impl TryFrom<FpLimbs> for Fp {
    type Error = crate::LimbsError;

    fn try_from(limbs: FpLimbs) -> Result<Self, Self::Error> {
        if limbs.is_reduced() {
            Ok(Self(limbs))
        } else {
            Err(crate::LimbsError {
                index: 0,
                field: "Fp",
            })
        }
    }
}

macro_rules! fp_operator {
    ($trait:ident, $method:ident, $function:ident) => {
        impl $trait for Fp {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                blst_call!($function, &self.raw(), &other.raw())
            }
        }
    };
}

fp_operator!(Add, add, blst_fp_add);
fp_operator!(Sub, sub, blst_fp_sub);
fp_operator!(Mul, mul, blst_fp_mul);

impl Neg for Fp {
    type Output = Self;

    fn neg(self) -> Self {
        blst_call!(blst_fp_cneg, &self.raw(), true)
    }
}

impl Fp2 {
    /// The additive identity.
    pub const ZERO: Self = Self {
        c0: Fp::ZERO,
        c1: Fp::ZERO,
    };

    /// The multiplicative identity.
    #[must_use]
    pub fn one() -> Self {
        Self {
            c0: Fp::one(),
            c1: Fp::ZERO,
        }
    }

    /// x² = (c0 + c1)(c0 − c1) + 2·c0·c1·u.
    #[must_use]
    pub fn square(&self) -> Self {
        let product = self.c0 * self.c1;
        Self {
            c0: (self.c0 + self.c1) * (self.c0 - self.c1),
            c1: product + product,
        }
    }

    /// x⁻¹ by the norm c0² + c1², or `None` for zero.
    #[must_use]
    pub fn invert(&self) -> Option<Self> {
        let norm_inv = (self.c0.square() + self.c1.square()).invert()?;
        Some(Self {
            c0: self.c0 * norm_inv,
            c1: -(self.c1 * norm_inv),
        })
    }
}

impl Add for Fp2 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            c0: self.c0 + other.c0,
            c1: self.c1 + other.c1,
        }
    }
}

impl Sub for Fp2 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            c0: self.c0 - other.c0,
            c1: self.c1 - other.c1,
        }
    }
}

impl Mul for Fp2 {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let low = self.c0 * other.c0;
        let high = self.c1 * other.c1;
        let cross = (self.c0 + self.c1) * (other.c0 + other.c1);
        Self {
            c0: low - high,
            c1: cross - low - high,
        }
    }
}

impl Neg for Fp2 {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            c0: -self.c0,
            c1: -self.c1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(value: u8) -> Fp {
        let mut bytes = [0; 48];
        bytes[47] = value;
        Fp::from_bytes_be(&bytes).expect("small values are canonical")
    }

    #[test]
    fn small_products_and_sums_are_those_of_the_integers() {
        assert_eq!(small(7) * small(9), small(63));
        assert_eq!(small(7) + small(9), small(16));
        assert_eq!(small(9) - small(7), small(2));
        assert_eq!(small(7) - small(9), -small(2));
        assert_eq!(small(12).square(), small(144));
        assert_eq!(small(12).to_bytes_be()[47], 12);
    }

    #[test]
    fn inverses_undo_products_and_zero_has_none() {
        assert_eq!(small(5).invert().map(|x| x * small(5)), Some(Fp::one()));
        assert_eq!(Fp::ZERO.invert(), None);
        let x = Fp2 {
            c0: small(3),
            c1: small(11),
        };
        assert_eq!(x.invert().map(|y| y * x), Some(Fp2::one()));
        assert_eq!(Fp2::ZERO.invert(), None);
        assert_eq!(x.square(), x * x);
    }

    #[test]
    fn u_squared_is_minus_one() {
        let u = Fp2 {
            c0: Fp::ZERO,
            c1: Fp::one(),
        };
        assert_eq!(u * u, -Fp2::one());
        assert_eq!(-Fp::ZERO, Fp::ZERO);
    }
}
