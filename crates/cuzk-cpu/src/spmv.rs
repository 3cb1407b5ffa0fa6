use cuzk_curve::Fr;
use cuzk_r1cs::{CsrMatrix, Row};
use ff::Field;
use rayon::prelude::*;

/// A matrix with its rows divided into shares of about equal work.
#[derive(Debug, Clone)]
pub struct CpuMatrix {
    matrix: CsrMatrix,
    /// The row at which each share begins, and the number of rows at the end.
    borders: Vec<usize>,
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
        Self { matrix, borders }
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
    /// # Panics
    /// Where a length differs.
    pub fn multiply(&self, witness: &[Fr], out: &mut [Fr]) {
        assert_eq!(witness.len(), self.matrix.columns(), "one value per column");
        assert_eq!(out.len(), self.matrix.rows(), "one place per row");
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
            for (i, value) in share.iter_mut().enumerate() {
                *value = self.row(self.matrix.row(first + i), witness);
            }
        });
    }

    fn row(&self, row: Row<'_>, witness: &[Fr]) -> Fr {
        let dictionary = self.matrix.dictionary();
        let mut sum = Fr::ZERO;
        for (&column, &coefficient) in row.columns.iter().zip(row.coefficients) {
            let value = &witness[column as usize];
            match coefficient {
                CsrMatrix::ONE => sum += value,
                CsrMatrix::MINUS_ONE => sum -= value,
                _ if value.is_zero_vartime() => (),
                _ if *value == Fr::ONE => sum += &dictionary[coefficient as usize],
                _ => sum += dictionary[coefficient as usize] * value,
            }
        }
        sum
    }
}
