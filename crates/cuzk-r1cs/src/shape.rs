use crate::{Bitmap, CsrMatrix, R1csError};

/// The three matrices of a circuit and what follows from them; the same for every witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    num_inputs: usize,
    num_constraints: usize,
    a: CsrMatrix,
    b: CsrMatrix,
    c: CsrMatrix,
    densities: Densities,
}

/// Which variables the queries of a key hold: those with a non-zero column.
///
/// # Shapes
/// One bit per variable, inputs first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Densities {
    /// Variables of the A query. Every input is among them, by its row `input · 0 = 0`.
    pub a: Bitmap,
    /// Variables of the two B queries.
    pub b: Bitmap,
}

impl Shape {
    /// A shape from its matrices, whose last `num_inputs` rows are those of the inputs.
    ///
    /// # Errors
    /// [`R1csError::Length`] where the matrices differ in rows or columns, or are too small
    /// for the inputs.
    pub fn new(
        num_inputs: usize,
        a: CsrMatrix,
        b: CsrMatrix,
        c: CsrMatrix,
    ) -> Result<Self, R1csError> {
        for (what, got) in [("rows of A and B", b.rows()), ("rows of A and C", c.rows())] {
            same(what, a.rows(), got)?;
        }
        for (what, got) in [
            ("columns of A and B", b.columns()),
            ("columns of A and C", c.columns()),
        ] {
            same(what, a.columns(), got)?;
        }
        let too_few = |what, got| R1csError::Length {
            what,
            expected: num_inputs,
            got,
        };
        if a.columns() < num_inputs {
            return Err(too_few("inputs and columns", a.columns()));
        }
        let num_constraints = a
            .rows()
            .checked_sub(num_inputs)
            .ok_or_else(|| too_few("inputs and rows", a.rows()))?;
        let densities = Densities {
            a: used_columns(&a),
            b: used_columns(&b),
        };
        Ok(Self {
            num_inputs,
            num_constraints,
            a,
            b,
            c,
            densities,
        })
    }

    /// Inputs, the constant one among them.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        self.num_inputs
    }

    /// Auxiliary variables.
    #[must_use]
    pub fn num_aux(&self) -> usize {
        self.a.columns() - self.num_inputs
    }

    /// All variables.
    #[must_use]
    pub fn num_variables(&self) -> usize {
        self.a.columns()
    }

    /// Constraints, without the rows of the inputs.
    #[must_use]
    pub fn num_constraints(&self) -> usize {
        self.num_constraints
    }

    /// Rows of the matrices: constraints and inputs.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        self.a.rows()
    }

    /// The matrix A.
    #[must_use]
    pub fn a(&self) -> &CsrMatrix {
        &self.a
    }

    /// The matrix B.
    #[must_use]
    pub fn b(&self) -> &CsrMatrix {
        &self.b
    }

    /// The matrix C.
    #[must_use]
    pub fn c(&self) -> &CsrMatrix {
        &self.c
    }

    /// Which variables the queries hold.
    #[must_use]
    pub fn densities(&self) -> &Densities {
        &self.densities
    }
}

fn same(what: &'static str, expected: usize, got: usize) -> Result<(), R1csError> {
    if expected == got {
        Ok(())
    } else {
        Err(R1csError::Length {
            what,
            expected,
            got,
        })
    }
}

fn used_columns(matrix: &CsrMatrix) -> Bitmap {
    let mut used = Bitmap::zeros(matrix.columns());
    for &column in matrix.term_columns() {
        used.set(column as usize);
    }
    used
}

#[cfg(test)]
mod tests {
    use cuzk_curve::Fr;
    use ff::Field;

    use super::*;
    use crate::CsrBuilder;

    fn matrix(rows: &[&[usize]], columns: usize) -> CsrMatrix {
        let mut builder = CsrBuilder::new();
        for row in rows {
            let mut terms = row.iter().map(|&c| (c, Fr::ONE)).collect();
            builder.push_row(&mut terms).expect("columns fit");
        }
        builder.finish(columns).expect("columns in range")
    }

    #[test]
    fn densities_are_the_columns_in_use() {
        let a = matrix(&[&[1], &[3], &[0]], 4);
        let b = matrix(&[&[2], &[2], &[]], 4);
        let shape = Shape::new(1, a, b.clone(), b).expect("shapes agree");
        assert_eq!(shape.num_constraints(), 2);
        assert_eq!(shape.num_aux(), 3);
        assert_eq!(shape.densities().a.ones().collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(shape.densities().b.ones().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn matrices_that_disagree_are_refused() {
        let tall = matrix(&[&[0], &[0]], 2);
        let short = matrix(&[&[0]], 2);
        let wide = matrix(&[&[0], &[0]], 3);
        assert!(Shape::new(1, tall.clone(), short, tall.clone()).is_err());
        assert!(Shape::new(1, tall.clone(), tall.clone(), wide).is_err());
        assert!(Shape::new(3, tall.clone(), tall.clone(), tall).is_err());
    }
}
