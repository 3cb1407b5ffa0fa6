use cuzk_curve::Fr;
use ff::Field;

use super::bytes::checksum;
use super::*;
use crate::{CsrBuilder, CsrMatrix, WitnessBuilder};

/// Rows of 0, 1, 2 and many terms, columns that go back and forth, coefficients of all sizes.
fn matrix(seed: usize, rows: usize, columns: usize) -> CsrMatrix {
    let mut builder = CsrBuilder::new();
    for row in 0..rows {
        let terms = [0, 1, 2, 1, 40][(row + seed) % 5];
        let mut terms = (0..terms)
            .map(|k| {
                let column = (row * 37 + seed + k * (1 + row % 3)) % columns;
                let coefficient = match (row * k + seed) % 5 {
                    0 => Fr::ONE,
                    1 => -Fr::ONE,
                    2 => Fr::from(1 << (row % 60)),
                    _ => Fr::from(3 + row as u64).invert().expect("not zero"),
                };
                (column, coefficient)
            })
            .collect();
        builder.push_row(&mut terms).expect("columns fit");
    }
    builder.finish(columns).expect("columns in range")
}

fn shape(rows: usize, columns: usize) -> Shape {
    let [a, b, c] = [0, 1, 2].map(|seed| matrix(seed, rows, columns));
    Shape::new(3, a, b, c).expect("the parts agree")
}

fn witness(len: usize) -> PackedWitness {
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::ONE);
    for i in 1..len as u64 {
        let value = match i * i % 7 {
            0 | 1 => Fr::from(i % 2),
            2 => Fr::from(i + 1),
            _ => -Fr::from(i),
        };
        if i == 3 {
            builder.push_input(value);
        } else {
            builder.push_aux(value);
        }
    }
    builder.finish().expect("the first input is one")
}

/// The bytes with another checksum, that of their content.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let sum = checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// The bytes with some at a place replaced, and the checksum of that.
fn altered(bytes: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + by.len()].copy_from_slice(by);
    summed(bytes)
}

#[test]
fn a_shape_comes_back() {
    for (rows, columns) in [(3, 3), (10, 100), (3000, 777), (200, 100_000)] {
        let shape = shape(rows, columns);
        assert_eq!(Shape::from_bytes(&shape.to_bytes()), Ok(shape));
    }
}

#[test]
fn a_witness_comes_back() {
    for len in [1, 2, 63, 64, 65, 128, 1000] {
        let witness = witness(len);
        assert_eq!(PackedWitness::from_bytes(&witness.to_bytes()), Ok(witness));
    }
}

#[test]
fn neighbouring_terms_take_two_bytes() {
    let mut builder = CsrBuilder::new();
    for row in 0..1000 {
        let mut terms = (0..30).map(|k| (row + k, Fr::ONE)).collect();
        builder.push_row(&mut terms).expect("columns fit");
    }
    let matrix = builder.finish(1030).expect("columns in range");
    let shape = Shape::new(0, matrix.clone(), matrix.clone(), matrix).expect("the parts agree");
    assert!(shape.to_bytes().len() < 3 * (1000 + 2 * 30_000) + 400);
}

#[test]
fn every_damaged_byte_and_every_early_end_is_found() {
    let (shape, witness) = (shape(12, 20).to_bytes(), witness(70).to_bytes());
    for end in 0..shape.len() {
        assert!(Shape::from_bytes(&shape[..end]).is_err(), "{end} bytes");
    }
    for end in 0..witness.len() {
        assert!(
            PackedWitness::from_bytes(&witness[..end]).is_err(),
            "{end} bytes"
        );
    }
    for at in 0..shape.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = shape.clone();
            bytes[at] ^= flip;
            assert!(Shape::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }
    for at in 0..witness.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = witness.clone();
            bytes[at] ^= flip;
            assert!(PackedWitness::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }
}

/// Whatever the bytes, with a right checksum: an answer, and no shape that would not hold.
#[test]
fn altered_content_is_refused_or_is_another_valid_shape() {
    let bytes = shape(12, 20).to_bytes();
    for at in 8..bytes.len() - 8 {
        for value in [0, 1, 2, 0x7f, 0x80, 0xff] {
            if let Ok(shape) = Shape::from_bytes(&altered(&bytes, at, &[value])) {
                for matrix in [shape.a(), shape.b(), shape.c()] {
                    for row in (0..matrix.rows()).map(|row| matrix.row(row)) {
                        assert!(row.columns.is_sorted_by(|a, b| a < b));
                        assert!(row.columns.iter().all(|c| (*c as usize) < matrix.columns()));
                        let len = matrix.dictionary().len();
                        assert!(row.coefficients.iter().all(|c| (*c as usize) < len));
                    }
                }
            }
        }
    }
}

#[test]
fn each_fault_of_a_shape_has_its_error() {
    let bytes = shape(12, 20).to_bytes();
    // Magic, inputs, then rows, columns, terms and coefficients of A, and its dictionary.
    let (rows, terms, dictionary) = (16, 32, 48);
    let error = |bytes: &[u8]| Shape::from_bytes(bytes).expect_err("it is damaged");
    assert!(matches!(error(b"cuzkwit1"), FileError::Magic { .. }));
    assert!(matches!(
        error(b"cuzkshp1123"),
        FileError::Short { got: 3, .. }
    ));
    let huge = u64::MAX.to_le_bytes();
    for (at, name) in [(rows, "rows"), (terms, "terms"), (40, "coefficients")] {
        let error = error(&altered(&bytes, at, &huge));
        assert!(
            matches!(error, FileError::Count { what, got: u64::MAX, .. } if what == name),
            "{error}"
        );
    }
    let zero = altered(&bytes, dictionary + 64, &[0; 32]);
    assert_eq!(
        error(&zero).to_string(),
        "coefficient 2 is not other than 0"
    );
    let again: Vec<u8> = bytes[dictionary + 96..dictionary + 128].to_vec();
    let twice = altered(&bytes, dictionary + 64, &again);
    assert_eq!(error(&twice).to_string(), "coefficient 3 is not there once");
    let one = altered(&bytes, dictionary + 32, &bytes[dictionary..dictionary + 32]);
    assert_eq!(error(&one).to_string(), "coefficient 1 is not -1");
    let large = altered(&bytes, dictionary + 64, &[0xff; 32]);
    assert_eq!(error(&large).to_string(), "coefficient 2 is not canonical");
    let mut longer = bytes.clone();
    longer.splice(bytes.len() - 8..bytes.len() - 8, [0]);
    assert!(matches!(error(&summed(longer)), FileError::Long { .. }));
    let mut other = bytes.clone();
    *other.last_mut().expect("there are bytes") ^= 1;
    assert!(matches!(error(&other), FileError::Checksum { .. }));
    let inputs = altered(&bytes, 8, &13u64.to_le_bytes());
    assert!(matches!(
        error(&inputs),
        FileError::Parts(R1csError::Length { .. })
    ));
}

#[test]
fn a_number_has_one_form() {
    let read = |content: &[u8]| {
        let mut bytes = [SHAPE.as_bytes(), content].concat();
        bytes.extend([0; 8]);
        Reader::new(SHAPE, &bytes)
            .expect("a frame")
            .short("a number")
    };
    assert_eq!(read(&[0]), Ok(0));
    assert_eq!(read(&[0x80, 1]), Ok(128));
    let most = [[0xff; 9].as_slice(), &[1]].concat();
    assert_eq!(read(&most), Ok(u64::MAX));
    let over = [[0xff; 9].as_slice(), &[3]].concat();
    for other in [&[0x80, 0][..], &[0xff, 0x80, 0], &over, &[0xff; 12]] {
        assert_eq!(
            read(other),
            Err(FileError::Number { at: 8 }),
            "{other:02x?}"
        );
    }
    assert!(matches!(read(&[0x80]), Err(FileError::Short { .. })));
}

#[test]
fn each_fault_of_a_witness_has_its_error() {
    let witness = witness(70);
    let bytes = witness.to_bytes();
    let (inputs, low, high, small) = (8, 40, 56, 72);
    let full = small + 8 * witness.small().len();
    let error = |bytes: &[u8]| PackedWitness::from_bytes(bytes).expect_err("it is damaged");
    let huge = u64::MAX.to_le_bytes();
    for at in [inputs, 16, 24, 32] {
        assert!(matches!(
            error(&altered(&bytes, at, &huge)),
            FileError::Count { .. }
        ));
    }
    let fewer = altered(&bytes, 24, &1u64.to_le_bytes());
    assert!(matches!(
        error(&fewer),
        FileError::Disagree {
            what: "small values",
            ..
        }
    ));
    let not_one = altered(&bytes, low, &[bytes[low] & 0xfe]);
    assert_eq!(
        error(&not_one),
        FileError::Parts(R1csError::FirstInputNotOne)
    );
    let after_end = altered(&bytes, high + 15, &[0x80]);
    assert!(matches!(error(&after_end), FileError::Disagree { .. }));
    let one = altered(&bytes, small, &1u64.to_le_bytes());
    assert_eq!(error(&one).to_string(), "small value 0 is not 2 or more");
    let few = [[7; 8].as_slice(), &[0; 24]].concat();
    let not_full = altered(&bytes, full, &few);
    assert_eq!(
        error(&not_full).to_string(),
        "full value 0 is not 2^64 or more"
    );
}
