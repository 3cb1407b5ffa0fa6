use std::collections::HashSet;

use cuzk_curve::{Fr, FrLimbs};
use ff::Field;

use super::FileError;
use super::bytes::{Reader, Writer};
use crate::CsrMatrix;

/// The number of a signed difference: 0, −1, 1, −2 … are 0, 1, 2, 3.
fn unsigned(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

pub(super) fn write(matrix: &CsrMatrix, writer: &mut Writer) {
    writer.count(matrix.rows());
    writer.count(matrix.columns());
    writer.count(matrix.terms());
    writer.count(matrix.dictionary().len());
    for coefficient in matrix.dictionary() {
        writer.scalar(coefficient);
    }
    let mut last_first = 0;
    for row in (0..matrix.rows()).map(|row| matrix.row(row)) {
        writer.short(row.columns.len() as u64);
        let mut next: Option<i64> = None;
        for (&column, &coefficient) in row.columns.iter().zip(row.coefficients) {
            let column = i64::from(column);
            match next {
                None => {
                    writer.short(unsigned(column - last_first));
                    last_first = column;
                }
                // Columns ascend.
                Some(next) => writer.short((column - next).cast_unsigned()),
            }
            next = Some(column + 1);
            writer.short(u64::from(coefficient));
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<CsrMatrix, FileError> {
    // A row takes a byte at least, a term two, a coefficient 32; a column and the index of a
    // coefficient fit 32 bits.
    let rows = reader.count("rows", reader.left())?;
    let columns = reader.count("columns", 1 << 32)?;
    let terms = reader.count("terms", reader.left() / 2)?;
    let most = (reader.left() / 32).min(1 << 32);
    let dictionary = read_dictionary(reader, most)?;
    let mut row_ends = Vec::with_capacity(rows);
    let mut term_columns = Vec::with_capacity(terms);
    let mut coefficients = Vec::with_capacity(terms);
    let mut last_first = 0;
    for row in 0..rows {
        let len = reader.short("the length of a row")?;
        let most = (terms - term_columns.len()) as u64;
        if len > most {
            let what = "terms of a row";
            return Err(FileError::Count {
                what,
                most,
                got: len,
            });
        }
        let out_of_range = FileError::Column { row, columns };
        let in_range = |column: Option<i64>| match column.and_then(|c| u32::try_from(c).ok()) {
            Some(column) if (column as usize) < columns => Ok(column),
            _ => Err(out_of_range.clone()),
        };
        let mut next = 0;
        for k in 0..len {
            let number = reader.short("a column")?;
            let column = match k {
                0 => in_range(signed(number).checked_add(last_first))?,
                _ => in_range(number.checked_add(next).and_then(|c| i64::try_from(c).ok()))?,
            };
            if k == 0 {
                last_first = i64::from(column);
            }
            next = u64::from(column) + 1;
            let index = reader.short("the index of a coefficient")?;
            let below = dictionary.len() as u64;
            if index >= below {
                return Err(FileError::Count {
                    what: "coefficients of a term",
                    most: below - 1,
                    got: index,
                });
            }
            term_columns.push(column);
            coefficients.push(index as u32);
        }
        row_ends.push(term_columns.len() as u64);
    }
    if term_columns.len() != terms {
        return Err(FileError::Disagree {
            what: "terms of all rows",
            expected: terms as u64,
            got: term_columns.len() as u64,
        });
    }
    Ok(CsrMatrix::from_parts(
        columns,
        row_ends,
        term_columns,
        coefficients,
        dictionary,
    ))
}

/// Begins with 1 and −1; every coefficient is there once, and none is zero.
fn read_dictionary(reader: &mut Reader<'_>, most: u64) -> Result<Vec<Fr>, FileError> {
    let what = "coefficient";
    let len = reader.count("coefficients", most)?;
    let mut dictionary = Vec::with_capacity(len);
    let mut seen = HashSet::with_capacity(len);
    for index in 0..len {
        let value = reader.scalar(what, index)?;
        let demand = match index {
            0 if value != Fr::ONE => Some("1"),
            1 if value != -Fr::ONE => Some("-1"),
            _ if value.is_zero_vartime() => Some("other than 0"),
            _ if !seen.insert(FrLimbs::from(value)) => Some("there once"),
            _ => None,
        };
        if let Some(demand) = demand {
            return Err(FileError::Scalar {
                what,
                index,
                demand,
            });
        }
        dictionary.push(value);
    }
    if len < 2 {
        return Err(FileError::Disagree {
            what: "coefficients, at least",
            expected: 2,
            got: len as u64,
        });
    }
    Ok(dictionary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_and_their_numbers_are_the_same_set() {
        for (number, difference) in [0, -1, 1, -2, 2].into_iter().enumerate() {
            assert_eq!(unsigned(difference), number as u64);
        }
        for difference in [0, 1, -1, 1 << 33, -(1 << 33), i64::MAX, i64::MIN] {
            assert_eq!(signed(unsigned(difference)), difference);
        }
    }
}
