use cuzk_backend::{Evals, Evaluate, Poly, ShapeError, WitnessSplit};
use cuzk_curve::{Domain, Fr};
use cuzk_r1cs::{Bitmap, CsrMatrix, PackedWitness};

use crate::{Cpu, CpuError, CpuMatrix, backend::zeros};

/// A witness as the CPU uses it: the packed form for its classes, and all values side by side.
#[derive(Debug, Clone)]
pub struct CpuWitness {
    packed: PackedWitness,
    values: Vec<Fr>,
}

impl CpuWitness {
    /// All values, inputs first.
    #[must_use]
    pub fn values(&self) -> &[Fr] {
        &self.values
    }

    /// The packed form.
    #[must_use]
    pub fn packed(&self) -> &PackedWitness {
        &self.packed
    }
}

/// The selected variables of a witness, by class; indices count selected variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuSplit {
    /// How many variables are selected.
    pub selected: usize,
    /// Those that are one, ascending.
    pub ones: Vec<u32>,
    /// Those that are neither zero nor one, ascending.
    pub rest: Vec<u32>,
    /// The values of the rest.
    pub scalars: Vec<Fr>,
}

impl Evaluate for Cpu {
    type Matrix = CpuMatrix;
    type Witness = CpuWitness;

    fn prepare_matrix(&self, matrix: &CsrMatrix) -> Result<CpuMatrix, CpuError> {
        Ok(CpuMatrix::new(matrix.clone()))
    }

    fn upload_witness(&self, witness: &PackedWitness) -> Result<CpuWitness, CpuError> {
        Ok(CpuWitness {
            packed: witness.clone(),
            values: witness.unpack(),
        })
    }

    fn evaluate(
        &self,
        matrix: &CpuMatrix,
        witness: &CpuWitness,
        domain: &Domain,
    ) -> Result<Poly<Vec<Fr>, Evals>, CpuError> {
        let csr = matrix.csr();
        ShapeError::check(
            "values of the witness for the columns",
            csr.columns(),
            witness.values.len(),
        )?;
        if csr.rows() > domain.n() {
            return Err(ShapeError {
                what: "rows for the domain, at most",
                expected: domain.n(),
                got: csr.rows(),
            }
            .into());
        }
        let mut values = zeros("the product of a matrix and a witness", domain.n())?;
        matrix.multiply(&witness.values, &mut values[..csr.rows()]);
        Ok(Poly::new(self, domain, values)?)
    }
}

impl WitnessSplit for Cpu {
    type Selection = Bitmap;
    type Split = CpuSplit;

    fn prepare_selection(&self, selection: &Bitmap) -> Result<Bitmap, CpuError> {
        Ok(selection.clone())
    }

    fn split(&self, witness: &CpuWitness, selection: &Bitmap) -> Result<CpuSplit, CpuError> {
        ShapeError::check(
            "bits of the selection for the witness",
            witness.values.len(),
            selection.len(),
        )?;
        let (low, high) = (witness.packed.low(), witness.packed.high());
        let mut split = CpuSplit {
            selected: 0,
            ones: Vec::new(),
            rest: Vec::new(),
            scalars: Vec::new(),
        };
        for variable in selection.ones() {
            let index = split.selected as u32;
            split.selected += 1;
            if high.get(variable) {
                split.rest.push(index);
                split.scalars.push(witness.values[variable]);
            } else if low.get(variable) {
                split.ones.push(index);
            }
        }
        Ok(split)
    }
}
