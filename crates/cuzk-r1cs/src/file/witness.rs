use cuzk_curve::Fr;

use super::FileError;
use super::bytes::{Reader, Writer};
use crate::{Bitmap, PackedWitness, R1csError, Value};

pub(super) fn write(witness: &PackedWitness, writer: &mut Writer) {
    writer.count(witness.num_inputs());
    writer.count(witness.len());
    writer.count(witness.small().len());
    writer.count(witness.full().len());
    for bitmap in [witness.low(), witness.high()] {
        bitmap.words().iter().for_each(|word| writer.word(*word));
    }
    witness.small().iter().for_each(|value| writer.word(*value));
    witness.full().iter().for_each(|value| writer.scalar(value));
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<PackedWitness, FileError> {
    let num_inputs = reader.count("inputs", u64::from(u32::MAX))?;
    // Two bits a variable, eight bytes a small value, 32 a full one.
    let len = reader.count("variables", reader.left().saturating_mul(4))?;
    let num_small = reader.count("small values", reader.left() / 8)?;
    let num_full = reader.count("full values", reader.left() / 32)?;
    let what = "inputs of all variables";
    if num_inputs > len {
        let (most, got) = (len as u64, num_inputs as u64);
        return Err(FileError::Count { what, most, got });
    }
    let low = read_bitmap(reader, len)?;
    let high = read_bitmap(reader, len)?;
    let full_bits = low
        .words()
        .iter()
        .zip(high.words())
        .map(|(low, high)| low & high);
    let full: usize = full_bits.map(|word| word.count_ones() as usize).sum();
    for (what, expected, got) in [
        ("full values", full, num_full),
        ("small values", high.count_ones() - full, num_small),
    ] {
        if expected != got {
            let (expected, got) = (expected as u64, got as u64);
            return Err(FileError::Disagree {
                what,
                expected,
                got,
            });
        }
    }
    if num_inputs == 0 || !low.get(0) || high.get(0) {
        return Err(R1csError::FirstInputNotOne.into());
    }
    let mut small = Vec::with_capacity(num_small);
    for index in 0..num_small {
        let value = reader.word("a small value")?;
        if value < 2 {
            let (what, demand) = ("small value", "2 or more");
            return Err(FileError::Scalar {
                what,
                index,
                demand,
            });
        }
        small.push(value);
    }
    let mut full: Vec<Fr> = Vec::with_capacity(num_full);
    for index in 0..num_full {
        let value = reader.scalar("full value", index)?;
        if !matches!(Value::classify(value), Value::Full(_)) {
            let (what, demand) = ("full value", "2^64 or more");
            return Err(FileError::Scalar {
                what,
                index,
                demand,
            });
        }
        full.push(value);
    }
    Ok(PackedWitness::from_parts(
        num_inputs, low, high, small, full,
    ))
}

fn read_bitmap(reader: &mut Reader<'_>, len: usize) -> Result<Bitmap, FileError> {
    let words = len.div_ceil(64);
    if reader.left() / 8 < words as u64 {
        // Says what is missing, before anything is allocated.
        let most = reader.left().saturating_mul(8);
        let (what, got) = ("variables of a bitmap", len as u64);
        return Err(FileError::Count { what, most, got });
    }
    let words: Result<Vec<u64>, _> = (0..words).map(|_| reader.word("a bitmap")).collect();
    let words = words?;
    if let Some(last) = words.last()
        && !len.is_multiple_of(64)
        && last >> (len % 64) != 0
    {
        return Err(FileError::Disagree {
            what: "bits of a bitmap after its end",
            expected: 0,
            got: last >> (len % 64),
        });
    }
    Ok(Bitmap::from_words(words, len))
}
