use cuzk_r1cs::CsrBuilder;

use super::*;

#[test]
fn powers_go_on_across_chunks() {
    let base = Fr::from(3);
    let factor = Fr::from(5);
    let values = powers(base, factor, 2 * CHUNK + 3);
    let mut expected = factor;
    for (i, value) in values.iter().enumerate() {
        assert_eq!(*value, expected, "power {i}");
        expected *= base;
    }
    assert!(powers(base, factor, 0).is_empty());
}

#[test]
fn lagrange_values_interpolate_every_monomial() {
    for log_n in [0, 1, 2, 5, 13] {
        let domain = Domain::new(log_n).expect("a small domain");
        let tau = Fr::from(1234567);
        let lagrange = lagrange_values(&domain, tau);
        for degree in [0, 1, domain.n() / 2, domain.n() - 1] {
            if degree >= domain.n() {
                continue;
            }
            // Σ ω^(i·degree)·L_i(τ) is τ^degree, as long as the degree is below n.
            let step = domain.generator().pow_vartime([degree as u64]);
            let sum: Fr = powers(step, Fr::ONE, domain.n())
                .iter()
                .zip(&lagrange)
                .map(|(value, l)| *value * l)
                .sum();
            assert_eq!(sum, tau.pow_vartime([degree as u64]), "n = 2^{log_n}");
        }
    }
}

#[test]
fn column_sums_are_the_transposed_product() {
    let fr = Fr::from;
    let mut builder = CsrBuilder::new();
    let mut rows = [
        vec![(0, fr(1)), (2, -fr(1))],
        vec![],
        vec![(2, fr(7)), (1, fr(3))],
    ];
    for row in &mut rows {
        builder.push_row(row).expect("columns fit");
    }
    let matrix = builder.finish(4).expect("columns in range");
    // More values than rows: a domain is a power of two.
    let lagrange = [fr(10), fr(20), fr(30), fr(40)];
    let expected = [fr(10), fr(90), fr(200), fr(0)];
    assert_eq!(column_sums(&matrix, &lagrange), expected);
}
