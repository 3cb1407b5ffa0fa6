use cuzk_cpu::Naive;
use cuzk_curve::{Fp, G1, G1Affine, G2, PointCheck, PointError, SourceGroup};
use cuzk_groth16::{PreparedVerifyingKey, Proof, ProofError, verify};
use group::prime::PrimeCurveAffine;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

use crate::case::Case;

fn proof() -> Proof {
    Case::random(1, 5).prove(&Naive).expect("a proof")
}

#[test]
fn encoding_and_decoding_are_inverse() {
    let proof = proof();
    assert_eq!(Proof::from_bytes(&proof.to_bytes()), Ok(proof));
    assert_eq!(Proof::new(*proof.a(), *proof.b(), *proof.c()), Ok(proof));
}

#[test]
fn any_other_length_is_refused() {
    let bytes = [proof().to_bytes(); 3].concat();
    for len in 0..=400 {
        let decoded = Proof::from_bytes(&bytes[..len]);
        match len {
            192 => assert!(decoded.is_ok()),
            got => assert_eq!(
                decoded,
                Err(ProofError::Length {
                    proofs: 1,
                    expected: 192,
                    got
                })
            ),
        }
    }
}

#[test]
fn many_proofs_take_exactly_their_bytes() {
    let proof = proof();
    for n in [0, 1, 2, 10] {
        let bytes = proof.to_bytes().repeat(n);
        assert_eq!(Proof::many_from_bytes(&bytes, n), Ok(vec![proof; n]));
        let mut longer = bytes.clone();
        longer.push(0);
        let mut wrong = vec![longer];
        wrong.extend(bytes.split_last().map(|(_, shorter)| shorter.to_vec()));
        for wrong in wrong {
            assert_eq!(
                Proof::many_from_bytes(&wrong, n),
                Err(ProofError::Length {
                    proofs: n,
                    expected: 192 * n,
                    got: wrong.len()
                })
            );
        }
    }
    let absurd = Proof::many_from_bytes(&[], usize::MAX);
    assert!(matches!(absurd, Err(ProofError::Length { .. })));
}

#[test]
fn the_proof_that_does_not_decode_is_named() {
    let mut bytes = proof().to_bytes().repeat(5);
    bytes[3 * 192 + 48] ^= 0x80;
    match Proof::many_from_bytes(&bytes, 5) {
        Err(ProofError::Point { index, what, .. }) => assert_eq!((index, what), (3, "b")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn random_bytes_are_refused_or_do_not_verify() {
    let case = Case::random(1, 5);
    let key = PreparedVerifyingKey::new(&case.parameters.vk).expect("a good key");
    let inputs = case.program.public_inputs();
    (0..100_000).into_par_iter().for_each(|round: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(round);
        let mut bytes = [0; Proof::BYTES];
        rng.fill_bytes(&mut bytes);
        if round % 2 == 1 {
            // Flags and size of coordinates that get further than the first check.
            for start in [0, 48, 96, 144] {
                bytes[start] &= 0x0f;
            }
            for start in [0, 48, 144] {
                bytes[start] |= 0x80;
            }
        }
        if let Ok(proof) = Proof::from_bytes(&bytes) {
            assert!(verify(&key, &proof, &inputs).is_err(), "round {round}");
        }
    });
}

fn refused_point(bytes: &[u8; Proof::BYTES]) -> (&'static str, PointError) {
    match Proof::from_bytes(bytes) {
        Err(ProofError::Point { what, source, .. }) => (what, source),
        other => panic!("{other:?}"),
    }
}

#[test]
fn identities_are_refused() {
    for (start, len, what) in [(0, 48, "a"), (48, 96, "b"), (144, 48, "c")] {
        let mut bytes = proof().to_bytes();
        bytes[start..start + len].fill(0);
        bytes[start] = 0xc0;
        assert_eq!(refused_point(&bytes), (what, PointError::Identity));
    }
    let good = proof();
    let refused = Proof::new(G1Affine::identity(), *good.b(), *good.c());
    assert!(matches!(
        refused,
        Err(ProofError::Point {
            what: "a",
            source: PointError::Identity,
            ..
        })
    ));
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    for start in [0, 48, 144] {
        // Not compressed; compressed and at infinity with a coordinate.
        for (clear, set) in [(0x80, 0), (0, 0x40)] {
            let mut bytes = proof().to_bytes();
            bytes[start] = bytes[start] & !clear | set;
            assert!(Proof::from_bytes(&bytes).is_err(), "at {start}");
        }
    }
}

/// x + p encodes the same residue where it still fits 381 bits.
#[test]
fn coordinates_above_the_modulus_are_refused() {
    const P: [u8; 48] = {
        let mut p = [0; 48];
        let words: [u64; 6] = [
            0x1a01_11ea_397f_e69a,
            0x4b1b_a7b6_434b_acd7,
            0x6477_4b84_f385_12bf,
            0x6730_d2a0_f6b0_f624,
            0x1eab_fffe_b153_ffff,
            0xb9fe_ffff_ffff_aaab,
        ];
        let mut i = 0;
        while i < 48 {
            p[i] = (words[i / 8] >> (56 - 8 * (i % 8))) as u8;
            i += 1;
        }
        p
    };
    assert!(Fp::from_bytes_be(&P).is_none());
    for start in [0, 48, 96, 144] {
        let mut bytes = proof().to_bytes();
        let flags = if start == 96 { 0 } else { 0x80 };
        bytes[start..start + 48].copy_from_slice(&P);
        bytes[start] |= flags;
        assert_eq!(
            refused_point(&bytes).1,
            PointError::CoordinateNotCanonical,
            "at {start}"
        );
    }
}

/// Some points of the curve outside the subgroup: small abscissas, tried in turn.
fn outside<G: SourceGroup>() -> Vec<G::Affine> {
    let candidates = (0..=255u8).filter_map(|x| {
        let mut bytes = vec![0; G::COMPRESSED_BYTES];
        bytes[0] = 0x80;
        *bytes.last_mut().expect("not empty") = x;
        G::decode_compressed(&bytes, PointCheck::OnCurve).ok()
    });
    let outside = candidates.filter(|point| !G::is_in_subgroup(point));
    let outside: Vec<_> = outside
        .filter(|p| !bool::from(p.is_identity()))
        .take(5)
        .collect();
    assert_eq!(outside.len(), 5);
    outside
}

#[test]
fn points_outside_the_subgroup_are_refused() {
    let good = proof();
    for point in outside::<G1>() {
        let mut bytes = good.to_bytes();
        bytes[..48].copy_from_slice(&point.to_compressed());
        assert_eq!(refused_point(&bytes), ("a", PointError::NotInSubgroup));
        let mut bytes = good.to_bytes();
        bytes[144..].copy_from_slice(&point.to_compressed());
        assert_eq!(refused_point(&bytes), ("c", PointError::NotInSubgroup));
        assert!(Proof::new(point, *good.b(), *good.c()).is_err());
        assert!(Proof::new(*good.a(), *good.b(), point).is_err());
    }
    for point in outside::<G2>() {
        let mut bytes = good.to_bytes();
        bytes[48..144].copy_from_slice(&point.to_compressed());
        assert_eq!(refused_point(&bytes), ("b", PointError::NotInSubgroup));
        assert!(Proof::new(*good.a(), point, *good.c()).is_err());
    }
}
