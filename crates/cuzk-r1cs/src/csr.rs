mod transpose;

use std::collections::HashMap;

use cuzk_curve::{Fr, FrLimbs};

use crate::R1csError;

/// A sparse matrix over the scalar field, row by row.
///
/// The coefficient of term `k` is `dictionary[coefficients[k]]`. Within a row the columns
/// ascend, each once, and no coefficient is zero. A real circuit has a few thousand distinct
/// coefficients at most, so a term takes eight bytes and not 36.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrMatrix {
    columns: usize,
    row_ends: Vec<u64>,
    term_columns: Vec<u32>,
    coefficients: Vec<u32>,
    dictionary: Vec<Fr>,
}

/// The terms of one row, as parallel slices.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Columns, ascending.
    pub columns: &'a [u32],
    /// Indices into the dictionary, as many as columns.
    pub coefficients: &'a [u32],
}

impl CsrMatrix {
    /// A matrix from its arrays, which the caller has checked.
    pub(crate) fn from_parts(
        columns: usize,
        row_ends: Vec<u64>,
        term_columns: Vec<u32>,
        coefficients: Vec<u32>,
        dictionary: Vec<Fr>,
    ) -> Self {
        Self {
            columns,
            row_ends,
            term_columns,
            coefficients,
            dictionary,
        }
    }

    /// The dictionary index of the coefficient one, in every matrix.
    pub const ONE: u32 = 0;
    /// The dictionary index of the coefficient minus one, in every matrix.
    pub const MINUS_ONE: u32 = 1;

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.row_ends.len()
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of terms, all non-zero.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.term_columns.len()
    }

    /// The distinct coefficients; index [`CsrMatrix::ONE`] is 1 and
    /// [`CsrMatrix::MINUS_ONE`] is −1.
    #[must_use]
    pub fn dictionary(&self) -> &[Fr] {
        &self.dictionary
    }

    /// Where each row ends in the term arrays; row `i` begins where row `i − 1` ends.
    #[must_use]
    pub fn row_ends(&self) -> &[u64] {
        &self.row_ends
    }

    /// The column of every term, row after row.
    #[must_use]
    pub fn term_columns(&self) -> &[u32] {
        &self.term_columns
    }

    /// The dictionary index of every term, row after row.
    #[must_use]
    pub fn coefficients(&self) -> &[u32] {
        &self.coefficients
    }

    /// Row `index`; empty out of range.
    #[inline]
    #[must_use]
    pub fn row(&self, index: usize) -> Row<'_> {
        let end = self.row_ends.get(index).copied().unwrap_or(0) as usize;
        let start = match index {
            0 => 0,
            _ => self.row_ends.get(index - 1).copied().unwrap_or(0) as usize,
        };
        let terms = start.min(end)..end;
        Row {
            columns: &self.term_columns[terms.clone()],
            coefficients: &self.coefficients[terms],
        }
    }

    /// The terms of row `index` with their coefficients.
    pub fn row_terms(&self, index: usize) -> impl Iterator<Item = (usize, Fr)> + '_ {
        let row = self.row(index);
        row.columns
            .iter()
            .zip(row.coefficients)
            .map(|(&column, &c)| (column as usize, self.dictionary[c as usize]))
    }

    /// Bytes of the four arrays.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.row_ends.len()
            + 4 * self.term_columns.len()
            + 4 * self.coefficients.len()
            + 32 * self.dictionary.len()
    }
}

/// Builds a [`CsrMatrix`] row by row.
#[derive(Debug, Clone)]
pub struct CsrBuilder {
    row_ends: Vec<u64>,
    term_columns: Vec<u32>,
    coefficients: Vec<u32>,
    dictionary: Vec<Fr>,
    index_of: HashMap<FrLimbs, u32>,
}

impl Default for CsrBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl CsrBuilder {
    /// No rows yet.
    #[must_use]
    pub fn new() -> Self {
        use ff::Field;
        let mut builder = Self {
            row_ends: Vec::new(),
            term_columns: Vec::new(),
            coefficients: Vec::new(),
            dictionary: Vec::new(),
            index_of: HashMap::new(),
        };
        builder.index(Fr::ONE);
        builder.index(-Fr::ONE);
        builder
    }

    fn index(&mut self, coefficient: Fr) -> u32 {
        let next = self.dictionary.len() as u32;
        let index = *self.index_of.entry(coefficient.into()).or_insert(next);
        if index == next {
            self.dictionary.push(coefficient);
        }
        index
    }

    /// The number of rows so far.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.row_ends.len()
    }

    /// Appends a row; the terms are in any order. Equal columns are merged, zero sums are
    /// dropped.
    ///
    /// # Errors
    /// [`R1csError::TooMany`] where a column does not fit 32 bits.
    pub fn push_row(&mut self, terms: &mut Vec<(usize, Fr)>) -> Result<(), R1csError> {
        use ff::Field;
        if !terms.is_sorted_by(|a, b| a.0 < b.0) {
            terms.sort_by_key(|term| term.0);
            terms.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
        for &(column, coefficient) in terms.iter() {
            if coefficient.is_zero_vartime() {
                continue;
            }
            let column = u32::try_from(column).map_err(|_| R1csError::TooMany {
                what: "columns",
                max: u64::from(u32::MAX),
                got: column as u64,
            })?;
            let index = if coefficient == Fr::ONE {
                CsrMatrix::ONE
            } else {
                self.index(coefficient)
            };
            self.term_columns.push(column);
            self.coefficients.push(index);
        }
        self.row_ends.push(self.term_columns.len() as u64);
        Ok(())
    }

    /// Appends the rows of another builder, each column renumbered.
    ///
    /// The order of columns must stay: `column_of` is increasing. The result is what pushing
    /// the rows one by one would have made.
    pub fn append(&mut self, other: &Self, column_of: impl Fn(u32) -> u32) {
        let indices: Vec<u32> = other.dictionary.iter().map(|&c| self.index(c)).collect();
        let terms = self.term_columns.len() as u64;
        self.row_ends
            .extend(other.row_ends.iter().map(|end| end + terms));
        let columns = other.term_columns.iter();
        self.term_columns.extend(columns.map(|&c| column_of(c)));
        let coefficients = other.coefficients.iter();
        self.coefficients
            .extend(coefficients.map(|&c| indices[c as usize]));
    }

    /// The matrix with `columns` columns.
    ///
    /// # Errors
    /// [`R1csError::Column`] for the first term whose column is out of range.
    pub fn finish(self, columns: usize) -> Result<CsrMatrix, R1csError> {
        if let Some(term) = self
            .term_columns
            .iter()
            .position(|&c| c as usize >= columns)
        {
            return Err(R1csError::Column {
                row: self.row_ends.partition_point(|&end| end as usize <= term),
                columns,
                got: self.term_columns[term] as usize,
            });
        }
        Ok(CsrMatrix {
            columns,
            row_ends: self.row_ends,
            term_columns: self.term_columns,
            coefficients: self.coefficients,
            dictionary: self.dictionary,
        })
    }

    /// Renumbers every column of the rows so far.
    ///
    /// A synthesis that meets inputs after auxiliary variables knows the final column only
    /// at the end. The order within rows is restored.
    pub fn renumber(&mut self, column_of: impl Fn(u32) -> u32) {
        for column in &mut self.term_columns {
            *column = column_of(*column);
        }
        let mut start = 0;
        let mut terms: Vec<(u32, u32)> = Vec::new();
        for &end in &self.row_ends {
            let range = start..end as usize;
            start = end as usize;
            if self.term_columns[range.clone()].is_sorted() {
                continue;
            }
            terms.clear();
            terms.extend(
                range
                    .clone()
                    .map(|k| (self.term_columns[k], self.coefficients[k])),
            );
            terms.sort_unstable();
            for (k, &(column, coefficient)) in range.zip(&terms) {
                self.term_columns[k] = column;
                self.coefficients[k] = coefficient;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ff::Field;

    use super::*;

    fn fr(x: u64) -> Fr {
        Fr::from(x)
    }

    #[test]
    fn appending_is_pushing_the_renumbered_rows() {
        let rows = |seed: u64| {
            (0..7u64).map(move |i| {
                vec![
                    (i as usize, fr(i + seed)),
                    (9, fr(i * seed)),
                    (11, -Fr::ONE),
                ]
            })
        };
        let push = |builder: &mut CsrBuilder, row: Vec<(usize, Fr)>| {
            let mut row = row;
            builder.push_row(&mut row).expect("columns fit");
        };
        let (mut joined, mut part, mut pushed) =
            (CsrBuilder::new(), CsrBuilder::new(), CsrBuilder::new());
        for row in rows(3) {
            push(&mut joined, row.clone());
            push(&mut pushed, row);
        }
        for row in rows(5) {
            push(&mut part, row.clone());
            push(
                &mut pushed,
                row.into_iter().map(|(c, x)| (c + 20, x)).collect(),
            );
        }
        joined.append(&part, |c| c + 20);
        assert_eq!(joined.finish(32), pushed.finish(32));
    }

    #[test]
    fn duplicates_merge_and_zero_sums_drop() {
        let mut builder = CsrBuilder::new();
        let mut row = vec![
            (5, fr(2)),
            (1, fr(7)),
            (5, fr(3)),
            (2, fr(4)),
            (2, -fr(4)),
            (3, Fr::ZERO),
        ];
        builder.push_row(&mut row).expect("columns fit");
        builder.push_row(&mut vec![]).expect("an empty row");
        builder
            .push_row(&mut vec![(0, Fr::ONE), (4, -Fr::ONE)])
            .expect("columns fit");
        let matrix = builder.finish(6).expect("columns in range");
        assert_eq!(matrix.rows(), 3);
        assert_eq!(matrix.terms(), 4);
        assert_eq!(
            matrix.row_terms(0).collect::<Vec<_>>(),
            [(1, fr(7)), (5, fr(5))]
        );
        assert_eq!(matrix.row_terms(1).count(), 0);
        assert_eq!(
            matrix.row(2).coefficients,
            [CsrMatrix::ONE, CsrMatrix::MINUS_ONE]
        );
        assert_eq!(matrix.row_terms(9).count(), 0);
    }

    #[test]
    fn equal_coefficients_share_one_dictionary_entry() {
        let mut builder = CsrBuilder::new();
        for column in 0..100 {
            builder
                .push_row(&mut vec![(column, fr(9)), (column + 1, fr(8))])
                .expect("fits");
        }
        assert_eq!(builder.finish(101).expect("in range").dictionary().len(), 4);
    }

    #[test]
    fn a_column_out_of_range_is_named_with_its_row() {
        let mut builder = CsrBuilder::new();
        builder.push_row(&mut vec![]).expect("an empty row");
        builder.push_row(&mut vec![(0, Fr::ONE)]).expect("fits");
        builder.push_row(&mut vec![(7, Fr::ONE)]).expect("fits");
        assert_eq!(
            builder.finish(7),
            Err(R1csError::Column {
                row: 2,
                columns: 7,
                got: 7
            })
        );
    }

    #[test]
    fn renumbering_keeps_rows_sorted() {
        let mut builder = CsrBuilder::new();
        builder
            .push_row(&mut vec![(0, fr(2)), (1, fr(3)), (2, fr(5))])
            .expect("fits");
        builder.renumber(|c| [2, 0, 1][c as usize]);
        let matrix = builder.finish(3).expect("in range");
        assert_eq!(
            matrix.row_terms(0).collect::<Vec<_>>(),
            [(0, fr(3)), (1, fr(5)), (2, fr(2))]
        );
    }
}
