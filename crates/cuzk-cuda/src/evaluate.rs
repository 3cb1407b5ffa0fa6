use std::sync::Arc;

use cuzk_backend::{Evals, Evaluate, Poly, ShapeError};
use cuzk_curve::{Domain, FrLimbs};
use cuzk_device::DeviceBuf;
use cuzk_hostmem::CopyStep;
use cuzk_r1cs::{Bitmap, CsrMatrix, PackedWitness};
use cuzk_spmv::{DeviceMatrix, DeviceWitness};

use crate::{Cuda, CudaError};

/// A witness on the device, packed, and its classes on the host, by which lists get their lengths.
#[derive(Debug)]
pub struct CudaWitness {
    /// Shared with the splits whose sums need all values.
    pub(crate) packed: Arc<DeviceWitness>,
    pub(crate) low: Bitmap,
    pub(crate) high: Bitmap,
}

impl Evaluate for Cuda {
    type Matrix = DeviceMatrix;
    type Witness = CudaWitness;

    fn prepare_matrix(&self, matrix: &CsrMatrix) -> Result<DeviceMatrix, CudaError> {
        Ok(self.spmv.prepare(matrix, &self.stream)?)
    }

    fn upload_witness(&self, witness: &PackedWitness) -> Result<CudaWitness, CudaError> {
        self.upload_witness_by_steps(witness, &mut |_| ())
    }

    fn upload_witness_by_steps(
        &self,
        witness: &PackedWitness,
        begins: &mut dyn FnMut(CopyStep),
    ) -> Result<CudaWitness, CudaError> {
        let packed = self
            .spmv
            .upload_witness_by_steps(witness, &self.stream, begins)?;
        Ok(CudaWitness {
            packed: Arc::new(packed),
            low: witness.low().clone(),
            high: witness.high().clone(),
        })
    }

    fn evaluate(
        &self,
        matrix: &DeviceMatrix,
        witness: &CudaWitness,
        domain: &Domain,
    ) -> Result<Poly<DeviceBuf<FrLimbs>, Evals>, CudaError> {
        self.check_own("matrices", matrix.stream())?;
        self.check_own("witnesses", witness.packed.stream())?;
        let variables = witness.packed.len();
        ShapeError::check("variables of the witness", matrix.columns(), variables)?;
        if matrix.rows() > domain.n() {
            return Err(ShapeError {
                what: "rows for the domain, at most",
                expected: domain.n(),
                got: matrix.rows(),
            }
            .into());
        }
        let values = self
            .spmv
            .multiply(matrix, &witness.packed, domain.n(), &self.stream)?;
        Ok(Poly::new(self, domain, values)?)
    }
}
