use cuzk_r1cs::CsrBuilder;

use super::*;

#[test]
fn powers_go_on_across_chunks() {
    let base = Fr::from(3);
    let factor = Fr::from(5);
    let values = powers(base, factor, 2 * CHUNK + 3).expect("memory");
    let mut expected = factor;
    for (i, value) in values.iter().enumerate() {
        assert_eq!(*value, expected, "power {i}");
        expected *= base;
    }
    assert!(powers(base, factor, 0).expect("memory").is_empty());
}

#[test]
fn lagrange_values_interpolate_every_monomial() {
    for log_n in [0, 1, 2, 5, 13] {
        let domain = Domain::new(log_n).expect("a small domain");
        let tau = Fr::from(1234567);
        let lagrange = lagrange_values(&domain, tau).expect("memory");
        for degree in [0, 1, domain.n() / 2, domain.n() - 1] {
            if degree >= domain.n() {
                continue;
            }
            // Σ ω^(i·degree)·L_i(τ) is τ^degree, as long as the degree is below n.
            let step = domain.generator().pow_vartime([degree as u64]);
            let powers = powers(step, Fr::ONE, domain.n()).expect("memory");
            let sum: Fr = powers
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
    let got = column_sums(&matrix, &lagrange).expect("memory");
    assert_eq!(got, expected);
}

#[test]
fn column_sums_do_not_depend_on_the_threads_that_share_the_columns() {
    let columns = 5 * MIN_COLUMNS + 7;
    let mut builder = CsrBuilder::new();
    let mut expected = vec![Fr::ZERO; columns];
    let lagrange: Vec<Fr> = (0..400).map(|row| Fr::from(row * row + 1)).collect();
    for (row, value) in (0u64..).zip(&lagrange) {
        let term = |k: u64| {
            let column = (row * 131 + k * k * 977) as usize % columns;
            (column, Fr::from(k % 3) - Fr::ONE + Fr::from(row % 2 * 5))
        };
        let mut terms: Vec<_> = (0..20).map(term).collect();
        terms.sort_by_key(|term| term.0);
        terms.dedup_by_key(|term| term.0);
        for (column, coefficient) in &terms {
            expected[*column] += *coefficient * value;
        }
        builder.push_row(&mut terms).expect("columns fit");
    }
    let matrix = builder.finish(columns).expect("columns in range");
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let sums = pool
            .expect("threads")
            .install(|| column_sums(&matrix, &lagrange));
        assert!(sums.expect("memory") == expected, "{threads} threads");
    }
}
