//! Reading and writing of small parameters, whole and damaged.

#[path = "common/sample.rs"]
mod sample;

use cuzk_curve::{G1, G2, PointError, SourceGroup};
use cuzk_params::{
    Check, Digest, Layout, Loaded, ParameterFile, Parameters, ParamsError, ReadOptions, Section,
    Trailing,
};
use group::prime::PrimeCurveAffine;
use std::{
    io::{Cursor, Read},
    path::Path,
};

const COUNTED: [Section; 6] = [
    Section::Ic,
    Section::H,
    Section::L,
    Section::A,
    Section::BG1,
    Section::BG2,
];

fn read(bytes: &[u8]) -> Result<Loaded, ParamsError> {
    Parameters::from_bytes(bytes, &ReadOptions::default())
}

fn layout(bytes: &[u8]) -> Layout {
    Layout::scan(&mut Cursor::new(bytes), bytes.len() as u64).expect("well-formed")
}

/// Where a point of a section starts.
fn position(bytes: &[u8], section: Section, index: usize) -> usize {
    let layout = layout(bytes);
    let at = layout.section(section).expect("counted");
    at.points_offset() as usize + index * section.point_bytes()
}

fn put<G: SourceGroup>(bytes: &mut [u8], position: usize, point: &G::Affine) {
    let mut encoded = Vec::new();
    G::encode_uncompressed(point, &mut encoded);
    bytes[position..position + encoded.len()].copy_from_slice(&encoded);
}

#[test]
fn what_is_written_is_read_back_and_written_again() {
    let bytes = sample::bytes();
    for check in [Check::OnCurve, Check::Subgroup] {
        let options = ReadOptions {
            check,
            ..ReadOptions::default()
        };
        let loaded = Parameters::from_bytes(&bytes, &options).expect("well-formed");
        assert_eq!(loaded.parameters, sample::parameters());
        let mut again = Vec::new();
        loaded
            .parameters
            .write(&mut again)
            .expect("memory takes everything");
        assert_eq!(again, bytes);
        assert_eq!(loaded.layout.trailing_bytes, Some(0));
        assert_eq!(loaded.layout.parameter_bytes, bytes.len() as u64);
    }
}

#[test]
fn the_layout_is_that_of_the_counts() {
    let bytes = sample::bytes();
    let layout = layout(&bytes);
    let mut offset = 864;
    for ((at, section), count) in layout.sections.iter().zip(COUNTED).zip(sample::COUNTS) {
        assert_eq!((at.section, at.offset, at.count), (section, offset, count));
        offset += 4 + u64::from(count) * section.point_bytes() as u64;
        assert_eq!(at.end(), offset);
    }
    assert_eq!(offset, bytes.len() as u64);
    assert_eq!(layout.section(Section::DeltaG2), None);
    let json = serde_json::to_value(&layout).expect("serialises");
    assert_eq!(json["sections"][1]["section"], "h");
    assert_eq!(json["sections"][1]["count"], 7);
    assert_eq!(json["trailing_bytes"], 0);
}

#[test]
fn empty_queries_are_read() {
    let mut empty = sample::parameters();
    let none = cuzk_hostmem::HostAllocator::pageable();
    empty.h = cuzk_params::Query::from_points(&[], &none).expect("small");
    empty.b_g1 = empty.h.clone();
    empty.b_g2 = cuzk_params::Query::from_points(&[], &none).expect("small");
    let mut bytes = Vec::new();
    empty.write(&mut bytes).expect("memory takes everything");
    let full = ReadOptions {
        check: Check::Subgroup,
        ..ReadOptions::default()
    };
    assert_eq!(
        Parameters::from_bytes(&bytes, &full)
            .expect("well-formed")
            .parameters,
        empty
    );
    assert_eq!(
        Parameters::from_reader(&bytes[..], &full)
            .expect("well-formed")
            .parameters,
        empty
    );
}

#[test]
fn every_cut_is_refused_by_section() {
    let bytes = sample::bytes();
    let layout = layout(&bytes);
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        // A stream decodes what it has before it finds the end, so fewer lengths are tried.
        let stream = length
            .is_multiple_of(7)
            .then(|| Parameters::from_reader(cut, &ReadOptions::default()));
        for result in [Some(read(cut)), stream].into_iter().flatten() {
            let error = result.expect_err("cut");
            let ParamsError::Truncated {
                section,
                offset,
                expected,
                got,
            } = error
            else {
                panic!("{length}: {error:?}")
            };
            assert!(
                got < expected && offset + got == length as u64,
                "{length}: {error:?}"
            );
            if let Some(at) = layout.section(section) {
                assert!(
                    (at.offset..at.end()).contains(&(length as u64)),
                    "{length}: {error:?}"
                );
            } else {
                assert!(length < 864, "{length}: {error:?}");
            }
        }
    }
}

#[test]
fn trailing_bytes_are_refused_unless_allowed_and_then_counted() {
    let bytes = sample::bytes();
    let end = bytes.len() as u64;
    for extra in [1, 2, 96, 5000] {
        let mut longer = bytes.clone();
        longer.resize(bytes.len() + extra, 0xa5);
        let count = Some(extra as u64);
        assert!(matches!(
            read(&longer),
            Err(ParamsError::Trailing { offset, bytes }) if offset == end && bytes == count
        ));
        assert!(matches!(
            Parameters::from_reader(&longer[..], &ReadOptions::default()),
            Err(ParamsError::Trailing { offset, bytes: None }) if offset == end
        ));
        let allowed = ReadOptions {
            trailing: Trailing::Allow,
            ..ReadOptions::default()
        };
        let loaded = Parameters::from_bytes(&longer, &allowed).expect("allowed");
        assert_eq!(loaded.layout.trailing_bytes, count);
        assert_eq!(loaded.layout.parameter_bytes, end);
        assert_eq!(loaded.parameters, sample::parameters());
        assert_eq!(loaded.digest, read(&bytes).expect("well-formed").digest);
        let mut stream = &longer[..];
        let loaded = Parameters::from_reader(stream.by_ref(), &allowed).expect("allowed");
        assert_eq!(loaded.layout.trailing_bytes, None);
        assert_eq!(stream.len(), extra, "the rest is left to the caller");
    }
}

#[test]
fn absurd_counts_are_refused_before_anything_is_read() {
    let bytes = sample::bytes();
    for (at, section) in layout(&bytes).sections.iter().zip(COUNTED) {
        for count in [at.count + 1, 1 << 16, 1 << 31, u32::MAX] {
            let mut wrong = bytes.clone();
            let offset = at.offset as usize;
            wrong[offset..offset + 4].copy_from_slice(&count.to_be_bytes());
            let error = read(&wrong).expect_err("too many");
            if count > at.count + 1 {
                let size = section.point_bytes() as u64;
                assert!(
                    matches!(error, ParamsError::Truncated { section: s, offset: o, expected, got }
                        if s == section && o == at.points_offset()
                            && expected == u64::from(count) * size
                            && got == bytes.len() as u64 - o),
                    "{error:?}"
                );
            }
            assert!(Parameters::from_reader(&wrong[..], &ReadOptions::default()).is_err());
        }
    }
}

#[test]
fn b_queries_of_different_length_are_refused() {
    let mut uneven = sample::parameters();
    uneven.b_g1 = uneven.a.clone();
    let mut bytes = Vec::new();
    uneven.write(&mut bytes).expect("memory takes everything");
    for result in [
        read(&bytes),
        Parameters::from_reader(&bytes[..], &ReadOptions::default()),
    ] {
        assert!(
            matches!(
                result,
                Err(ParamsError::Count {
                    section: Section::BG2,
                    expected: 5,
                    got: 3,
                    ..
                })
            ),
            "{result:?}"
        );
    }
}

#[test]
fn every_flipped_byte_is_found_by_the_default_check() {
    let bytes = sample::bytes();
    for position in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[position] ^= 1 << (position % 8);
        assert!(read(&flipped).is_err(), "byte {position}");
    }
}

#[test]
fn every_flipped_byte_is_found_by_the_digest() {
    let bytes = sample::bytes();
    let pinned = ReadOptions::pinned(read(&bytes).expect("well-formed").digest);
    assert!(Parameters::from_bytes(&bytes, &pinned).is_ok());
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(
            Parameters::from_bytes(&flipped, &pinned).is_err(),
            "bit {bit}"
        );
    }
}

#[test]
fn a_pinned_digest_replaces_the_curve_check_and_only_that() {
    let mut bytes = sample::bytes();
    // An ordinate plus one is no point of the curve.
    let at = position(&bytes, Section::L, 2) + 95;
    bytes[at] ^= 1;
    assert!(matches!(
        read(&bytes),
        Err(ParamsError::Point {
            section: Section::L,
            index: 2,
            source: PointError::NotOnCurve,
            ..
        })
    ));
    let digest = Digest(sha256(&bytes));
    assert!(Parameters::from_bytes(&bytes, &ReadOptions::pinned(digest)).is_ok());
    let other = ReadOptions::pinned(Digest([0; 32]));
    assert!(matches!(
        Parameters::from_bytes(&bytes, &other),
        Err(ParamsError::DigestMismatch { expected: Digest([0, ..]), got }) if got == digest
    ));
    let none = ReadOptions {
        check: Check::Digest,
        ..ReadOptions::default()
    };
    assert!(matches!(
        Parameters::from_bytes(&bytes, &none),
        Err(ParamsError::DigestMissing)
    ));
    let with_curve = ReadOptions {
        digest: Some(digest),
        ..ReadOptions::default()
    };
    assert!(matches!(
        Parameters::from_bytes(&bytes, &with_curve),
        Err(ParamsError::Point { .. })
    ));
    // Coordinates above the modulus are refused even so.
    let at = position(&bytes, Section::A, 4) + 48;
    bytes[at] = 0xff;
    let pinned = ReadOptions::pinned(Digest(sha256(&bytes)));
    assert!(matches!(
        Parameters::from_bytes(&bytes, &pinned),
        Err(ParamsError::Point {
            section: Section::A,
            index: 4,
            source: PointError::CoordinateNotCanonical,
            ..
        })
    ));
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).into()
}

#[test]
fn the_digest_is_sha256_of_the_file() {
    let bytes = sample::bytes();
    let digest = read(&bytes).expect("well-formed").digest;
    assert_eq!(digest, Digest(sha256(&bytes)));
    assert_eq!(sample::parameters().digest().expect("short"), digest);
}

#[test]
fn a_digest_is_compared_with_every_check() {
    let bytes = sample::bytes();
    for check in [Check::Digest, Check::OnCurve, Check::Subgroup] {
        let digest = Some(Digest([1; 32]));
        let options = ReadOptions {
            check,
            digest,
            ..ReadOptions::default()
        };
        for result in [
            Parameters::from_bytes(&bytes, &options),
            Parameters::from_reader(&bytes[..], &options),
        ] {
            assert!(
                matches!(result, Err(ParamsError::DigestMismatch { .. })),
                "{check:?}"
            );
        }
    }
}

#[test]
fn the_identity_is_refused_in_the_key_and_taken_in_the_queries() {
    let bytes = sample::bytes();
    let heads = [
        (0, true),
        (96, true),
        (192, false),
        (384, false),
        (576, true),
        (672, false),
    ];
    for (position, in_g1) in heads {
        let mut changed = bytes.clone();
        if in_g1 {
            put::<G1>(&mut changed, position, &PrimeCurveAffine::identity());
        } else {
            put::<G2>(&mut changed, position, &PrimeCurveAffine::identity());
        }
        let pinned = ReadOptions::pinned(Digest(sha256(&changed)));
        for result in [read(&changed), Parameters::from_bytes(&changed, &pinned)] {
            assert!(
                matches!(
                    result,
                    Err(ParamsError::Point { index: 0, offset, source: PointError::Identity, .. })
                        if offset == position as u64
                ),
                "{position}: {result:?}"
            );
        }
    }
    for section in COUNTED {
        let mut changed = bytes.clone();
        let at = position(&bytes, section, 2);
        if section == Section::BG2 {
            put::<G2>(&mut changed, at, &PrimeCurveAffine::identity());
        } else {
            put::<G1>(&mut changed, at, &PrimeCurveAffine::identity());
        }
        match (section, read(&changed)) {
            (
                Section::Ic,
                Err(ParamsError::Point {
                    section: Section::Ic,
                    index: 2,
                    source: PointError::Identity,
                    ..
                }),
            ) => {}
            (Section::Ic, other) => panic!("{other:?}"),
            (_, result) => assert!(result.is_ok(), "{section}: {result:?}"),
        }
    }
}

/// A point of the curve outside the subgroup: (0, 2) in G1, which has order three, and in G2
/// the first abscissa that has a point.
fn outside<G: SourceGroup>() -> G::Affine {
    let check = cuzk_curve::PointCheck::OnCurve;
    let mut zero_two = vec![0; G::UNCOMPRESSED_BYTES];
    zero_two[G::UNCOMPRESSED_BYTES - 1] = 2;
    let others = (1u8..=255).map(|x| {
        let mut bytes = vec![0; G::COMPRESSED_BYTES];
        bytes[0] = 0x80;
        bytes[G::COMPRESSED_BYTES - 1] = x;
        G::decode_compressed(&bytes, check)
    });
    std::iter::once(G::decode_uncompressed(&zero_two, check))
        .chain(others)
        .flatten()
        .find(|point| !G::is_in_subgroup(point))
        .expect("half of all abscissas have a point")
}

#[test]
fn a_point_outside_the_subgroup_is_found_by_the_full_check_and_in_the_key_always() {
    let bytes = sample::bytes();
    let full = ReadOptions {
        check: Check::Subgroup,
        ..ReadOptions::default()
    };
    for section in COUNTED {
        let mut changed = bytes.clone();
        let at = position(&bytes, section, 2);
        if section == Section::BG2 {
            put::<G2>(&mut changed, at, &outside::<G2>());
        } else {
            put::<G1>(&mut changed, at, &outside::<G1>());
        }
        let refused = |result: Result<Loaded, ParamsError>| {
            matches!(
                result,
                Err(ParamsError::Point { section: s, index: 2, offset, source: PointError::NotInSubgroup })
                    if s == section && offset == at as u64
            )
        };
        assert!(
            refused(Parameters::from_bytes(&changed, &full)),
            "{section}"
        );
        assert!(
            refused(Parameters::from_reader(&changed[..], &full)),
            "{section}"
        );
        if section == Section::Ic {
            assert!(refused(read(&changed)));
        } else {
            assert!(
                read(&changed).is_ok(),
                "{section}: the default check is of the curve"
            );
        }
    }
    let mut changed = bytes;
    put::<G2>(&mut changed, 384, &outside::<G2>());
    assert!(matches!(
        read(&changed),
        Err(ParamsError::Point {
            section: Section::GammaG2,
            source: PointError::NotInSubgroup,
            ..
        })
    ));
}

#[test]
fn the_first_bad_point_of_a_section_is_named() {
    let mut bytes = sample::bytes();
    for index in [5, 3, 6] {
        let at = position(&bytes, Section::H, index);
        bytes[at..at + 96].fill(0);
    }
    let expected_offset = position(&bytes, Section::H, 3) as u64;
    let error = read(&bytes).expect_err("zeros without the flag of the identity");
    assert!(
        matches!(error, ParamsError::Point { section: Section::H, index: 3, offset, .. }
            if offset == expected_offset),
        "{error:?}"
    );
    let text = error.to_string();
    assert_eq!(
        text,
        format!("section h, point 3 at byte {expected_offset} is refused")
    );
}

#[test]
fn a_missing_file_is_an_error_and_nothing_is_made() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("none.params");
    let error = ParameterFile::open(&path).expect_err("missing");
    assert!(matches!(&error, ParamsError::Open { path: p, .. } if *p == path));
    assert!(error.to_string().contains("none.params"), "{error}");
    assert!(!path.exists());
    for no_file in [directory.path(), Path::new("/dev/null")] {
        let error = ParameterFile::open(no_file).expect_err("no file");
        assert!(matches!(error, ParamsError::NotAFile { path } if path == no_file));
    }
}
