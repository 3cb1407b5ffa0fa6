//! A real circuit and witness of circom's, and everything that can be wrong with such files.

use cuzk_curve::Fr;
use cuzk_iden3::{Iden3Error, R1csFile, WitnessFile, write_r1cs, write_wtns};
use cuzk_r1cs::{CsrMatrix, Shape};
use ff::Field;

const R1CS: &[u8] = include_bytes!("data/bounded_product.r1cs");
const WTNS: &[u8] = include_bytes!("data/bounded_product.wtns");

fn product(matrix: &CsrMatrix, witness: &[Fr], row: usize) -> Fr {
    matrix
        .row_terms(row)
        .map(|(column, c)| c * witness[column])
        .sum()
}

fn satisfied(shape: &Shape, witness: &[Fr]) -> bool {
    (0..shape.num_constraints()).all(|row| {
        let [a, b, c] = [shape.a(), shape.b(), shape.c()].map(|m| product(m, witness, row));
        a * b == c
    })
}

#[test]
fn the_witness_of_circom_satisfies_the_circuit_of_circom() {
    let circuit = R1csFile::from_bytes(R1CS).expect("a good file");
    let header = circuit.header;
    assert_eq!(
        (header.wires, header.constraints, header.labels),
        (41, 39, 41)
    );
    assert_eq!(
        (
            header.public_outputs,
            header.public_inputs,
            header.private_inputs
        ),
        (2, 1, 2)
    );
    let shape = &circuit.shape;
    assert_eq!(
        (shape.num_inputs(), shape.num_aux(), shape.num_rows()),
        (4, 37, 43)
    );

    let mut values = WitnessFile::from_bytes(WTNS).expect("a good file").values;
    assert_eq!(values[1], Fr::from(1009 * 40961));
    assert!(satisfied(shape, &values));
    let witness = WitnessFile::from_bytes(WTNS)
        .expect("a good file")
        .pack(4)
        .expect("four inputs");
    assert_eq!(witness.unpack(), values);
    values[4] += Fr::ONE;
    assert!(!satisfied(shape, &values));
}

#[test]
fn files_that_are_written_are_read_back() {
    let circuit = R1csFile::from_bytes(R1CS).expect("a good file");
    let written = write_r1cs(&circuit.shape).expect("small counts");
    let again = R1csFile::from_bytes(&written).expect("our own file");
    assert_eq!(again.shape, circuit.shape);
    assert_eq!(again.header.public_inputs, 3);

    let values = WitnessFile::from_bytes(WTNS).expect("a good file").values;
    assert_eq!(write_wtns(&values).expect("small counts"), WTNS);
}

/// The sections of a file: type, content.
fn sections(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut sections = Vec::new();
    let mut at = 12;
    while at < bytes.len() {
        let kind = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let len = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().expect("eight")) as usize;
        sections.push((kind, bytes[at + 12..at + 12 + len].to_vec()));
        at += 12 + len;
    }
    sections
}

fn file(magic: &[u8], version: u32, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (kind, content) in sections {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(content);
    }
    bytes
}

#[test]
fn sections_come_in_any_order_and_unknown_ones_are_passed_over() {
    let expected = R1csFile::from_bytes(R1CS).expect("a good file");
    let mut shuffled = sections(R1CS);
    shuffled.reverse();
    shuffled.push((77, vec![1, 2, 3]));
    shuffled.push((4, 0u32.to_le_bytes().to_vec()));
    let read = R1csFile::from_bytes(&file(b"r1cs", 1, &shuffled)).expect("the same sections");
    assert_eq!(read, expected);
}

#[test]
fn each_broken_rule_has_its_error() {
    let good = sections(R1CS);
    let read = |sections: &[(u32, Vec<u8>)]| R1csFile::from_bytes(&file(b"r1cs", 1, sections));
    assert!(matches!(
        R1csFile::from_bytes(b"zkey"),
        Err(Iden3Error::Magic { .. })
    ));
    assert!(matches!(
        R1csFile::from_bytes(b""),
        Err(Iden3Error::Magic { .. })
    ));
    assert!(matches!(
        R1csFile::from_bytes(&file(b"r1cs", 2, &good)),
        Err(Iden3Error::Version { got: 2, .. })
    ));
    let mut twice = good.clone();
    twice.push(good[0].clone());
    assert!(matches!(
        read(&twice),
        Err(Iden3Error::Section { got: 2, .. })
    ));
    assert!(matches!(read(&[]), Err(Iden3Error::Section { got: 0, .. })));
    let mut gates = good.clone();
    gates.push((5, 3u32.to_le_bytes().to_vec()));
    assert_eq!(read(&gates), Err(Iden3Error::CustomGates { section: 5 }));

    let header = good
        .iter()
        .position(|(kind, _)| *kind == 1)
        .expect("a header");
    let mut prime = good.clone();
    prime[header].1[10] ^= 1;
    assert!(matches!(read(&prime), Err(Iden3Error::Prime { .. })));
    // The count of private inputs: more wires are named than there are.
    let mut named = good.clone();
    named[header].1[48..52].fill(0xff);
    assert!(matches!(read(&named), Err(Iden3Error::Count { .. })));
    // The count of constraints.
    let mut many = good.clone();
    many[header].1[60..64].fill(0xff);
    assert!(matches!(read(&many), Err(Iden3Error::Truncated { .. })));
    let mut fewer = good.clone();
    fewer[header].1[60] -= 1;
    assert!(matches!(read(&fewer), Err(Iden3Error::Trailing { .. })));

    // More wires than there are labels for, all of them public: nothing is allocated for them.
    let mut wires = good.clone();
    wires[header].1[36..40].fill(0xff);
    wires[header].1[44..48].copy_from_slice(&[0xf0, 0xff, 0xff, 0xff]);
    assert!(matches!(read(&wires), Err(Iden3Error::Count { .. })));
    wires.retain(|(kind, _)| *kind != 3);
    assert!(matches!(
        read(&wires),
        Err(Iden3Error::Section { section: 3, .. })
    ));

    let constraints = good
        .iter()
        .position(|(kind, _)| *kind == 2)
        .expect("constraints");
    let mut terms = good.clone();
    terms[constraints].1[..4].fill(0xff);
    assert!(matches!(read(&terms), Err(Iden3Error::Truncated { .. })));
    let mut wire = good.clone();
    wire[constraints].1[4..8].fill(0x7f);
    assert!(matches!(read(&wire), Err(Iden3Error::Count { .. })));
    let mut coefficient = good.clone();
    coefficient[constraints].1[8..40].fill(0xff);
    assert!(matches!(
        read(&coefficient),
        Err(Iden3Error::NotCanonical { .. })
    ));
}

#[test]
fn a_witness_of_another_length_or_field_is_refused() {
    let good = sections(WTNS);
    let read = |sections: &[(u32, Vec<u8>)]| WitnessFile::from_bytes(&file(b"wtns", 2, sections));
    let mut short = good.clone();
    short[1].1.truncate(40 * 32);
    assert!(matches!(
        read(&short),
        Err(Iden3Error::Count {
            expected: 1312,
            got: 1280,
            ..
        })
    ));
    let mut prime = good.clone();
    prime[0].1[4] ^= 2;
    assert!(matches!(read(&prime), Err(Iden3Error::Prime { .. })));
    let mut value = good.clone();
    value[1].1[32..64].fill(0xff);
    assert!(matches!(read(&value), Err(Iden3Error::NotCanonical { .. })));
    let file = WitnessFile::from_bytes(WTNS).expect("a good file");
    assert!(matches!(file.pack(42), Err(Iden3Error::Count { .. })));
    let mut not_one = file;
    not_one.values[0] = Fr::from(2);
    assert!(matches!(not_one.pack(4), Err(Iden3Error::System(_))));
}

#[test]
fn every_cut_is_refused() {
    for len in 0..R1CS.len() {
        assert!(R1csFile::from_bytes(&R1CS[..len]).is_err(), "{len} bytes");
    }
    for len in 0..WTNS.len() {
        assert!(
            WitnessFile::from_bytes(&WTNS[..len]).is_err(),
            "{len} bytes"
        );
    }
    assert!(R1csFile::from_bytes(&[R1CS, &[0]].concat()).is_err());
    assert!(WitnessFile::from_bytes(&[WTNS, &[0]].concat()).is_err());
}
