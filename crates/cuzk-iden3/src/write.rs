//! Writing of both formats.

use cuzk_curve::{Fr, encode_scalar};
use cuzk_r1cs::{R1csError, Shape};

use crate::{
    Iden3Error,
    cursor::{FIELD_BYTES, prime_bytes},
    r1cs, wtns,
};

/// A circuit as a `.r1cs` file; its inputs after the constant one are written as public
/// inputs, and each wire is its own label.
///
/// # Errors
/// [`Iden3Error::System`] where a count does not fit 32 bits.
pub fn write_r1cs(shape: &Shape) -> Result<Vec<u8>, Iden3Error> {
    let wires = narrow("wires", shape.num_variables())?;
    let mut header = field_head();
    header.extend(wires.to_le_bytes());
    header.extend(0u32.to_le_bytes());
    let public_inputs = shape.num_inputs().saturating_sub(1);
    header.extend(narrow("public inputs", public_inputs)?.to_le_bytes());
    header.extend(0u32.to_le_bytes());
    header.extend(u64::from(wires).to_le_bytes());
    header.extend(narrow("constraints", shape.num_constraints())?.to_le_bytes());

    let mut constraints = Vec::new();
    for row in 0..shape.num_constraints() {
        for matrix in [shape.a(), shape.b(), shape.c()] {
            let terms = narrow("terms", matrix.row(row).columns.len())?;
            constraints.extend(terms.to_le_bytes());
            for (wire, coefficient) in matrix.row_terms(row) {
                constraints.extend(narrow("wires", wire)?.to_le_bytes());
                constraints.extend(encode_scalar(&coefficient));
            }
        }
    }
    let labels = (0..u64::from(wires)).flat_map(u64::to_le_bytes).collect();
    Ok(file(
        "r1cs",
        1,
        &[
            (r1cs::HEADER, header),
            (r1cs::CONSTRAINTS, constraints),
            (r1cs::WIRE_LABELS, labels),
        ],
    ))
}

/// A witness as a `.wtns` file.
///
/// # Shapes
/// One value per wire, the constant one first.
///
/// # Errors
/// [`Iden3Error::System`] where the count does not fit 32 bits.
pub fn write_wtns(values: &[Fr]) -> Result<Vec<u8>, Iden3Error> {
    let mut header = field_head();
    header.extend(narrow("witness values", values.len())?.to_le_bytes());
    let values = values.iter().flat_map(encode_scalar).collect();
    Ok(file(
        "wtns",
        2,
        &[(wtns::HEADER, header), (wtns::VALUES, values)],
    ))
}

fn field_head() -> Vec<u8> {
    let mut bytes = (FIELD_BYTES as u32).to_le_bytes().to_vec();
    bytes.extend(prime_bytes());
    bytes
}

fn file(magic: &str, version: u32, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = magic.as_bytes().to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (section, content) in sections {
        bytes.extend(section.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(content);
    }
    bytes
}

fn narrow(what: &'static str, count: usize) -> Result<u32, R1csError> {
    u32::try_from(count).map_err(|_| R1csError::TooMany {
        what,
        max: u32::MAX.into(),
        got: count as u64,
    })
}
