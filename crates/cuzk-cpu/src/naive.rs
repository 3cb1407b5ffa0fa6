use cuzk_backend::{
    Backend, Evals, Evaluate, FixedBase, Fold, InverseTransform, Msm, Ntt, Pending, Poly,
    ShapeError, SharedBases, Transform, WitnessMsm, WitnessSplit,
};
use cuzk_curve::{Domain, Fr, G1Affine, G1Projective, SourceGroup};
use cuzk_r1cs::{Bitmap, CsrMatrix, PackedWitness};
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};

/// The definitions, one after the other on one thread: the oracle of the other backends.
#[derive(Debug, Clone, Copy, Default)]
pub struct Naive;

impl Backend for Naive {
    type Vector = Vec<Fr>;
    type Error = ShapeError;

    fn name(&self) -> &'static str {
        "naive"
    }

    fn device(&self) -> String {
        "1 thread".to_owned()
    }

    fn upload(&self, host: &[Fr]) -> Result<Vec<Fr>, ShapeError> {
        Ok(host.to_vec())
    }

    fn download(&self, vector: &Vec<Fr>) -> Result<Vec<Fr>, ShapeError> {
        Ok(vector.clone())
    }

    fn len(&self, vector: &Vec<Fr>) -> usize {
        vector.len()
    }

    fn truncate(&self, vector: Vec<Fr>, len: usize) -> Result<Vec<Fr>, ShapeError> {
        let too_short = ShapeError {
            what: "scalars to keep",
            expected: len,
            got: vector.len(),
        };
        vector.get(..len).map(<[Fr]>::to_vec).ok_or(too_short)
    }
}

/// `Σ_j x_j · (root^i)^j` for every `i`: even and odd coefficients apart.
fn dft(x: &[Fr], root: Fr) -> Vec<Fr> {
    if x.len() == 1 {
        return x.to_vec();
    }
    let [even, odd] = [0, 1].map(|first| {
        let half: Vec<Fr> = x.iter().skip(first).step_by(2).copied().collect();
        dft(&half, root.square())
    });
    let mut power = Fr::ONE;
    let mut out = vec![Fr::ZERO; x.len()];
    for i in 0..even.len() {
        out[i] = even[i] + power * odd[i];
        out[i + even.len()] = even[i] - power * odd[i];
        power *= root;
    }
    out
}

fn times_powers(x: &mut [Fr], ratio: Fr) {
    let mut power = Fr::ONE;
    for value in x {
        *value *= power;
        power *= ratio;
    }
}

impl Ntt for Naive {
    fn transform(
        &self,
        transform: Transform,
        domain: &Domain,
        mut x: Vec<Fr>,
    ) -> Result<Vec<Fr>, ShapeError> {
        ShapeError::check("values for the transform", domain.n(), x.len())?;
        if transform == Transform::CosetForward {
            times_powers(&mut x, domain.coset_shift());
        }
        if matches!(transform, Transform::Forward | Transform::CosetForward) {
            return Ok(dft(&x, domain.generator()));
        }
        let mut x = dft(&x, domain.generator_inv());
        x.iter_mut().for_each(|value| *value *= domain.n_inv());
        if transform == Transform::CosetInverse {
            times_powers(&mut x, domain.coset_shift_inv());
        }
        Ok(x)
    }

    fn multiply(&self, mut a: Vec<Fr>, b: &Vec<Fr>) -> Result<Vec<Fr>, ShapeError> {
        ShapeError::check("values of b for those of a", a.len(), b.len())?;
        a.iter_mut().zip(b).for_each(|(a, b)| *a *= b);
        Ok(a)
    }

    fn multiply_subtract_scale(
        &self,
        mut a: Vec<Fr>,
        b: &Vec<Fr>,
        c: &Vec<Fr>,
        factor: Fr,
    ) -> Result<Vec<Fr>, ShapeError> {
        ShapeError::check("values of b for those of a", a.len(), b.len())?;
        ShapeError::check("values of c for those of a", a.len(), c.len())?;
        for i in 0..a.len() {
            a[i] = (a[i] * b[i] - c[i]) * factor;
        }
        Ok(a)
    }
}

impl Evaluate for Naive {
    type Matrix = CsrMatrix;
    type Witness = Vec<Fr>;

    fn prepare_matrix(&self, matrix: &CsrMatrix) -> Result<CsrMatrix, ShapeError> {
        Ok(matrix.clone())
    }

    fn upload_witness(&self, witness: &PackedWitness) -> Result<Vec<Fr>, ShapeError> {
        Ok(witness.unpack())
    }

    fn evaluate(
        &self,
        matrix: &CsrMatrix,
        witness: &Vec<Fr>,
        domain: &Domain,
    ) -> Result<Poly<Vec<Fr>, Evals>, ShapeError> {
        let what = "values of the witness for the columns";
        ShapeError::check(what, matrix.columns(), witness.len())?;
        let mut values = vec![Fr::ZERO; domain.n()];
        for row in 0..matrix.rows() {
            let place = values.get_mut(row).ok_or(ShapeError {
                what: "rows for the domain, at most",
                expected: domain.n(),
                got: matrix.rows(),
            })?;
            *place = matrix.row_terms(row).map(|(j, c)| c * witness[j]).sum();
        }
        Poly::new(self, domain, values)
    }
}

impl<G: SourceGroup> Msm<G> for Naive {
    type Bases = SharedBases<G>;

    fn prepare(&self, points: SharedBases<G>) -> Result<SharedBases<G>, ShapeError> {
        Ok(points)
    }

    fn msm(
        &self,
        bases: &SharedBases<G>,
        scalars: &Vec<Fr>,
    ) -> Result<Pending<G::Projective, ShapeError>, ShapeError> {
        ShapeError::check("scalars for the bases", bases.len(), scalars.len())?;
        let products = bases.iter().zip(scalars);
        let sum = products.fold(G::Projective::identity(), |sum, (base, scalar)| {
            sum + base.to_curve() * scalar
        });
        Ok(Pending::ready(sum))
    }
}

impl<G: SourceGroup> FixedBase<G> for Naive {
    type Base = G::Affine;

    fn prepare_base(&self, base: &G::Affine, _products: usize) -> Result<G::Affine, ShapeError> {
        Ok(*base)
    }

    fn multiply_base(
        &self,
        base: &G::Affine,
        scalars: &[Fr],
        points: &mut [G::Limbs],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), ShapeError> {
        ShapeError::check("points for the products", scalars.len(), points.len())?;
        for (point, scalar) in points.iter_mut().zip(scalars) {
            *point = G::as_limbs(&[(base.to_curve() * scalar).to_affine()])[0];
            done(1);
        }
        Ok(())
    }
}

impl Fold for Naive {
    fn fold_inverse(
        &self,
        inverse: InverseTransform,
        domain: &Domain,
        factor: Fr,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, ShapeError> {
        InverseTransform::check_points(domain, points.len())?;
        let folded = (0..domain.n()).map(|k| {
            let mut unit = vec![Fr::ZERO; domain.n()];
            unit[k] = factor;
            let column = self.transform(inverse.into(), domain, unit)?;
            let terms = points.iter().zip(column);
            Ok(terms
                .map(|(point, scalar)| point * scalar)
                .sum::<G1Projective>())
        });
        Ok(affine(&folded.collect::<Result<Vec<_>, ShapeError>>()?))
    }

    fn fold_matrix(
        &self,
        matrix: &CsrMatrix,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, ShapeError> {
        let mut folded = vec![G1Projective::identity(); matrix.columns()];
        for row in 0..matrix.rows() {
            let point = points.get(row).ok_or(ShapeError {
                what: "points for the rows, at least",
                expected: matrix.rows(),
                got: points.len(),
            })?;
            matrix
                .row_terms(row)
                .for_each(|(j, coefficient)| folded[j] += point * coefficient);
        }
        Ok(affine(&folded))
    }
}

fn affine(points: &[G1Projective]) -> Vec<G1Affine> {
    points.iter().map(Curve::to_affine).collect()
}

impl WitnessSplit for Naive {
    type Selection = Bitmap;
    type Split = Vec<Fr>;

    fn prepare_selection(&self, selection: &Bitmap) -> Result<Bitmap, ShapeError> {
        Ok(selection.clone())
    }

    fn split(&self, witness: &Vec<Fr>, selection: &Bitmap) -> Result<Vec<Fr>, ShapeError> {
        let what = "bits of the selection for the witness";
        ShapeError::check(what, witness.len(), selection.len())?;
        Ok(selection.ones().map(|j| witness[j]).collect())
    }
}

impl<G: SourceGroup> WitnessMsm<G> for Naive {
    fn sum_ones(
        &self,
        bases: &SharedBases<G>,
        split: &Vec<Fr>,
    ) -> Result<Pending<G::Projective, ShapeError>, ShapeError> {
        let only = |value: &Fr| if *value == Fr::ONE { *value } else { Fr::ZERO };
        ShapeError::check("bases for the selected variables", split.len(), bases.len())?;
        self.msm(bases, &split.iter().map(only).collect())
    }

    fn msm_rest(
        &self,
        bases: &SharedBases<G>,
        split: &Vec<Fr>,
    ) -> Result<Pending<G::Projective, ShapeError>, ShapeError> {
        let only = |value: &Fr| if *value == Fr::ONE { Fr::ZERO } else { *value };
        ShapeError::check("bases for the selected variables", split.len(), bases.len())?;
        self.msm(bases, &split.iter().map(only).collect())
    }
}
