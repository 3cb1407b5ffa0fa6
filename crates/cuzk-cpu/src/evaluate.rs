use cuzk_backend::{Evals, Evaluate, Ones, Poly, ShapeError, WitnessSplit};
use cuzk_curve::{Domain, Fr};
use cuzk_r1cs::{Bitmap, CsrMatrix, PackedWitness};

use crate::{Cpu, CpuError, CpuMatrix, CpuSplit, CpuWitness, backend::zeros};

impl Evaluate for Cpu {
    type Matrix = CpuMatrix;
    type Witness = CpuWitness;

    fn prepare_matrix(&self, matrix: &CsrMatrix) -> Result<CpuMatrix, CpuError> {
        Ok(CpuMatrix::new(matrix.clone()))
    }

    fn upload_witness(&self, witness: &PackedWitness) -> Result<CpuWitness, CpuError> {
        CpuWitness::new(witness)
    }

    fn evaluate(
        &self,
        matrix: &CpuMatrix,
        witness: &CpuWitness,
        domain: &Domain,
    ) -> Result<Poly<Vec<Fr>, Evals>, CpuError> {
        let rows = matrix.csr().rows();
        if rows > domain.n() {
            return Err(ShapeError {
                what: "rows for the domain, at most",
                expected: domain.n(),
                got: rows,
            }
            .into());
        }
        let mut values = zeros("the product of a matrix and a witness", domain.n())?;
        matrix.multiply(witness, &mut values[..rows])?;
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
        let split = witness.split(selection)?;
        match self.options().ones {
            Ones::Pippenger => split.joined(),
            _ => Ok(split),
        }
    }
}
