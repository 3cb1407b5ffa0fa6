//! The transform's passes, compiled for the host, against sums of powers.

use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_kernel_host::{Decimation, Pass, ntt_pass, reverse_order, twiddle_table};
use ff::Field as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

/// `sum of x[i] (shift w^j)^i` for every j, by its definition.
fn definition(x: &[Fr], w: Fr, shift: Fr) -> Vec<Fr> {
    let at = |point: Fr| x.iter().rev().fold(Fr::ZERO, |sum, c| sum * point + c);
    let points = std::iter::successors(Some(shift), |p| Some(*p * w));
    points.take(x.len()).map(at).collect()
}

fn limbs(values: &[Fr]) -> Vec<FrLimbs> {
    FrLimbs::view(values).to_vec()
}

fn scalars(limbs: &[FrLimbs]) -> Vec<Fr> {
    FrLimbs::scalars(limbs)
        .expect("results are canonical")
        .to_vec()
}

fn random(n: usize, seed: u64) -> Vec<Fr> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Zeros, ones and their opposites are where a reduction too few shows.
    (0..n)
        .map(|_| match rng.next_u32() % 8 {
            0 => Fr::ZERO,
            1 => Fr::ONE,
            2 => -Fr::ONE,
            _ => Fr::random(&mut rng),
        })
        .collect()
}

/// The twiddles of roots w on a coset, from powers in two parts.
fn table(log_n: u32, w: Fr, shift: Fr) -> Vec<FrLimbs> {
    if log_n == 0 {
        return vec![FrLimbs([0; 4])];
    }
    let half = log_n - 1;
    let log_low = half / 2;
    let powers = |first: Fr, ratio: Fr, n: usize| -> Vec<Fr> {
        std::iter::successors(Some(first), |p| Some(*p * ratio))
            .take(n)
            .collect()
    };
    let low = powers(shift, w, 1 << log_low);
    let high = powers(
        Fr::ONE,
        w.pow_vartime([1 << log_low]),
        1 << (half - log_low),
    );
    twiddle_table(log_n, &limbs(&high), &limbs(&low))
}

/// How a transform is made, beside its table.
#[derive(Debug, Clone, Copy)]
struct Way<'a> {
    decimation: Decimation,
    /// The stages of each pass from the longest reach to the shortest.
    rows: &'a [u64],
    log_tile: u32,
    log_divisor: u64,
    begins_with_one: bool,
}

impl<'a> Way<'a> {
    fn plain(decimation: Decimation, rows: &'a [u64], log_tile: u32) -> Self {
        Self {
            decimation,
            rows,
            log_tile,
            log_divisor: 0,
            begins_with_one: true,
        }
    }
}

/// All passes of a transform.
fn transform(way: Way<'_>, twiddles: &[FrLimbs], data: &mut [FrLimbs]) {
    let log_n = u64::from(data.len().trailing_zeros());
    assert_eq!(way.rows.iter().sum::<u64>(), log_n);
    let mut passes = Vec::new();
    let mut log_stride = log_n;
    for log_rows in way.rows {
        log_stride -= log_rows;
        passes.push(Pass {
            log_n,
            log_stride,
            log_rows: *log_rows,
            log_divisor: 0,
            begins_with_one: way.begins_with_one,
        });
    }
    if way.decimation == Decimation::InTime {
        passes.reverse();
    }
    if let Some(last) = passes.last_mut() {
        last.log_divisor = way.log_divisor;
    }
    for pass in passes {
        ntt_pass(way.decimation, pass, way.log_tile, twiddles, data);
    }
}

/// Ways to cut the stages into passes that a tile can hold.
fn cuts(log_n: u64, log_tile: u64) -> Vec<Vec<u64>> {
    if log_n == 0 {
        return vec![vec![]];
    }
    let mut found = Vec::new();
    for first in 1..=log_n.min(log_tile) {
        if first == log_n {
            found.push(vec![first]);
            continue;
        }
        for mut rest in cuts(log_n - first, log_tile) {
            rest.insert(0, first);
            found.push(rest);
        }
    }
    found
}

#[test]
fn every_cut_of_every_small_size_is_the_definition_in_both_decimations() {
    for log_n in 0..=7u32 {
        let domain = Domain::new(log_n).expect("a small domain");
        let x = random(domain.n(), u64::from(log_n));
        let twiddles = table(log_n, domain.generator(), Fr::ONE);
        let expected = definition(&x, domain.generator(), Fr::ONE);
        for log_tile in [3, 5, 10] {
            let cuts = cuts(log_n.into(), log_tile.into());
            // All of them for small sizes; of the many for others, some.
            for rows in cuts.iter().step_by(1 + cuts.len() / 20) {
                for begins_with_one in [true, false] {
                    let way = Way {
                        begins_with_one,
                        ..Way::plain(Decimation::InFrequency, rows, log_tile)
                    };
                    let mut data = limbs(&x);
                    transform(way, &twiddles, &mut data);
                    reverse_order(&mut data);
                    assert_eq!(scalars(&data), expected, "2^{log_n}, {way:?}");

                    let way = Way {
                        decimation: Decimation::InTime,
                        ..way
                    };
                    let mut data = limbs(&x);
                    reverse_order(&mut data);
                    transform(way, &twiddles, &mut data);
                    assert_eq!(scalars(&data), expected, "2^{log_n}, {way:?}");
                }
            }
        }
    }
}

#[test]
fn a_divisor_is_a_product_with_the_inverse_of_that_power_of_two() {
    let x = random(64, 7);
    let domain = Domain::new(6).expect("a small domain");
    let twiddles = table(6, domain.generator(), Fr::ONE);
    let half = Fr::from(2).invert().expect("two is not zero");
    // By a tile at the end of a pass, and by a step that stores.
    for decimation in [Decimation::InFrequency, Decimation::InTime] {
        let plain = Way::plain(decimation, &[3, 3], 3);
        let mut whole = limbs(&x);
        transform(plain, &twiddles, &mut whole);
        for log_divisor in 1..=32 {
            let way = Way {
                log_divisor,
                ..plain
            };
            let mut data = limbs(&x);
            transform(way, &twiddles, &mut data);
            let factor = half.pow_vartime([log_divisor]);
            let expected: Vec<Fr> = scalars(&whole).iter().map(|y| factor * y).collect();
            assert_eq!(scalars(&data), expected, "2^{log_divisor}, {decimation:?}");
        }
    }
}

#[test]
fn the_inverse_then_a_coset_is_the_polynomial_there_and_needs_no_permutation() {
    for (log_n, rows, log_tile) in [
        (1, vec![1], 3),
        (6, vec![3, 3], 3),
        (9, vec![5, 4], 5),
        (13, vec![7, 6], 10),
    ] {
        let domain = Domain::new(log_n).expect("a small domain");
        let (w, shift) = (domain.generator(), domain.coset_shift());
        let coefficients = random(domain.n(), 100 + u64::from(log_n));
        let mut data = limbs(&coefficients);
        let way = Way::plain(Decimation::InFrequency, &rows, log_tile);
        transform(way, &table(log_n, w, Fr::ONE), &mut data);
        reverse_order(&mut data);

        let inverse = table(log_n, domain.generator_inv(), Fr::ONE);
        let log_divisor = log_n.into();
        transform(Way { log_divisor, ..way }, &inverse, &mut data);
        let way = Way {
            decimation: Decimation::InTime,
            begins_with_one: false,
            ..way
        };
        transform(way, &table(log_n, w, shift), &mut data);

        let got = scalars(&data);
        let step = 1 + domain.n() / 64;
        for j in (0..domain.n()).step_by(step) {
            let point = shift * w.pow_vartime([j as u64]);
            let expected = coefficients
                .iter()
                .rev()
                .fold(Fr::ZERO, |sum, c| sum * point + c);
            assert_eq!(got[j], expected, "2^{log_n} at {j}");
        }
    }
}

#[test]
fn the_table_holds_the_powers_of_every_level() {
    let domain = Domain::new(6).expect("a small domain");
    for (shift, name) in [(Fr::ONE, "subgroup"), (domain.coset_shift(), "coset")] {
        let got = scalars(&table(6, domain.generator(), shift));
        for log_m in 0..6 {
            let root = domain.generator().pow_vartime([32 >> log_m]);
            let first = shift.pow_vartime([32 >> log_m]);
            for j in 0..1usize << log_m {
                let expected = first * root.pow_vartime([j as u64]);
                assert_eq!(
                    got[(1 << log_m) + j],
                    expected,
                    "{name}: level {log_m}, {j}"
                );
            }
        }
    }
}

#[test]
fn reversing_twice_is_nothing() {
    for log_n in 0..=13 {
        let values: Vec<FrLimbs> = (0..1u64 << log_n).map(|i| FrLimbs([i, 0, 0, 0])).collect();
        let mut data = values.clone();
        reverse_order(&mut data);
        let reversed = |i: u64| i.reverse_bits().checked_shr(64 - log_n).unwrap_or(0);
        assert!(
            (0..1u64 << log_n)
                .all(|i| data[usize::try_from(i).expect("small")].0[0] == reversed(i))
        );
        reverse_order(&mut data);
        assert_eq!(data, values);
    }
}
