use cuzk_curve::Fr;
use cuzk_r1cs::{CsrBuilder, Shape};

use crate::{
    Iden3Error,
    cursor::{Cursor, FIELD_BYTES},
    sections::Sections,
};

pub(crate) const HEADER: u32 = 1;
pub(crate) const CONSTRAINTS: u32 = 2;
pub(crate) const WIRE_LABELS: u32 = 3;
const CUSTOM_GATES: [u32; 2] = [4, 5];

/// The counts of a `.r1cs` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct R1csHeader {
    /// Wires, the constant one among them.
    pub wires: u32,
    /// Public outputs, wires 1 and on.
    pub public_outputs: u32,
    /// Public inputs, the wires after them.
    pub public_inputs: u32,
    /// Private inputs, the wires after them.
    pub private_inputs: u32,
    /// Names of signals in the source; many may be of one wire.
    pub labels: u64,
    /// Constraints.
    pub constraints: u32,
}

/// A circuit that was read from a `.r1cs` file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct R1csFile {
    /// The counts of the file.
    pub header: R1csHeader,
    /// The matrices, with the rows of the inputs appended.
    pub shape: Shape,
}

impl R1csFile {
    /// Reads a circuit.
    ///
    /// # Errors
    /// [`Iden3Error`] for the first rule broken, with section and byte.
    ///
    /// # Source
    /// `[iden3 r1cs]`, version 1.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Iden3Error> {
        let sections = Sections::split(bytes, "r1cs", 1)?;
        for section in CUSTOM_GATES {
            if sections.all(section).any(|cursor| has_gates(cursor)) {
                return Err(Iden3Error::CustomGates { section });
            }
        }
        let header = R1csHeader::read(sections.one(HEADER, "header")?)?;
        // Eight bytes a wire: so the number of wires, and of inputs among them, is bounded by
        // the size of the file before anything is allocated for them.
        let labels = sections.one(WIRE_LABELS, "wire labels")?;
        agree(
            "bytes of wire labels",
            8 * u64::from(header.wires),
            labels.remaining(),
        )?;
        let shape = read_shape(&header, sections.one(CONSTRAINTS, "constraints")?)?;
        Ok(Self { header, shape })
    }
}

/// A list of custom gates begins with their number; circom writes empty lists.
fn has_gates(section: &Cursor<'_>) -> bool {
    let mut section = section.clone();
    section.remaining() != 0 && section.u32("number of gates") != Ok(0)
}

impl R1csHeader {
    fn read(mut section: Cursor<'_>) -> Result<Self, Iden3Error> {
        section.prime()?;
        let header = Self {
            wires: section.u32("number of wires")?,
            public_outputs: section.u32("number of public outputs")?,
            public_inputs: section.u32("number of public inputs")?,
            private_inputs: section.u32("number of private inputs")?,
            labels: section.u64("number of labels")?,
            constraints: section.u32("number of constraints")?,
        };
        section.end("the header")?;
        let named = [
            header.public_outputs,
            header.public_inputs,
            header.private_inputs,
        ];
        let named = 1 + named.into_iter().map(u64::from).sum::<u64>();
        if named > u64::from(header.wires) {
            return Err(Iden3Error::Count {
                what: "wires for the constant one, the outputs and the inputs",
                expected: named,
                got: header.wires.into(),
            });
        }
        Ok(header)
    }

    /// Inputs of the shape: the constant one, the outputs, the public inputs.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        1 + self.public_outputs as usize + self.public_inputs as usize
    }
}

fn read_shape(header: &R1csHeader, mut section: Cursor<'_>) -> Result<Shape, Iden3Error> {
    // Three counts of four bytes are the least that a constraint takes.
    let least = 12 * u64::from(header.constraints);
    if least > section.remaining() {
        return Err(Iden3Error::Truncated {
            what: "constraints",
            offset: section.offset(),
            expected: least,
            got: section.remaining(),
        });
    }
    let mut matrices = [CsrBuilder::new(), CsrBuilder::new(), CsrBuilder::new()];
    let mut terms = Vec::new();
    for _ in 0..header.constraints {
        for matrix in &mut matrices {
            read_terms(header, &mut section, &mut terms)?;
            matrix.push_row(&mut terms)?;
        }
    }
    section.end("the last constraint")?;
    let [mut a, mut b, mut c] = matrices;
    for input in 0..header.num_inputs() {
        a.push_row(&mut vec![(input, Fr::from(1))])?;
        b.push_row(&mut Vec::new())?;
        c.push_row(&mut Vec::new())?;
    }
    let wires = header.wires as usize;
    let inputs = header.num_inputs();
    Ok(Shape::new(
        inputs,
        a.finish(wires)?,
        b.finish(wires)?,
        c.finish(wires)?,
    )?)
}

fn read_terms(
    header: &R1csHeader,
    section: &mut Cursor<'_>,
    terms: &mut Vec<(usize, Fr)>,
) -> Result<(), Iden3Error> {
    terms.clear();
    let count = section.u32("number of terms")?;
    let bytes = (4 + FIELD_BYTES as u64) * u64::from(count);
    if bytes > section.remaining() {
        return Err(Iden3Error::Truncated {
            what: "terms of a constraint",
            offset: section.offset(),
            expected: bytes,
            got: section.remaining(),
        });
    }
    for _ in 0..count {
        let wire = section.u32("wire")?;
        if wire >= header.wires {
            return Err(Iden3Error::Count {
                what: "wire of a term, below the number of wires",
                expected: header.wires.into(),
                got: wire.into(),
            });
        }
        terms.push((wire as usize, section.scalar("coefficient")?));
    }
    Ok(())
}

/// `Ok` where two counts agree.
pub(crate) fn agree(what: &'static str, expected: u64, got: u64) -> Result<(), Iden3Error> {
    if expected == got {
        Ok(())
    } else {
        Err(Iden3Error::Count {
            what,
            expected,
            got,
        })
    }
}
