use std::ops::{Add, Mul, Neg, Sub};

use ark_ff::{BigInteger, PrimeField as _};
use ff::PrimeField as _;

/// The scalar field of BLS12-381 as a circuit needs it, whichever library holds it.
pub(crate) trait Scalar:
    Copy
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    const ZERO: Self;
    const ONE: Self;

    fn from_bit(bit: bool) -> Self {
        if bit { Self::ONE } else { Self::ZERO }
    }

    /// From 32 little-endian bytes, which must be below the modulus.
    fn from_le_bytes(bytes: [u8; 32]) -> Self;

    /// The 32 little-endian bytes.
    fn to_le_bytes(self) -> [u8; 32];

    /// One scalar after another, from another library's.
    fn from_other<S: Scalar>(other: S) -> Self {
        Self::from_le_bytes(other.to_le_bytes())
    }
}

macro_rules! zkcrypto_scalar {
    ($($scalar:ty),*) => {$(
        impl Scalar for $scalar {
            const ZERO: Self = <$scalar as ff::Field>::ZERO;
            const ONE: Self = <$scalar as ff::Field>::ONE;

            fn from_le_bytes(bytes: [u8; 32]) -> Self {
                <$scalar>::from_repr(bytes)
                    .into_option()
                    .expect("the bytes stand for a scalar")
            }

            fn to_le_bytes(self) -> [u8; 32] {
                self.to_repr()
            }
        }
    )*};
}

zkcrypto_scalar!(bls12_381::Scalar, blstrs::Scalar);

impl Scalar for ark_bls12_381::Fr {
    const ZERO: Self = ark_ff::AdditiveGroup::ZERO;
    const ONE: Self = ark_ff::Field::ONE;

    fn from_le_bytes(bytes: [u8; 32]) -> Self {
        let limbs =
            std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|k| bytes[8 * i + k])));
        Self::from_bigint(ark_ff::BigInt::new(limbs)).expect("the bytes stand for a scalar")
    }

    fn to_le_bytes(self) -> [u8; 32] {
        let bytes = self.into_bigint().to_bytes_le();
        std::array::from_fn(|i| bytes[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<S: Scalar>() {
        let minus_one = -S::ONE;
        assert!(S::from_le_bytes(minus_one.to_le_bytes()) == minus_one);
        assert_eq!(
            minus_one.to_le_bytes(),
            (-blstrs::Scalar::ONE).to_le_bytes()
        );
        assert!(S::from_le_bytes(S::ONE.to_le_bytes()) == S::ONE);
        assert!(S::from_bit(false) + S::ONE == S::ONE);
    }

    #[test]
    fn the_three_libraries_agree_on_bytes() {
        round_trip::<bls12_381::Scalar>();
        round_trip::<blstrs::Scalar>();
        round_trip::<ark_bls12_381::Fr>();
    }
}
