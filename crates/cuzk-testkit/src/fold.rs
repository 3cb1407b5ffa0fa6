use cuzk_backend::{Fold, InverseTransform, Ntt};
use cuzk_cpu::Naive;
use cuzk_curve::{Domain, Fr, G1, G1Affine, G1Projective};
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};

use crate::{KnownBases, mixed_scalars, random_matrix, rng, shape::assert_refused};

/// Folded points are those that the transform of their logarithms names, for each `2^log_n` and
/// with points missing at the end; a sum over them is that of the transformed scalars over the
/// points; more points than the domain has elements are refused.
///
/// # Panics
/// Where they are not.
pub fn fold_inverse_conformance<B: Fold>(backend: &B, log_sizes: impl IntoIterator<Item = u32>) {
    for log_n in log_sizes {
        let domain = Domain::new(log_n).expect("a domain of the field");
        let n = domain.n();
        for inverse in [InverseTransform::Inverse, InverseTransform::CosetInverse] {
            for (missing, factor) in [(0, Fr::ONE), (1, -Fr::from(5)), (n / 2, Fr::ZERO)] {
                let context = format!("{inverse:?} of 2^{log_n} without {missing}");
                let mut rng = rng(u64::from(log_n));
                let known = KnownBases::<G1>::new(&mut rng, n - missing);
                let folded = backend.fold_inverse(inverse, &domain, factor, &known.points);
                let folded = folded.expect("folds");
                assert_eq!(folded.len(), n, "{context}");
                let logs = folded_logs(inverse, &domain, factor, &known.logs);
                assert!(folded == multiples(&logs), "{context}");
                let scalars = mixed_scalars(&mut rng, n);
                let mapped = Naive.transform(inverse.into(), &domain, scalars.clone());
                let mapped = mapped.expect("of the length");
                assert_eq!(
                    sum(&folded, &scalars),
                    known.sum(&mapped) * factor,
                    "{context}"
                );
            }
        }
        let points = vec![G1Affine::generator(); n + 1];
        let refused = backend.fold_inverse(InverseTransform::Inverse, &domain, Fr::ONE, &points);
        assert_refused(refused.map(|_| ()), n, n + 1, &log_n);
    }
}

/// `factor/n · Σ_i g^(−i)·ω^(−ik)·logs[i]` for every k: the forward transform of the domain with
/// the inverse root.
fn folded_logs(inverse: InverseTransform, domain: &Domain, factor: Fr, logs: &[Fr]) -> Vec<Fr> {
    let shift = match inverse {
        InverseTransform::Inverse => Fr::ONE,
        InverseTransform::CosetInverse => domain.coset_shift_inv(),
    };
    let at = |k: usize| {
        let x = shift * domain.generator_inv().pow_vartime([k as u64]);
        let value = logs.iter().rev().fold(Fr::ZERO, |sum, log| sum * x + log);
        value * factor * domain.n_inv()
    };
    (0..domain.n()).map(at).collect()
}

/// Sums by the columns of random matrices equal what the logarithms of the points say; too few
/// points are refused.
///
/// # Panics
/// Where they do not.
pub fn fold_matrix_conformance<B: Fold>(backend: &B, rows: impl IntoIterator<Item = usize>) {
    for rows in rows {
        let mut rng = rng(rows as u64);
        let columns = rows / 2 + 3;
        let matrix = random_matrix(&mut rng, rows, columns);
        let known = KnownBases::<G1>::new(&mut rng, rows + 2);
        let folded = backend.fold_matrix(&matrix, &known.points).expect("folds");
        let mut logs = vec![Fr::ZERO; columns];
        for row in 0..rows {
            for (column, coefficient) in matrix.row_terms(row) {
                logs[column] += coefficient * known.logs[row];
            }
        }
        assert!(folded == multiples(&logs), "{rows} rows");
        if rows > 0 {
            let refused = backend.fold_matrix(&matrix, &known.points[..rows - 1]);
            assert_refused(refused.map(|_| ()), rows, rows - 1, &rows);
        }
    }
}

fn multiples(logs: &[Fr]) -> Vec<G1Affine> {
    let point = |log: &Fr| (G1Projective::generator() * log).to_affine();
    logs.iter().map(point).collect()
}

fn sum(points: &[G1Affine], scalars: &[Fr]) -> G1Projective {
    points.iter().zip(scalars).map(|(p, s)| p * s).sum()
}
