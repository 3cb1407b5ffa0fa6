//! Sums that EIP-2537 published: an outside source for the bucket method and its oracle.

use cuzk_cpu::{MsmSettings, msm};
use cuzk_curve::{Fr, G1, G2, PointCheck, SourceGroup, decode_scalar};
use cuzk_lanes::{LaneGroup, Lanes};
use group::{Curve, Group, prime::PrimeCurveAffine};

const VECTORS: &str = include_str!("data/eip2537.txt");

/// The number in `bytes` bytes, most significant first.
fn big_endian(hex: &str, bytes: usize) -> Vec<u8> {
    let digits = format!("{hex:0>width$}", width = 2 * bytes);
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16);
    (0..bytes)
        .map(|at| byte(at).expect("hexadecimal"))
        .collect()
}

fn scalar(hex: &str) -> Fr {
    let mut bytes = big_endian(hex, 32);
    bytes.reverse();
    decode_scalar(&bytes.try_into().expect("32 bytes")).expect("below the order")
}

/// A point of the subgroup; its encoding has the parts of a coordinate in the other order.
fn point<G: SourceGroup>(coordinates: &[&str]) -> G::Affine {
    if coordinates == ["0"] {
        return G::Affine::identity();
    }
    let parts = coordinates.len() / 2;
    let halves = coordinates
        .chunks(parts)
        .flat_map(|parts| parts.iter().rev());
    let bytes: Vec<u8> = halves.flat_map(|hex| big_endian(hex, 48)).collect();
    G::decode_uncompressed(&bytes, PointCheck::Subgroup).expect("a point of the subgroup")
}

fn check<G: LaneGroup>(terms: &[Vec<&str>], sum: &[&str]) {
    let term = |words: &Vec<&str>| {
        let (last, coordinates) = words.split_last().expect("coordinates and a scalar");
        (point::<G>(coordinates), scalar(last))
    };
    let (bases, scalars): (Vec<_>, Vec<_>) = terms.iter().map(term).unzip();
    let products = bases
        .iter()
        .zip(&scalars)
        .map(|(base, scalar)| *base * scalar);
    let one_by_one: G::Projective = products.sum();
    assert_eq!(
        one_by_one.to_affine(),
        point::<G>(sum),
        "{} one by one",
        G::NAME
    );
    for lanes in [Lanes::Detect, Lanes::Portable] {
        let settings = MsmSettings {
            lanes,
            ..MsmSettings::default()
        };
        let got = msm::<G>(&settings, &bases, &scalars).expect("as many scalars as bases");
        assert_eq!(got.to_affine(), point::<G>(sum), "{} {lanes:?}", G::NAME);
        assert_eq!(bool::from(got.is_identity()), sum == ["0"]);
    }
}

#[test]
fn published_sums_in_both_groups() {
    let (mut group, mut terms, mut sums) = ("", Vec::new(), 0);
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            [name] => group = name,
            ["=", ref sum @ ..] => {
                match group {
                    "g1" => check::<G1>(&terms, sum),
                    _ => check::<G2>(&terms, sum),
                }
                terms.clear();
                sums += 1;
            }
            _ => terms.push(words),
        }
    }
    assert_eq!(sums, 6);
}
