use super::CsrMatrix;

impl CsrMatrix {
    /// The matrix whose rows are the columns of this one, with the same dictionary.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut places = vec![0; self.columns];
        for &column in &self.term_columns {
            places[column as usize] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            (*place, before) = (before, before + *place);
        }
        let mut term_columns = vec![0; self.terms()];
        let mut coefficients = vec![0; self.terms()];
        let mut start = 0;
        for (row, &end) in (0..).zip(&self.row_ends) {
            for term in start..end as usize {
                let place = &mut places[self.term_columns[term] as usize];
                term_columns[*place as usize] = row;
                coefficients[*place as usize] = self.coefficients[term];
                *place += 1;
            }
            start = end as usize;
        }
        Self {
            columns: self.rows(),
            // The next place of a row is its end, now that all its terms are in theirs.
            row_ends: places,
            term_columns,
            coefficients,
            dictionary: self.dictionary.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use cuzk_curve::Fr;
    use ff::Field;

    use crate::{CsrBuilder, CsrMatrix};

    fn matrix(rows: &[&[(usize, u64)]], columns: usize) -> CsrMatrix {
        let mut builder = CsrBuilder::new();
        for row in rows {
            let mut terms = row.iter().map(|&(c, x)| (c, Fr::from(x))).collect();
            builder.push_row(&mut terms).expect("columns fit");
        }
        builder.finish(columns).expect("columns in range")
    }

    #[test]
    fn rows_become_columns_and_come_back() {
        let of = matrix(&[&[(1, 7), (3, 1)], &[], &[(0, 9), (1, 1)], &[(1, 7)]], 5);
        let transposed = of.transposed();
        assert_eq!((transposed.rows(), transposed.columns()), (5, 4));
        let row = |index| transposed.row_terms(index).collect::<Vec<_>>();
        assert_eq!(row(0), [(2, Fr::from(9))]);
        assert_eq!(row(1), [(0, Fr::from(7)), (2, Fr::ONE), (3, Fr::from(7))]);
        assert_eq!(row(2), []);
        assert_eq!(row(3), [(0, Fr::ONE)]);
        assert_eq!(row(4), []);
        assert_eq!(transposed.transposed(), of);
        let empty = matrix(&[], 3).transposed();
        assert_eq!((empty.rows(), empty.columns(), empty.terms()), (3, 0, 0));
    }
}
