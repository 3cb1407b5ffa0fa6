//! The real parameters of the Sapling circuits, with the transcript that follows them.

use cuzk_curve::{G1, G2, SourceGroup};
use cuzk_params::{
    Check, Layout, Loaded, ParameterFile, Parameters, ParamsError, ReadOptions, SectionLayout,
    Trailing,
};
use std::{
    io::{Cursor, Read, Write},
    sync::LazyLock,
};

/// The parameters of the spend and of the output circuit.
static FILES: LazyLock<(Vec<u8>, Vec<u8>)> =
    LazyLock::new(wagyu_zcash_parameters::load_sapling_parameters);

const TRANSCRIPT_BYTES: u64 = 52_836;

fn offsets_and_counts(layout: &Layout) -> [(u64, u32); 6] {
    layout
        .sections
        .map(|SectionLayout { offset, count, .. }| (offset, count))
}

fn read(bytes: &[u8], check: Check) -> Loaded {
    let options = ReadOptions {
        check,
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    };
    Parameters::from_bytes(bytes, &options).expect("real")
}

/// Every point equals what `blstrs` decodes on its own.
fn agrees_with_blstrs(bytes: &[u8], loaded: &Loaded) {
    let Parameters {
        vk,
        h,
        l,
        a,
        b_g1,
        b_g2,
    } = &loaded.parameters;
    let [ic_at, h_at, l_at, a_at, b_g1_at, b_g2_at] = &loaded.layout.sections;
    let in_g1 = [
        (&vk.ic[..], ic_at),
        (h.points(), h_at),
        (l.points(), l_at),
        (a.points(), a_at),
    ];
    for (points, at) in in_g1.into_iter().chain([(b_g1.points(), b_g1_at)]) {
        let encoded = bytes[at.points_offset() as usize..at.end() as usize]
            .as_chunks()
            .0;
        assert_eq!(points.len(), encoded.len());
        for (point, encoded) in points.iter().zip(encoded) {
            let expected = <G1 as SourceGroup>::Affine::from_uncompressed_unchecked(encoded);
            assert_eq!(Some(*point), expected.into());
        }
    }
    let encoded = bytes[b_g2_at.points_offset() as usize..b_g2_at.end() as usize]
        .as_chunks()
        .0;
    assert_eq!(b_g2.len(), encoded.len());
    for (point, encoded) in b_g2.points().iter().zip(encoded) {
        let expected = <G2 as SourceGroup>::Affine::from_uncompressed_unchecked(encoded);
        assert_eq!(Some(*point), expected.into());
    }
}

#[test]
fn the_output_parameters_pass_the_full_check_and_are_written_back() {
    let bytes = &FILES.1;
    let loaded = read(bytes, Check::Subgroup);
    assert_eq!(
        offsets_and_counts(&loaded.layout),
        [
            (864, 6),
            (1444, 8191),
            (787_784, 7821),
            (1_538_604, 6298),
            (2_143_216, 4850),
            (2_608_820, 4850)
        ]
    );
    assert_eq!(loaded.layout.parameter_bytes, 3_540_024);
    assert_eq!(loaded.layout.trailing_bytes, Some(TRANSCRIPT_BYTES));
    assert_eq!(loaded.layout.verifying_key_bytes(), 1444);
    let mut key = Vec::new();
    loaded
        .parameters
        .vk
        .write(&mut key)
        .expect("memory takes everything");
    assert_eq!(key, include_bytes!("data/sapling-output.vk"));
    let mut written = Vec::new();
    loaded
        .parameters
        .write(&mut written)
        .expect("memory takes everything");
    assert_eq!(written, bytes[..3_540_024]);
    agrees_with_blstrs(bytes, &loaded);
}

#[test]
fn the_spend_parameters_pass_the_curve_check_from_memory_file_and_stream() {
    let bytes = &FILES.0;
    let loaded = read(bytes, Check::OnCurve);
    assert_eq!(
        offsets_and_counts(&loaded.layout),
        [
            (864, 8),
            (1636, 131_071),
            (12_584_456, 98_638),
            (22_053_708, 85_390),
            (30_251_152, 61_300),
            (36_135_956, 61_300)
        ]
    );
    assert_eq!(loaded.layout.parameter_bytes, 47_905_560);
    assert_eq!(loaded.layout.trailing_bytes, Some(TRANSCRIPT_BYTES));
    assert_eq!(
        loaded.digest.to_string(),
        "738864b283ad002320143224015fa7b47365d5de2b6b823d1460d44201a691d9"
    );
    assert_eq!(loaded.parameters.digest().expect("short"), loaded.digest);
    agrees_with_blstrs(bytes, &loaded);

    let pinned = ReadOptions {
        trailing: Trailing::Allow,
        ..ReadOptions::pinned(loaded.digest)
    };
    let mut file = tempfile::NamedTempFile::new().expect("temporary file");
    file.write_all(bytes).expect("temporary file");
    let from_file = ParameterFile::open(file.path())
        .and_then(|mut file| file.read(&pinned))
        .expect("real");
    assert_eq!(from_file.parameters, loaded.parameters);
    assert_eq!(from_file.layout, loaded.layout);
    let mut stream = &bytes[..];
    let from_stream = Parameters::from_reader(stream.by_ref(), &pinned).expect("real");
    assert_eq!(from_stream.parameters, loaded.parameters);
    assert_eq!(stream.len() as u64, TRANSCRIPT_BYTES);
}

#[test]
fn the_transcript_is_refused_unless_allowed() {
    for bytes in [&FILES.0, &FILES.1] {
        let error = Parameters::from_bytes(bytes, &ReadOptions::default()).expect_err("longer");
        assert!(
            matches!(
                error,
                ParamsError::Trailing {
                    bytes: Some(TRANSCRIPT_BYTES),
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains("52836 bytes more"), "{error}");
    }
}

#[test]
fn a_damaged_point_deep_in_a_section_is_named() {
    let mut bytes = FILES.0.clone();
    let layout = Layout::scan(&mut Cursor::new(&bytes), bytes.len() as u64).expect("real");
    let at = layout.sections[5];
    // Beyond the second piece that is read at once.
    let index = 50_001;
    let offset = at.points_offset() + index as u64 * 192;
    bytes[offset as usize + 100] ^= 4;
    bytes[offset as usize + 192 * 700] ^= 4;
    let allowed = ReadOptions {
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    };
    for result in [
        Parameters::from_bytes(&bytes, &allowed),
        Parameters::from_reader(&bytes[..], &allowed),
    ] {
        assert!(
            matches!(
                &result,
                Err(ParamsError::Point { section, index: i, offset: o, .. })
                    if *section == at.section && *i == index && *o == offset
            ),
            "{result:?}"
        );
    }
}
