//! Derived queries in a folder: what was kept comes back, and nothing else does.

use std::fs;

use cuzk_curve::{Fr, G1, G1Affine, G1Projective};
use cuzk_hostmem::HostAllocator;
use cuzk_params::{Digest, KeptError, KeptQueries, Query};
use group::{Curve, Group};

const HEADER_BYTES: usize = 64;

fn query(first: u64, len: u64) -> Query<G1> {
    let point = |i| (G1Projective::generator() * Fr::from(first + i)).to_affine();
    let points: Vec<G1Affine> = (0..len).map(point).collect();
    Query::from_points(&points, &HostAllocator::default()).expect("memory")
}

fn digest() -> Digest {
    KeptQueries::digest(b"a shape", [&query(1, 3), &query(9, 2)])
}

#[test]
fn what_was_kept_comes_back_and_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = KeptQueries::new(folder.path().join("made/when/needed"));
    let memory = HostAllocator::default();
    assert_eq!(kept.read(&digest(), &memory).expect("no file"), None);
    // None, and more than one piece.
    for (first, second) in [(query(5, 0), query(6, 1)), (query(3, 20_000), query(4, 7))] {
        kept.write(&digest(), [&first, &second]).expect("a disk");
        let read = kept.read(&digest(), &memory).expect("our own file");
        assert_eq!(read, Some([first, second]));
    }
    let files = fs::read_dir(folder.path().join("made/when/needed")).expect("made");
    assert_eq!(files.count(), 1, "nothing else is left");
}

#[test]
fn the_digest_is_of_the_bytes_and_of_both_queries() {
    let (a, b) = (query(1, 3), query(9, 2));
    let others = [
        KeptQueries::digest(b"another shape", [&a, &b]),
        KeptQueries::digest(b"a shape", [&b, &a]),
        KeptQueries::digest(b"a shape", [&query(1, 4), &b]),
        KeptQueries::digest(b"a shape", [&a, &query(8, 2)]),
    ];
    assert_eq!(KeptQueries::digest(b"a shape", [&a, &b]), digest());
    assert!(!others.contains(&digest()));
}

#[test]
fn files_that_end_early_or_late_or_are_of_others_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = KeptQueries::new(folder.path());
    let memory = HostAllocator::default();
    kept.write(&digest(), [&query(1, 2), &query(2, 1)])
        .expect("a disk");
    let path = kept.path(&digest());
    let bytes = fs::read(&path).expect("the file");
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the file");
        kept.read(&digest(), &memory).expect_err("damaged")
    };
    for len in 0..bytes.len() {
        assert!(
            matches!(read(&bytes[..len]), KeptError::Length { .. }),
            "{len}"
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(read(&longer), KeptError::Length { .. }));
    for at in 0..48 {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(
            matches!(read(&changed), KeptError::Foreign { .. }),
            "byte {at}"
        );
    }
    // Counts that no memory has are compared with the length first.
    for at in 48..HEADER_BYTES {
        let mut changed = bytes.clone();
        changed[at] ^= 0x80;
        assert!(
            matches!(read(&changed), KeptError::Length { .. }),
            "byte {at}"
        );
    }
    let mut wide = bytes.clone();
    wide[HEADER_BYTES + 96..HEADER_BYTES + 144].fill(0xff);
    assert!(matches!(read(&wide), KeptError::Point { index: 1, .. }));
    fs::write(&path, &bytes).expect("the file");
    assert!(
        kept.read(&digest(), &memory)
            .expect("whole again")
            .is_some()
    );
}

#[test]
fn where_nothing_can_be_written_the_error_names_the_file_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a file");
    fs::write(&file, b"not a folder").expect("the file");
    let kept = KeptQueries::new(&file);
    let error = kept.write(&digest(), [&query(1, 1), &query(2, 1)]);
    let error = error.expect_err("no folder can be made");
    assert!(matches!(&error, KeptError::Write { path, .. } if *path == kept.path(&digest())));
    assert_eq!(fs::read(&file).expect("untouched"), b"not a folder");
}
