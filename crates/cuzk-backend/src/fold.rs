use cuzk_curve::{Domain, Fr, G1Affine};
use cuzk_r1cs::CsrMatrix;

use crate::{Backend, ShapeError, Transform};

/// Linear maps of scalars, taken over by the bases of a sum.
///
/// A sum of mapped scalars over bases is the sum of the scalars over other bases, which follow
/// from the map and the bases once and for all. All points are on the host, before and after:
/// this is done once for a key.
///
/// # Shapes
/// Points are in the subgroup of prime order; the results of others are of no use.
pub trait Fold: Backend {
    /// The points Q with `Σ v[k]·Q[k] = factor · Σ (T v)[i]·P[i]` for all scalars v.
    ///
    /// # Formula
    /// `Q[k] = factor/n · Σ_i g^(−i)·ω^(−ik)·P[i]`, g the coset's shift or one.
    ///
    /// # Shapes
    /// At most as many points P as the domain has elements, the identity in place of those that
    /// are missing; as many points Q as that.
    ///
    /// # Errors
    /// [`ShapeError`] for more points; the machine's own.
    fn fold_inverse(
        &self,
        inverse: InverseTransform,
        domain: &Domain,
        factor: Fr,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, Self::Error>;

    /// The points Q with `Σ w[j]·Q[j] = Σ (M w)[i]·P[i]` for all scalars w.
    ///
    /// # Formula
    /// `Q[j] = Σ_i M[i][j]·P[i]`.
    ///
    /// # Shapes
    /// At least as many points P as the matrix has rows; a point Q for every column.
    ///
    /// # Errors
    /// [`ShapeError`] for fewer points; the machine's own.
    fn fold_matrix(
        &self,
        matrix: &CsrMatrix,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, Self::Error>;
}

/// A transform from values to coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InverseTransform {
    /// [`Transform::Inverse`].
    Inverse,
    /// [`Transform::CosetInverse`].
    CosetInverse,
}

impl InverseTransform {
    /// Refuses more points than a domain has elements.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn check_points(domain: &Domain, got: usize) -> Result<(), ShapeError> {
        let expected = domain.n();
        match got <= expected {
            true => Ok(()),
            false => Err(ShapeError {
                what: "points for the domain, at most",
                expected,
                got,
            }),
        }
    }
}

impl From<InverseTransform> for Transform {
    fn from(inverse: InverseTransform) -> Self {
        match inverse {
            InverseTransform::Inverse => Self::Inverse,
            InverseTransform::CosetInverse => Self::CosetInverse,
        }
    }
}
