use super::*;
use cuzk_curve::{Fr, G1, G2, PointCheck};
use ff::Field;
use group::prime::PrimeCurveAffine;

/// Distinct points of the subgroup.
fn inside<G: SourceGroup>(n: usize) -> Vec<G::Affine> {
    let step = G::Projective::generator() * Fr::random(OsRng);
    let mut walk = step;
    let mut projective = Vec::new();
    for _ in 0..n {
        projective.push(walk);
        walk += step;
    }
    let mut points = vec![G::Affine::identity(); n];
    G::Projective::batch_normalize(&projective, &mut points);
    points
}

/// Points of the curve outside the subgroup. The first in G1 is (0, 2), of order three; the
/// others have small abscissas.
fn outside<G: SourceGroup>(n: usize) -> Vec<G::Affine> {
    let mut zero_two = vec![0; G::UNCOMPRESSED_BYTES];
    zero_two[G::UNCOMPRESSED_BYTES - 1] = 2;
    let zero_two = G::decode_uncompressed(&zero_two, PointCheck::OnCurve).ok();
    let others = (1u16..).filter_map(|x| {
        let mut bytes = vec![0; G::COMPRESSED_BYTES];
        bytes[0] = 0x80;
        let end = bytes.len() - 2;
        bytes[end..].copy_from_slice(&x.to_be_bytes());
        G::decode_compressed(&bytes, PointCheck::OnCurve).ok()
    });
    let points = zero_two.into_iter().chain(others);
    points
        .filter(|point| !G::is_in_subgroup(point))
        .take(n)
        .collect()
}

fn add<G: SourceGroup>(point: &G::Affine, other: &G::Affine) -> G::Affine {
    (point.to_curve() + other).to_affine()
}

fn finds_a_single_point<G: SourceGroup>() {
    let bad = outside::<G>(2);
    for n in [1, 2, 3, BATCH_FROM - 1, BATCH_FROM, BATCH_FROM + 1, 1200] {
        let good = inside::<G>(n);
        assert_eq!(first_outside::<G>(&good), None, "n = {n}");
        for at in [0, n / 2, n - 1] {
            for bad in &bad {
                let mut points = good.clone();
                points[at] = add::<G>(&points[at], bad);
                assert_eq!(first_outside::<G>(&points), Some(at), "n = {n}");
            }
        }
    }
}

#[test]
fn a_point_outside_is_found_wherever_it_stands() {
    finds_a_single_point::<G1>();
    finds_a_single_point::<G2>();
}

#[test]
fn the_first_point_outside_of_g1_has_order_three() {
    let bad = outside::<G1>(1)[0];
    assert_eq!(bad.to_curve().double().to_affine(), -bad);
}

#[test]
fn the_first_of_several_points_outside_is_named() {
    let bad = outside::<G1>(3);
    let mut points = inside::<G1>(2000);
    for (&at, bad) in [1999usize, 700, 701].iter().zip(&bad) {
        points[at] = *bad;
    }
    assert_eq!(first_outside::<G1>(&points), Some(700));
}

#[test]
fn points_that_cancel_each_other_are_found() {
    let bad = outside::<G1>(1)[0];
    let mut points = inside::<G1>(1000);
    points[10] = add::<G1>(&points[10], &bad);
    points[20] = add::<G1>(&points[20], &-bad);
    assert_eq!(first_outside::<G1>(&points), Some(10));
    // All points off by the same element of order three: every sum of 3k of them is inside.
    let points: Vec<_> = inside::<G1>(999)
        .iter()
        .map(|point| add::<G1>(point, &bad))
        .collect();
    assert_eq!(first_outside::<G1>(&points), Some(0));
}

#[test]
fn equal_opposite_and_identity_points_are_inside() {
    let mut points = vec![inside::<G1>(1)[0]; 600];
    points.extend(vec![-points[0]; 600]);
    points.extend(vec![<G1 as SourceGroup>::Affine::identity(); 600]);
    assert_eq!(first_outside::<G1>(&points), None);
    assert_eq!(first_outside::<G1>(&[]), None);
}

/// The probability that the proof in the module's head rests on, measured: one subset sum
/// misses a point of order three in half of all cases, and a label of `w` bits in 2^-w.
#[test]
fn one_bit_of_label_misses_half_of_the_time() {
    let mut points = inside::<G1>(4);
    points[2] = add::<G1>(&points[2], &outside::<G1>(1)[0]);
    let mut labels = ChaCha8Rng::from_seed([7; 32]);
    let mut missed = |bits| {
        (0..400)
            .filter(|_| subset_sums_inside::<G1>(&points, bits, &mut labels))
            .count()
    };
    // 400 trials: 200 ± 10 and 25 ± 5 are expected; six deviations are allowed.
    assert!((140..260).contains(&missed(1)), "{}", missed(1));
    assert!((1..55).contains(&missed(4)), "{}", missed(4));
}

#[test]
fn labels_are_wide_for_many_points_and_fit_half_a_word() {
    assert_eq!(label_bits(BATCH_POINTS), 13);
    for n in [BATCH_FROM, 5000, BATCH_POINTS, 1 << 30] {
        assert!((2..=16).contains(&label_bits(n)), "{n}");
    }
}
