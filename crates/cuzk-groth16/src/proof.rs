use cuzk_curve::{G1, G1Affine, G2, G2Affine, PointCheck, PointError, SourceGroup};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

use crate::ProofError;

/// A proof: three finite points of the subgroups of prime order.
///
/// Proofs are malleable: from one proof anyone can make others of the same statement, without
/// the witness. A proof's bytes are no identifier of what it proves.
///
/// # Source
/// `[Groth16]` §3.2; compressed points as Zcash encodes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    a: G1Affine,
    b: G2Affine,
    c: G1Affine,
}

impl Proof {
    /// Bytes of the encoding: `a | b | c`, compressed.
    pub const BYTES: usize = 192;

    /// A proof from its points.
    ///
    /// # Errors
    /// [`ProofError::Point`] for the first point that is the identity, not on the curve or not
    /// in the subgroup.
    pub fn new(a: G1Affine, b: G2Affine, c: G1Affine) -> Result<Self, ProofError> {
        require::<G1>("a", &a)?;
        require::<G2>("b", &b)?;
        require::<G1>("c", &c)?;
        Ok(Self { a, b, c })
    }

    /// The point A.
    #[must_use]
    pub fn a(&self) -> &G1Affine {
        &self.a
    }

    /// The point B.
    #[must_use]
    pub fn b(&self) -> &G2Affine {
        &self.b
    }

    /// The point C.
    #[must_use]
    pub fn c(&self) -> &G1Affine {
        &self.c
    }

    /// The encoding.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..48].copy_from_slice(&self.a.to_compressed());
        bytes[48..144].copy_from_slice(&self.b.to_compressed());
        bytes[144..].copy_from_slice(&self.c.to_compressed());
        bytes
    }

    /// Decodes one proof.
    ///
    /// # Errors
    /// [`ProofError`] for any other length than [`Proof::BYTES`], and for the first point that
    /// is not the canonical encoding of a finite point of the subgroup.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProofError> {
        check_length(bytes, 1)?;
        decode(0, bytes)
    }

    /// Decodes `n` proofs that follow each other without a gap.
    ///
    /// # Errors
    /// [`ProofError`] as for one proof, for any other length than `n` times
    /// [`Proof::BYTES`].
    pub fn many_from_bytes(bytes: &[u8], n: usize) -> Result<Vec<Self>, ProofError> {
        check_length(bytes, n)?;
        bytes
            .par_chunks_exact(Self::BYTES)
            .enumerate()
            .map(|(index, bytes)| decode(index, bytes))
            .collect()
    }
}

fn check_length(bytes: &[u8], proofs: usize) -> Result<(), ProofError> {
    let expected = proofs.saturating_mul(Proof::BYTES);
    if bytes.len() == expected {
        return Ok(());
    }
    Err(ProofError::Length {
        proofs,
        expected,
        got: bytes.len(),
    })
}

fn decode(index: usize, bytes: &[u8]) -> Result<Proof, ProofError> {
    Ok(Proof {
        a: decode_point::<G1>(index, "a", &bytes[..48])?,
        b: decode_point::<G2>(index, "b", &bytes[48..144])?,
        c: decode_point::<G1>(index, "c", &bytes[144..])?,
    })
}

fn decode_point<G: SourceGroup>(
    index: usize,
    what: &'static str,
    bytes: &[u8],
) -> Result<G::Affine, ProofError> {
    G::decode_compressed(bytes, PointCheck::Subgroup)
        .and_then(|point| match bool::from(point.is_identity()) {
            true => Err(PointError::Identity),
            false => Ok(point),
        })
        .map_err(|source| ProofError::Point {
            index,
            what,
            source,
        })
}

fn require<G: SourceGroup>(what: &'static str, point: &G::Affine) -> Result<(), ProofError> {
    let broken = if bool::from(point.is_identity()) {
        PointError::Identity
    } else if !G::is_on_curve(point) {
        PointError::NotOnCurve
    } else if !G::is_in_subgroup(point) {
        PointError::NotInSubgroup
    } else {
        return Ok(());
    };
    Err(ProofError::Point {
        index: 0,
        what,
        source: broken,
    })
}
