//! Point encodings: round trips, strictness, and agreement with `blstrs`.

use cuzk_curve::{Fr, G1, G2, PointCheck, PointError, SourceGroup, decode_scalar, encode_scalar};
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_core::OsRng;

fn random<G: SourceGroup>() -> G::Affine {
    G::Projective::random(OsRng).to_affine()
}

fn uncompressed<G: SourceGroup>(point: &G::Affine) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::encode_uncompressed(point, &mut bytes);
    bytes
}

fn compressed<G: SourceGroup>(point: &G::Affine) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::encode_compressed(point, &mut bytes);
    bytes
}

fn round_trips<G: SourceGroup>() {
    for point in [
        random::<G>(),
        -random::<G>(),
        G::Affine::identity(),
        G::Affine::generator(),
    ] {
        let bytes = uncompressed::<G>(&point);
        assert_eq!(bytes.len(), G::UNCOMPRESSED_BYTES);
        assert_eq!(
            G::decode_uncompressed(&bytes, PointCheck::Subgroup),
            Ok(point)
        );
        let bytes = compressed::<G>(&point);
        assert_eq!(bytes.len(), G::COMPRESSED_BYTES);
        assert_eq!(
            G::decode_compressed(&bytes, PointCheck::Subgroup),
            Ok(point)
        );
    }
}

#[test]
fn encodings_round_trip_in_both_groups() {
    round_trips::<G1>();
    round_trips::<G2>();
}

fn refuses_every_broken_rule<G: SourceGroup>() {
    let good = uncompressed::<G>(&random::<G>());
    let decode = |bytes: &[u8]| G::decode_uncompressed(bytes, PointCheck::OnCurve);

    assert_eq!(
        decode(&good[1..]),
        Err(PointError::Length {
            expected: G::UNCOMPRESSED_BYTES,
            got: G::UNCOMPRESSED_BYTES - 1
        })
    );
    for flag in [0x80, 0x20, 0xa0, 0xe0] {
        let mut bytes = good.clone();
        bytes[0] |= flag;
        assert!(
            matches!(decode(&bytes), Err(PointError::Flags { .. })),
            "flag {flag:#x}"
        );
    }
    let mut bytes = good.clone();
    bytes[0] |= 0x40;
    assert_eq!(decode(&bytes), Err(PointError::IdentityWithResidue));

    let mut bytes = good.clone();
    *bytes.last_mut().expect("not empty") ^= 1;
    assert_eq!(decode(&bytes), Err(PointError::NotOnCurve));
    assert!(G::decode_uncompressed(&bytes, PointCheck::Encoding).is_ok());

    let mut bytes = good;
    bytes[..48].fill(0xff);
    bytes[0] = 0x1f;
    assert_eq!(decode(&bytes), Err(PointError::CoordinateNotCanonical));

    let mut bytes = compressed::<G>(&random::<G>());
    bytes[..48].fill(0xff);
    bytes[0] = 0x9f;
    assert_eq!(
        G::decode_compressed(&bytes, PointCheck::OnCurve),
        Err(PointError::CoordinateNotCanonical)
    );
    let mut identity = compressed::<G>(&G::Affine::identity());
    identity[7] = 1;
    assert_eq!(
        G::decode_compressed(&identity, PointCheck::OnCurve),
        Err(PointError::IdentityWithResidue)
    );
}

fn refuses_zeros_without_the_infinity_flag<G: SourceGroup>() {
    let zeros = vec![0; G::UNCOMPRESSED_BYTES];
    for check in [
        PointCheck::Encoding,
        PointCheck::OnCurve,
        PointCheck::Subgroup,
    ] {
        assert_eq!(
            G::decode_uncompressed(&zeros, check),
            Err(PointError::NotOnCurve)
        );
    }
}

#[test]
fn zeros_are_no_second_encoding_of_the_identity() {
    refuses_zeros_without_the_infinity_flag::<G1>();
    refuses_zeros_without_the_infinity_flag::<G2>();
}

#[test]
fn broken_encodings_are_refused_by_the_rule_they_break() {
    refuses_every_broken_rule::<G1>();
    refuses_every_broken_rule::<G2>();
}

/// A point of the curve by its smallest small abscissa that has one; almost surely outside
/// the subgroup, whose cofactor is about 2^125 in G1 and 2^509 in G2.
fn outside_the_subgroup<G: SourceGroup>() -> G::Affine {
    (1u8..=255)
        .find_map(|x| {
            let mut bytes = vec![0; G::COMPRESSED_BYTES];
            bytes[0] = 0x80;
            *bytes.last_mut().expect("not empty") = x;
            let point = G::decode_compressed(&bytes, PointCheck::OnCurve).ok()?;
            (!G::is_in_subgroup(&point)).then_some(point)
        })
        .expect("half of all abscissas have a point")
}

fn refuses_points_outside_the_subgroup<G: SourceGroup>() {
    let point = outside_the_subgroup::<G>();
    assert!(G::is_on_curve(&point));
    for check in [PointCheck::Encoding, PointCheck::OnCurve] {
        assert!(G::decode_uncompressed(&uncompressed::<G>(&point), check).is_ok());
    }
    assert_eq!(
        G::decode_uncompressed(&uncompressed::<G>(&point), PointCheck::Subgroup),
        Err(PointError::NotInSubgroup)
    );
    assert_eq!(
        G::decode_compressed(&compressed::<G>(&point), PointCheck::Subgroup),
        Err(PointError::NotInSubgroup)
    );
}

#[test]
fn subgroup_check_refuses_what_the_curve_check_takes() {
    refuses_points_outside_the_subgroup::<G1>();
    refuses_points_outside_the_subgroup::<G2>();
}

#[test]
fn scalars_round_trip_and_the_order_is_refused() {
    let x = Fr::random(OsRng);
    assert_eq!(decode_scalar(&encode_scalar(&x)), Ok(x));
    let mut order = encode_scalar(&-Fr::ONE);
    order[0] += 1;
    assert!(decode_scalar(&order).is_err());
    assert!(decode_scalar(&[0xff; 32]).is_err());
}
