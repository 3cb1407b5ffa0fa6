//! Arbitrary and damaged bytes never panic, and what is accepted is written back.

#[path = "common/sample.rs"]
mod sample;

use cuzk_params::{Check, Digest, Parameters, ReadOptions, Trailing, VerifyingKey};
use proptest::prelude::*;
use std::sync::LazyLock;

static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(sample::bytes);

fn options() -> impl Strategy<Value = ReadOptions> {
    let check = prop_oneof![
        Just(Check::Digest),
        Just(Check::OnCurve),
        Just(Check::Subgroup)
    ];
    let trailing = prop_oneof![Just(Trailing::Refuse), Just(Trailing::Allow)];
    let digest = prop_oneof![Just(None), Just(Some(Digest([9; 32])))];
    (check, trailing, digest).prop_map(|(check, trailing, digest)| ReadOptions {
        check,
        trailing,
        digest,
        ..ReadOptions::default()
    })
}

/// The sample with some bytes changed, some cut out and some put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let cut = (any::<prop::sample::Index>(), 0usize..300);
    let insert = (
        any::<prop::sample::Index>(),
        proptest::collection::vec(any::<u8>(), 0..200),
    );
    (changes, cut, insert).prop_map(|(changes, cut, insert)| {
        let mut bytes = SAMPLE.clone();
        for (index, value) in changes {
            *index.get_mut(&mut bytes) = value;
        }
        let start = cut.0.index(bytes.len());
        let end = (start + cut.1).min(bytes.len());
        bytes.drain(start..end);
        let at = insert.0.index(bytes.len() + 1);
        bytes.splice(at..at, insert.1);
        bytes
    })
}

/// Reads from memory and as a stream: the same verdict, and accepted bytes are written back.
fn reads_consistently(bytes: &[u8], options: &ReadOptions) -> Result<(), TestCaseError> {
    let whole = Parameters::from_bytes(bytes, options);
    let stream = Parameters::from_reader(bytes, options);
    prop_assert_eq!(whole.is_ok(), stream.is_ok(), "{:?} {:?}", whole, stream);
    if let Ok(loaded) = whole {
        let mut written = Vec::new();
        loaded
            .parameters
            .write(&mut written)
            .expect("memory takes everything");
        prop_assert_eq!(&written[..], &bytes[..written.len()]);
        prop_assert_eq!(
            loaded.layout.trailing_bytes,
            Some((bytes.len() - written.len()) as u64)
        );
        prop_assert_eq!(loaded.parameters.digest().expect("short"), loaded.digest);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_are_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..4000),
        options in options(),
    ) {
        prop_assert!(Parameters::from_bytes(&bytes, &options).is_err());
        prop_assert!(Parameters::from_reader(&bytes[..], &options).is_err());
        prop_assert!(VerifyingKey::from_bytes(&bytes).is_err());
    }

    #[test]
    fn arbitrary_counts_after_a_good_head_are_refused_or_read(
        counts in proptest::collection::vec(prop_oneof![0u32..4, any::<u32>()], 6),
        options in options(),
    ) {
        let mut bytes = SAMPLE[..864].to_vec();
        for count in counts {
            bytes.extend(count.to_be_bytes());
        }
        reads_consistently(&bytes, &options)?;
    }

    #[test]
    fn damaged_files_are_refused_or_read_as_they_are(bytes in damaged(), options in options()) {
        reads_consistently(&bytes, &options)?;
    }
}
