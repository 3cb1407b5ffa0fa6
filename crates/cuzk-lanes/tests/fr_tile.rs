//! Tiles of both kinds of arithmetic against the sums that define a transform.

use cuzk_curve::{Domain, Fr};
use cuzk_lanes::{
    Arithmetic, ColumnTile, FrDft, FrFactors, FrTile, LANES, Lanes, Reduction, RowOrder,
};
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn both() -> [Arithmetic; 2] {
    [Lanes::Detect.resolve(), Lanes::Portable.resolve()]
}

/// Values near the limb borders, then random ones.
fn values(seed: u64, len: usize) -> Vec<Fr> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let two = Fr::from(2);
    let mut edges = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, -two, two.invert().unwrap()];
    for bits in [51, 52, 53, 63, 64, 104, 156, 208, 254] {
        let power = two.pow_vartime([bits]);
        edges.extend([power, power - Fr::ONE, -power]);
    }
    let random = std::iter::repeat_with(|| Fr::random(&mut rng));
    let mut values: Vec<Fr> = edges.into_iter().chain(random).take(len).collect();
    values.rotate_right(seed as usize % len.max(1));
    values
}

fn lane(matrix: &[Fr], lane: usize) -> Vec<Fr> {
    matrix.iter().skip(lane).step_by(LANES).copied().collect()
}

/// `Σ_i x_i · (shift·root^k)^i` for all k, by Horner's rule.
fn dft_by_definition(x: &[Fr], root: Fr, shift: Fr) -> Vec<Fr> {
    let mut at = shift;
    (0..x.len())
        .map(|_| {
            let value = x.iter().rev().fold(Fr::ZERO, |sum, c| sum * at + c);
            at *= root;
            value
        })
        .collect()
}

#[test]
fn a_dft_of_columns_equals_its_definition_and_so_does_the_way_back() {
    for arithmetic in both() {
        for log_rows in 0..=8 {
            let domain = Domain::new(log_rows).unwrap();
            let mut matrix = values(u64::from(log_rows), LANES << log_rows);
            let before = matrix.clone();
            for shift in [Fr::ONE, domain.coset_shift()] {
                let there = FrDft::new(
                    arithmetic,
                    log_rows,
                    domain.generator(),
                    shift,
                    RowOrder::Natural,
                );
                let back = FrDft::new(
                    arithmetic,
                    log_rows,
                    domain.generator_inv(),
                    Fr::ONE,
                    RowOrder::Reversed,
                );
                let unscale = FrFactors::geometric(
                    arithmetic,
                    domain.n_inv(),
                    shift.invert().unwrap(),
                    domain.n(),
                );
                let mut tile = FrTile::new(arithmetic, log_rows);
                let mut columns = ColumnTile::split(&mut matrix, LANES);
                tile.load_columns(&columns[0]);
                tile.dft(&there);
                tile.store_columns(&mut columns[0], Reduction::Exact);
                drop(columns);
                for l in 0..LANES {
                    assert_eq!(
                        lane(&matrix, l),
                        dft_by_definition(&lane(&before, l), domain.generator(), shift),
                        "{} 2^{log_rows} lane {l}",
                        arithmetic.name()
                    );
                }
                tile.dft(&back);
                tile.scale_rows(&unscale);
                let mut columns = ColumnTile::split(&mut matrix, LANES);
                tile.store_columns(&mut columns[0], Reduction::Exact);
                drop(columns);
                assert_eq!(matrix, before, "{} 2^{log_rows}", arithmetic.name());
            }
        }
    }
}

#[test]
fn rows_and_columns_of_a_square_are_transposes() {
    for arithmetic in both() {
        let mut matrix = values(3, 64);
        let before = matrix.clone();
        let mut tile = FrTile::new(arithmetic, 3);
        tile.load_rows(&matrix);
        tile.store_rows(&mut matrix, Reduction::Exact);
        assert_eq!(matrix, before);
        let mut columns = ColumnTile::split(&mut matrix, LANES);
        tile.store_columns(&mut columns[0], Reduction::Exact);
        drop(columns);
        for (i, value) in matrix.iter().enumerate() {
            assert_eq!(*value, before[(i % 8) * 8 + i / 8]);
        }
    }
}

#[test]
fn the_longest_chain_of_layers_stays_in_range() {
    // The largest values and all signs alike: each layer raises the bound as far as it can.
    let log_rows = 12;
    let domain = Domain::new(log_rows).unwrap();
    for fill in [-Fr::ONE, Fr::ONE, -Fr::from(2)] {
        let run = |arithmetic| {
            let mut matrix = vec![fill; LANES << log_rows];
            let order = [RowOrder::Natural, RowOrder::Reversed];
            let dfts = order.map(|order| {
                FrDft::new(
                    arithmetic,
                    log_rows,
                    domain.generator(),
                    domain.coset_shift(),
                    order,
                )
            });
            let mut tile = FrTile::new(arithmetic, log_rows);
            let mut columns = ColumnTile::split(&mut matrix, LANES);
            tile.load_columns(&columns[0]);
            for dft in dfts.iter().cycle().take(5) {
                tile.dft(dft);
            }
            tile.store_columns(&mut columns[0], Reduction::Exact);
            drop(columns);
            matrix
        };
        let [lanes, portable] = both().map(run);
        assert!(lanes == portable, "{fill:?}");
    }
}

#[test]
fn twists_products_and_relaxed_stores_agree_with_scalars() {
    for arithmetic in both() {
        let log_rows = 5;
        let rows = 1 << log_rows;
        let [a, b, c] = [1, 2, 3].map(|seed| values(seed, LANES * rows));
        let ratios = values(4, 40);
        let starts: [Fr; LANES] = values(5, LANES).try_into().unwrap();
        let factors = FrFactors::new(arithmetic, ratios.clone());
        let [mut ta, tb, tc] = [&a, &b, &c].map(|source| {
            let mut matrix = source.clone();
            let columns = ColumnTile::split(&mut matrix, LANES);
            let mut tile = FrTile::new(arithmetic, log_rows);
            tile.load_columns(&columns[0]);
            tile
        });
        ta.mul_sub(&tb, &tc);
        ta.twist(&starts, &factors, 11);
        let mut matrix = vec![Fr::ZERO; LANES * rows];
        let mut columns = ColumnTile::split(&mut matrix, LANES);
        ta.store_columns(&mut columns[0], Reduction::Relaxed);
        ta.load_columns(&columns[0]);
        ta.store_columns(&mut columns[0], Reduction::Exact);
        drop(columns);
        for (i, value) in matrix.iter().enumerate() {
            let (row, lane) = (i / LANES, i % LANES);
            let factor = starts[lane] * ratios[11 + lane].pow_vartime([row as u64]);
            let name = arithmetic.name();
            assert_eq!(*value, (a[i] * b[i] - c[i]) * factor, "{name} element {i}");
        }
    }
}

#[test]
fn products_agree_with_scalars() {
    for arithmetic in both() {
        let rows = 1 << 4;
        let [a, b] = [6, 7].map(|seed| values(seed, LANES * rows));
        let [mut ta, tb] = [&a, &b].map(|source| {
            let mut matrix = source.clone();
            let columns = ColumnTile::split(&mut matrix, LANES);
            let mut tile = FrTile::new(arithmetic, 4);
            tile.load_columns(&columns[0]);
            tile
        });
        ta.mul(&tb);
        let mut matrix = vec![Fr::ZERO; LANES * rows];
        let mut columns = ColumnTile::split(&mut matrix, LANES);
        ta.store_columns(&mut columns[0], Reduction::Exact);
        drop(columns);
        let expected: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        assert!(matrix == expected, "{}", arithmetic.name());
    }
}
