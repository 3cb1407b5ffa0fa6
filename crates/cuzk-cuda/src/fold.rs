use cuzk_backend::{Fold, InverseTransform};
use cuzk_curve::{Domain, Fr, G1Affine};
use cuzk_fold::Folder;
use cuzk_r1cs::CsrMatrix;

use crate::{Cuda, CudaError};

/// Kernels of its own, loaded when they are asked for: no proof needs them.
impl Fold for Cuda {
    fn fold_inverse(
        &self,
        inverse: InverseTransform,
        domain: &Domain,
        factor: Fr,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, CudaError> {
        let folder = Folder::open(self.cuda_device())?;
        Ok(folder.fold_inverse(&self.stream, inverse, domain, factor, points)?)
    }

    fn fold_matrix(
        &self,
        matrix: &CsrMatrix,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, CudaError> {
        let folder = Folder::open(self.cuda_device())?;
        Ok(folder.fold_matrix(&self.stream, matrix, points)?)
    }
}
