use std::fmt::Debug;

use bytemuck::Pod;
use group::prime::{PrimeCurve, PrimeCurveAffine};

use crate::{
    Fp, Fp2, Fr, G1Affine, G1Limbs, G1Projective, G2Affine, G2Limbs, G2Projective, LimbsError,
    PointCheck, PointError,
    encoding::{Flagged, read_flags},
};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::G1 {}
    impl Sealed for super::G2 {}
}

/// One of the two source groups of the pairing: what a multi-scalar multiplication is
/// generic over.
///
/// Implemented by the markers [`G1`] and [`G2`] alone.
pub trait SourceGroup: sealed::Sealed + Copy + Debug + Default + Send + Sync + 'static {
    /// A point in affine coordinates.
    type Affine: PrimeCurveAffine<Curve = Self::Projective, Scalar = Fr> + Send + Sync;
    /// A point in projective coordinates.
    type Projective: PrimeCurve<Affine = Self::Affine, Scalar = Fr> + Send + Sync;
    /// The affine point as plain data, see [`G1Limbs`] and [`G2Limbs`].
    type Limbs: Pod + Debug + PartialEq + Send + Sync;

    /// `"G1"` or `"G2"`.
    const NAME: &'static str;
    /// Bytes of the uncompressed encoding: 96 or 192.
    const UNCOMPRESSED_BYTES: usize;
    /// Bytes of the compressed encoding: 48 or 96.
    const COMPRESSED_BYTES: usize;

    /// The same points as plain data; costs nothing.
    fn as_limbs(points: &[Self::Affine]) -> &[Self::Limbs];

    /// Plain data as points, without a copy.
    ///
    /// # Errors
    /// [`LimbsError`] with the index of the first coordinate that is not reduced. The curve
    /// equation is not checked: see [`SourceGroup::is_on_curve`].
    fn from_limbs(limbs: &[Self::Limbs]) -> Result<&[Self::Affine], LimbsError>;

    /// Plain data as points, without a copy and without a check.
    ///
    /// # Correctness
    /// Every coordinate is below the modulus. Other limbs give wrong sums, never undefined
    /// behaviour.
    fn from_limbs_unchecked(limbs: &[Self::Limbs]) -> &[Self::Affine];

    /// Whether the point is the identity or satisfies the curve equation.
    fn is_on_curve(point: &Self::Affine) -> bool;

    /// Whether a point of the curve lies in the subgroup of prime order.
    ///
    /// # Source
    /// Endomorphism test of `[Scott2021]` §4 and §5, as `blst` has it.
    fn is_in_subgroup(point: &Self::Affine) -> bool;

    /// Decodes an uncompressed point: big-endian `x | y`, in G2 each with `c1` before `c0`.
    ///
    /// # Errors
    /// [`PointError`] for the first rule broken.
    fn decode_uncompressed(bytes: &[u8], check: PointCheck) -> Result<Self::Affine, PointError>;

    /// Decodes a compressed point.
    ///
    /// Decompression solves the curve equation, so [`PointCheck::Encoding`] and
    /// [`PointCheck::OnCurve`] are the same here.
    ///
    /// # Errors
    /// [`PointError`] for the first rule broken.
    fn decode_compressed(bytes: &[u8], check: PointCheck) -> Result<Self::Affine, PointError>;

    /// Appends the uncompressed encoding.
    fn encode_uncompressed(point: &Self::Affine, out: &mut Vec<u8>);

    /// Appends the compressed encoding.
    fn encode_compressed(point: &Self::Affine, out: &mut Vec<u8>);
}

/// The group of points over the base field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct G1;

/// The group of points over the quadratic extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct G2;

fn fp_from_be(bytes: &[u8]) -> Result<Fp, PointError> {
    let bytes: &[u8; 48] = bytes.try_into().expect("the caller slices 48 bytes");
    Fp::from_bytes_be(bytes).ok_or(PointError::CoordinateNotCanonical)
}

fn fp2_from_be(bytes: &[u8]) -> Result<Fp2, PointError> {
    Ok(Fp2 {
        c0: fp_from_be(&bytes[48..])?,
        c1: fp_from_be(&bytes[..48])?,
    })
}

fn require<G: SourceGroup>(point: G::Affine, check: PointCheck) -> Result<G::Affine, PointError> {
    if check != PointCheck::Encoding && !G::is_on_curve(&point) {
        return Err(PointError::NotOnCurve);
    }
    if check == PointCheck::Subgroup && !G::is_in_subgroup(&point) {
        return Err(PointError::NotInSubgroup);
    }
    Ok(point)
}

/// Whether each 48-byte chunk of a compressed x coordinate is below the modulus; the flag
/// bits of the first byte are not part of it.
fn compressed_x_is_canonical(bytes: &[u8]) -> bool {
    bytes.chunks_exact(48).enumerate().all(|(i, chunk)| {
        let mut x = [0u8; 48];
        x.copy_from_slice(chunk);
        if i == 0 {
            x[0] &= 0x1f;
        }
        Fp::from_bytes_be(&x).is_some()
    })
}

macro_rules! source_group {
    ($group:ident, $affine:ident, $projective:ident, $limbs:ident, $name:literal, $coordinate:literal, $from_be:ident) => {
        impl SourceGroup for $group {
            type Affine = $affine;
            type Projective = $projective;
            type Limbs = $limbs;

            const NAME: &'static str = $name;
            const UNCOMPRESSED_BYTES: usize = 2 * $coordinate;
            const COMPRESSED_BYTES: usize = $coordinate;

            fn as_limbs(points: &[$affine]) -> &[$limbs] {
                $limbs::view(points)
            }

            fn from_limbs(limbs: &[$limbs]) -> Result<&[$affine], LimbsError> {
                match limbs.iter().position(|l| !l.is_reduced()) {
                    Some(index) => Err(LimbsError { index, field: "Fp" }),
                    None => Ok($limbs::points_unchecked(limbs)),
                }
            }

            fn from_limbs_unchecked(limbs: &[$limbs]) -> &[$affine] {
                $limbs::points_unchecked(limbs)
            }

            fn is_on_curve(point: &$affine) -> bool {
                point.is_on_curve().into()
            }

            fn is_in_subgroup(point: &$affine) -> bool {
                point.is_torsion_free().into()
            }

            fn decode_uncompressed(bytes: &[u8], check: PointCheck) -> Result<$affine, PointError> {
                match read_flags(bytes, Self::UNCOMPRESSED_BYTES, false)? {
                    Flagged::Identity => Ok($affine::identity()),
                    Flagged::Finite => {
                        let x = $from_be(&bytes[..$coordinate])?;
                        let y = $from_be(&bytes[$coordinate..])?;
                        require::<Self>($limbs::finite(x, y), check)
                    }
                }
            }

            fn decode_compressed(bytes: &[u8], check: PointCheck) -> Result<$affine, PointError> {
                match read_flags(bytes, Self::COMPRESSED_BYTES, true)? {
                    Flagged::Identity => Ok($affine::identity()),
                    Flagged::Finite => {
                        if !compressed_x_is_canonical(bytes) {
                            return Err(PointError::CoordinateNotCanonical);
                        }
                        let array = bytes.try_into().expect("the length was checked");
                        let point = Option::from($affine::from_compressed_unchecked(array))
                            .ok_or(PointError::NotOnCurve)?;
                        require::<Self>(point, check)
                    }
                }
            }

            fn encode_uncompressed(point: &$affine, out: &mut Vec<u8>) {
                out.extend_from_slice(&point.to_uncompressed());
            }

            fn encode_compressed(point: &$affine, out: &mut Vec<u8>) {
                out.extend_from_slice(&point.to_compressed());
            }
        }
    };
}

source_group!(G1, G1Affine, G1Projective, G1Limbs, "G1", 48, fp_from_be);
source_group!(G2, G2Affine, G2Projective, G2Limbs, "G2", 96, fp2_from_be);
