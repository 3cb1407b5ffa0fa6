use cuzk_curve::Fr;
use cuzk_r1cs::{PackedWitness, WitnessBuilder};

use crate::{Iden3Error, cursor::FIELD_BYTES, r1cs::agree, sections::Sections};

pub(crate) const HEADER: u32 = 1;
pub(crate) const VALUES: u32 = 2;

/// A witness that was read from a `.wtns` file: a value for every wire, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WitnessFile {
    /// The values; the first is the constant one.
    pub values: Vec<Fr>,
}

impl WitnessFile {
    /// Reads a witness.
    ///
    /// # Errors
    /// [`Iden3Error`] for the first rule broken, with section and byte.
    ///
    /// # Source
    /// `[iden3 r1cs]`; `.wtns` has no document of its own, and is read as `snarkjs` writes it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Iden3Error> {
        let sections = Sections::split(bytes, "wtns", 2)?;
        let mut header = sections.one(HEADER, "header")?;
        header.prime()?;
        let count = header.u32("number of values")?;
        header.end("the header")?;
        let mut section = sections.one(VALUES, "values")?;
        let expected = FIELD_BYTES as u64 * u64::from(count);
        agree("bytes of the values", expected, section.remaining())?;
        let values = (0..count)
            .map(|_| section.scalar("witness value"))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { values })
    }

    /// Packs the witness of a circuit with `num_inputs` inputs, the constant one among them.
    ///
    /// # Errors
    /// [`Iden3Error::Count`] where there are fewer values than inputs, [`Iden3Error::System`]
    /// where the first value is not one.
    pub fn pack(&self, num_inputs: usize) -> Result<PackedWitness, Iden3Error> {
        let (inputs, aux) = self
            .values
            .split_at_checked(num_inputs)
            .ok_or(Iden3Error::Count {
                what: "witness values for the inputs",
                expected: num_inputs as u64,
                got: self.values.len() as u64,
            })?;
        let mut witness = WitnessBuilder::new();
        inputs.iter().for_each(|&value| witness.push_input(value));
        aux.iter().for_each(|&value| witness.push_aux(value));
        Ok(witness.finish()?)
    }
}
