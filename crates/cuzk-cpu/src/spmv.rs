use cuzk_backend::ShapeError;
use cuzk_curve::Fr;
use cuzk_r1cs::{CsrMatrix, Row};
use ff::Field;
use rayon::prelude::*;

use crate::{CpuWitness, witness::Value};

/// A matrix with its rows divided into shares of about equal work.
#[derive(Debug, Clone)]
pub struct CpuMatrix {
    matrix: CsrMatrix,
    /// The row at which each share begins, and the number of rows at the end.
    borders: Vec<usize>,
    /// 0, 1, 2 … as scalars.
    counts: Vec<Fr>,
}

/// Terms of a share; a row counts as one term more than it has.
const TERMS_PER_SHARE: u64 = 1 << 14;

impl CpuMatrix {
    /// Divides the rows.
    #[must_use]
    pub fn new(matrix: CsrMatrix) -> Self {
        let mut borders = vec![0];
        let mut work_before = 0;
        for (row, end) in matrix.row_ends().iter().enumerate() {
            let work = end + row as u64 + 1;
            if work - work_before >= TERMS_PER_SHARE {
                borders.push(row + 1);
                work_before = work;
            }
        }
        if borders.last() != Some(&matrix.rows()) {
            borders.push(matrix.rows());
        }
        Self {
            matrix,
            borders,
            counts: (0..=64).map(Fr::from).collect(),
        }
    }

    /// The matrix.
    #[must_use]
    pub fn csr(&self) -> &CsrMatrix {
        &self.matrix
    }

    /// Writes `matrix · witness` to `out`, in parallel on the caller's pool.
    ///
    /// # Shapes
    /// `witness` has one value per column, `out` one place per row.
    ///
    /// # Errors
    /// [`ShapeError`] where a length differs.
    pub fn multiply(&self, witness: &CpuWitness, out: &mut [Fr]) -> Result<(), ShapeError> {
        let (rows, columns) = (self.matrix.rows(), self.matrix.columns());
        ShapeError::check(
            "values of the witness for the columns",
            columns,
            witness.len(),
        )?;
        ShapeError::check("places for the rows", rows, out.len())?;
        let mut rest = out;
        let shares: Vec<_> = self
            .borders
            .windows(2)
            .map(|border| {
                let (share, tail) = std::mem::take(&mut rest).split_at_mut(border[1] - border[0]);
                rest = tail;
                (border[0], share)
            })
            .collect();
        shares.into_par_iter().for_each(|(first, share)| {
            for (row, value) in (first..).zip(share) {
                *value = self.row(self.matrix.row(row), witness);
            }
        });
        Ok(())
    }

    /// One row. Coefficients ±1 on bits, most terms of a circuit of bits, are counted in an
    /// integer; other bits add a coefficient or nothing; only the rest takes products.
    fn row(&self, row: Row<'_>, witness: &CpuWitness) -> Fr {
        let dictionary = self.matrix.dictionary();
        let mut count = 0i64;
        let mut sum = Fr::ZERO;
        for (&column, &coefficient) in row.columns.iter().zip(row.coefficients) {
            match (witness.value(column as usize), coefficient) {
                (Value::Bit(bit), CsrMatrix::ONE) => count += i64::from(bit),
                (Value::Bit(bit), CsrMatrix::MINUS_ONE) => count -= i64::from(bit),
                (Value::Bit(false), _) => (),
                (Value::Bit(true), _) => sum += dictionary[coefficient as usize],
                (Value::Rest(value), CsrMatrix::ONE) => sum += value,
                (Value::Rest(value), CsrMatrix::MINUS_ONE) => sum -= value,
                (Value::Rest(value), _) => sum += dictionary[coefficient as usize] * value,
            }
        }
        match count {
            0 => sum,
            1.. => sum + self.count(count.unsigned_abs()),
            _ => sum - self.count(count.unsigned_abs()),
        }
    }

    fn count(&self, count: u64) -> Fr {
        let known = self.counts.get(count as usize);
        known.copied().unwrap_or_else(|| Fr::from(count))
    }
}
