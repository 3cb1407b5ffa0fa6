use cuzk_curve::{G1, G2};
use cuzk_lanes::Lanes;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::*;

fn edge_scalars() -> Vec<Fr> {
    let two = Fr::from(2);
    let mut scalars = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, -two];
    for bit in [1, 7, 8, 11, 12, 63, 64, 127, 128, 250, 254] {
        let power = two.pow_vartime([bit]);
        scalars.extend([power, power - Fr::ONE, power + Fr::ONE, -power]);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    scalars.extend((0..20).map(|_| Fr::random(&mut rng)));
    scalars
}

fn table<G: LaneGroup>(scalars: usize) -> BaseTable<G> {
    BaseTable::new(Lanes::Detect.resolve(), Group::generator(), scalars)
}

fn multiples_are_those_of_the_group<G: LaneGroup>(sizes: &[usize]) {
    let scalars = edge_scalars();
    let expected: Vec<G::Affine> = scalars
        .iter()
        .map(|scalar| (G::Projective::generator() * scalar).to_affine())
        .collect();
    for &size in sizes {
        let table = table::<G>(size);
        let mut points = vec![G::Limbs::default(); scalars.len()];
        table.multiply(&scalars, &mut points, &|_| {});
        let points = G::from_limbs(&points).expect("coordinates are reduced");
        assert_eq!(points, expected, "table for {size}");
    }
}

#[test]
fn multiples_in_g1_are_those_of_the_group_whatever_the_window() {
    multiples_are_those_of_the_group::<G1>(&[0, 1, 40, 700, 5_000, usize::MAX]);
}

#[test]
fn multiples_in_g2_are_those_of_the_group_whatever_the_window() {
    multiples_are_those_of_the_group::<G2>(&[0, 60, 3_000]);
}

#[test]
fn every_chunk_is_reported() {
    let done = std::sync::Mutex::new(Vec::new());
    let report = |points| done.lock().expect("nobody panics here").push(points);
    let scalars = vec![Fr::ONE; 2 * CHUNK + 1];
    let mut points = vec![Default::default(); scalars.len()];
    table::<G1>(1).multiply(&scalars, &mut points, &report);
    let mut done = done.into_inner().expect("nobody panics here");
    done.sort_unstable();
    assert_eq!(done, [1, CHUNK, CHUNK]);
}

#[test]
fn more_scalars_take_wider_windows() {
    let widths: Vec<usize> = [1, 100, 10_000, 1_000_000].map(window_bits).to_vec();
    assert!(widths.is_sorted(), "{widths:?}");
    assert_eq!(widths.last(), Some(&MAX_WINDOW_BITS));
}

#[test]
fn digits_are_small_and_put_the_scalar_together_again() {
    for scalar in edge_scalars() {
        for window_bits in MIN_WINDOW_BITS..=MAX_WINDOW_BITS {
            let base = Fr::from(1 << window_bits);
            let digits: Vec<i32> = digits(scalar.to_bytes_le(), window_bits).collect();
            let half = 1 << (window_bits - 1);
            assert!(digits.iter().all(|digit| -half < *digit && *digit <= half));
            let sum = digits.iter().rev().fold(Fr::ZERO, |sum, &digit| {
                let size = Fr::from(u64::from(digit.unsigned_abs()));
                sum * base + if digit < 0 { -size } else { size }
            });
            assert_eq!(sum, scalar, "windows of {window_bits} bits");
        }
    }
}
