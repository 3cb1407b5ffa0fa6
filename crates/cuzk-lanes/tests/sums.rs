//! Segment sums against the additions of `blstrs`, on both kinds of arithmetic.
#![expect(clippy::print_stdout, reason = "a failing test shows its seed")]

use cuzk_curve::{Fr, G1, G2, SourceGroup};
use cuzk_lanes::{LaneGroup, LanePoints, Lanes, PointSource, PointSums, SignedIndex};
use ff::Field;
use group::{Curve, Group, prime::PrimeCurveAffine};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

const SEED: u64 = 0x5e65;

fn rng() -> ChaCha8Rng {
    println!("seed {SEED:#x}");
    ChaCha8Rng::seed_from_u64(SEED)
}

/// `count` points, with identities, repeats and negatives of earlier ones as `special` in
/// eight say.
fn points<G: LaneGroup>(count: usize, special: u32, rng: &mut ChaCha8Rng) -> Vec<G::Affine> {
    let mut points: Vec<G::Affine> = Vec::with_capacity(count);
    for _ in 0..count {
        let earlier = points
            .get(rng.next_u32() as usize % (points.len() + 1))
            .copied();
        let point = match (rng.next_u32() % 8 < special, rng.next_u32() % 3, earlier) {
            (true, 0, _) => G::Affine::identity(),
            (true, 1, Some(earlier)) => earlier,
            (true, 2, Some(earlier)) => -earlier,
            _ => (G::Projective::generator() * Fr::random(&mut *rng)).to_affine(),
        };
        points.push(point);
    }
    points
}

fn expected<G: LaneGroup>(
    points: &[G::Affine],
    entries: &[SignedIndex],
    ends: &[u32],
) -> Vec<G::Affine> {
    let mut start = 0;
    let sum = |entries: &[SignedIndex]| {
        entries
            .iter()
            .map(|entry| {
                let point = points[entry.index()];
                if entry.is_negative() { -point } else { point }
            })
            .fold(G::Projective::identity(), |sum, point| sum + point)
            .to_affine()
    };
    ends.iter()
        .map(|&end| {
            let segment = &entries[start as usize..end as usize];
            start = end;
            sum(segment)
        })
        .collect()
}

fn check<G: LaneGroup>(points: &[G::Affine], entries: &[SignedIndex], ends: &[u32]) {
    let expected = expected::<G>(points, entries, ends);
    let stored = G::as_limbs(points);
    for lanes in [Lanes::Detect, Lanes::Portable] {
        let mut sums = PointSums::<G>::new(lanes.resolve());
        let laid = laid::<G>(lanes, stored);
        // One after the other: scratch of an earlier call must not show.
        for source in [PointSource::Stored(stored), PointSource::Laid(&laid)] {
            let mut out = vec![G::Limbs::default(); ends.len()];
            sums.sum_segments_from(source, entries, ends, &mut out);
            let out = G::from_limbs(&out).expect("sums are reduced");
            for (k, (out, expected)) in out.iter().zip(&expected).enumerate() {
                assert_eq!(out, expected, "{lanes:?} {} segment {k}", G::NAME);
            }
        }
    }
}

/// The points laid out, in parts of seven.
fn laid<G: LaneGroup>(lanes: Lanes, points: &[G::Limbs]) -> LanePoints<G> {
    let mut laid = LanePoints::identities(lanes.resolve(), points.len()).expect("memory");
    for (part, points) in laid.parts_mut(7).iter_mut().zip(points.chunks(7)) {
        part.fill(|i| &points[i]);
    }
    assert_eq!(laid.len(), points.len());
    laid
}

fn random_segments<G: LaneGroup>(special: u32) {
    let mut rng = rng();
    let points = points::<G>(60, special, &mut rng);
    for longest in [1, 2, 3, 9, 40] {
        let mut entries = Vec::new();
        let mut ends = Vec::new();
        for _ in 0..40 {
            for _ in 0..rng.next_u32() % (longest + 1) {
                let index = rng.next_u32() % points.len() as u32;
                entries.push(SignedIndex::new(index, rng.next_u32() & 1 == 1));
            }
            ends.push(entries.len() as u32);
        }
        check::<G>(&points, &entries, &ends);
    }
}

#[test]
fn segments_of_distinct_points_have_the_sums_of_blstrs() {
    random_segments::<G1>(0);
    random_segments::<G2>(0);
}

#[test]
fn identities_repeats_and_negatives_have_the_sums_of_blstrs() {
    random_segments::<G1>(6);
    random_segments::<G2>(6);
}

fn every_pair<G: LaneGroup>() {
    let p = G::Affine::generator();
    let q = (p * Fr::from(5)).to_affine();
    let twice = (p * Fr::from(2)).to_affine();
    let points = [p, q, twice, G::Affine::identity()];
    let signed: Vec<SignedIndex> = (0..4)
        .flat_map(|i| [SignedIndex::new(i, false), SignedIndex::new(i, true)])
        .collect();
    let mut entries = Vec::new();
    let mut ends = Vec::new();
    for &left in &signed {
        for &right in &signed {
            entries.extend([left, right]);
            ends.push(entries.len() as u32);
        }
    }
    check::<G>(&points, &entries, &ends);
}

#[test]
fn every_pair_of_signed_and_identity_operands_adds_up() {
    every_pair::<G1>();
    every_pair::<G2>();
}

fn one_point_many_times<G: LaneGroup>() {
    let p = G::Affine::generator();
    for count in [1u32, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 300] {
        let plus = vec![SignedIndex::new(0, false); count as usize];
        check::<G>(&[p], &plus, &[count]);
        let mixed: Vec<_> = (0..count)
            .map(|i| SignedIndex::new(0, i % 2 == 1))
            .collect();
        check::<G>(&[p], &mixed, &[count]);
    }
}

#[test]
fn the_same_point_over_and_over_is_doubled_and_cancelled() {
    one_point_many_times::<G1>();
    one_point_many_times::<G2>();
}

#[test]
fn no_segments_and_empty_segments_are_fine() {
    check::<G1>(&[], &[], &[]);
    check::<G1>(&[], &[], &[0, 0, 0]);
    check::<G2>(&[], &[], &[0]);
}

#[test]
#[should_panic(expected = "every index has its point")]
fn an_index_beyond_the_points_is_caught() {
    let point = [<G1 as SourceGroup>::Affine::generator()];
    let mut out = [Default::default()];
    PointSums::<G1>::new(Lanes::Detect.resolve()).sum_segments(
        G1::as_limbs(&point),
        &[SignedIndex::new(1, false)],
        &[1],
        &mut out,
    );
}

#[test]
fn more_points_than_there_is_memory_for_are_refused() {
    for lanes in [Lanes::Detect, Lanes::Portable] {
        let arithmetic = lanes.resolve();
        assert!(LanePoints::<G2>::identities(arithmetic, usize::MAX / 2).is_none());
        assert!(LanePoints::<G1>::identities(arithmetic, 1 << 56).is_none());
        let none = LanePoints::<G1>::identities(arithmetic, 0).expect("nothing");
        assert!(none.is_empty());
    }
}

#[test]
#[should_panic(expected = "same arithmetic")]
fn points_laid_out_for_the_other_arithmetic_are_caught() {
    if Lanes::Detect.resolve() == Lanes::Portable.resolve() {
        panic!("no other arithmetic here than the same arithmetic");
    }
    let laid = LanePoints::<G1>::identities(Lanes::Portable.resolve(), 1).expect("memory");
    PointSums::<G1>::new(Lanes::Detect.resolve()).sum_segments_from(
        PointSource::Laid(&laid),
        &[SignedIndex::new(0, false)],
        &[1],
        &mut [Default::default()],
    );
}
