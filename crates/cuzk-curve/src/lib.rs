#![doc = include_str!("../README.md")]

mod domain;
mod encoding;
mod error;
mod fp;
mod group;
mod limbs;

pub use blstrs::{
    Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt, Scalar as Fr,
};

pub use domain::Domain;
pub use encoding::{PointCheck, decode_scalar, encode_scalar};
pub use error::{DomainError, LimbsError, PointError, RequestedOrder, ScalarError};
pub use fp::{Fp, Fp2};
pub use group::{G1, G2, SourceGroup};
pub use limbs::{FpLimbs, FrLimbs, G1Limbs, G2Limbs};
