//! Verifying keys, real ones and damaged ones.

use cuzk_curve::{G2, PointError, SourceGroup};
use cuzk_params::{ParamsError, Section, VerifyingKey};
use group::prime::PrimeCurveAffine;
use std::io::Read;

/// Names, bytes and the number of public inputs of keys that are in use.
const KEYS: [(&str, &[u8], usize); 6] = [
    ("sapling-spend", include_bytes!("data/sapling-spend.vk"), 7),
    (
        "sapling-output",
        include_bytes!("data/sapling-output.vk"),
        5,
    ),
    (
        "sprout-groth16",
        include_bytes!("data/sprout-groth16.vk"),
        9,
    ),
    ("masp-spend", include_bytes!("data/masp-spend.vk"), 7),
    ("masp-output", include_bytes!("data/masp-output.vk"), 5),
    ("masp-convert", include_bytes!("data/masp-convert.vk"), 3),
];

#[test]
fn real_keys_are_read_and_written_back() {
    for (name, bytes, inputs) in KEYS {
        let key = VerifyingKey::from_bytes(bytes).expect(name);
        assert_eq!(key.inputs(), inputs, "{name}");
        let mut written = Vec::new();
        key.write(&mut written).expect("memory takes everything");
        assert_eq!(written, bytes, "{name}");
        assert_eq!(VerifyingKey::read(bytes).expect(name), key);
    }
}

#[test]
fn gamma_of_the_sapling_keys_is_the_generator() {
    let key = VerifyingKey::from_bytes(KEYS[0].1).expect("real");
    assert_eq!(key.gamma_g2, <G2 as SourceGroup>::Affine::generator());
}

#[test]
fn a_stream_is_left_behind_the_key() {
    let mut bytes = KEYS[1].1.to_vec();
    bytes.extend([1, 2, 3]);
    let mut stream = &bytes[..];
    assert!(VerifyingKey::read(stream.by_ref()).is_ok());
    assert_eq!(stream, [1, 2, 3]);
    assert!(matches!(
        VerifyingKey::from_bytes(&bytes),
        Err(ParamsError::Trailing {
            offset: 1444,
            bytes: Some(3)
        })
    ));
}

#[test]
fn every_cut_of_a_key_is_refused() {
    let bytes = KEYS[1].1;
    for length in (0..bytes.len())
        .step_by(17)
        .chain([0, 95, 96, 863, 864, 867, 868, 1443])
    {
        for error in [
            VerifyingKey::from_bytes(&bytes[..length]).expect_err("cut"),
            VerifyingKey::read(&bytes[..length]).expect_err("cut"),
        ] {
            assert!(
                matches!(error, ParamsError::Truncated { .. }),
                "{length}: {error:?}"
            );
        }
    }
}

#[test]
fn every_flipped_byte_of_a_key_is_refused() {
    let bytes = KEYS[5].1;
    for position in 0..bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[position] ^= 1 << (position % 8);
        assert!(
            VerifyingKey::from_bytes(&flipped).is_err(),
            "byte {position}"
        );
    }
}

#[test]
fn a_refused_head_point_is_named() {
    let mut bytes = KEYS[0].1.to_vec();
    bytes[384 + 191] ^= 1;
    assert!(matches!(
        VerifyingKey::from_bytes(&bytes),
        Err(ParamsError::Point {
            section: Section::GammaG2,
            index: 0,
            offset: 384,
            source: PointError::NotOnCurve,
        })
    ));
}
