//! Each operation on limbs at their borders and at random, against the arithmetic of `blst`,
//! and the ranges that the operations promise.

use cuzk_curve::{Fp, FpLimbs};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::{
    constants::{self, MASK, P},
    layout::Limbs52,
};
use crate::{Arithmetic, Ifma, Lanes, field::Field};

/// Rounds of eight elements each: 10^7 products, and as many squares.
const ROUNDS: usize = 1_250_000;
const SEED: u64 = 0x1f3a_0052;

type Limbs = [u64; 8];

/// Runs the body where the processor can; elsewhere there is nothing to test.
fn on_ifma(body: impl FnOnce(Ifma)) {
    if let Arithmetic::Ifma(token) = Lanes::Detect.resolve() {
        body(token);
    }
}

fn vector(f: Ifma, lanes: &[Limbs; 8]) -> <Ifma as Field>::V {
    let elems = lanes.map(Limbs52::from);
    f.vectorize(|| f.load(|lane| &elems[lane]))
}

fn lanes(f: Ifma, v: <Ifma as Field>::V) -> [Limbs; 8] {
    let mut out = [[0; 8]; 8];
    f.vectorize(|| f.store(v, |lane, elem| out[lane] = elem.into()));
    out
}

fn small(value: u64) -> Fp {
    let mut bytes = [0; 48];
    bytes[40..].copy_from_slice(&value.to_be_bytes());
    Fp::from_bytes_be(&bytes).expect("64 bits are below p")
}

/// The residue of limbs that may exceed 52 bits or be negative.
fn residue(limbs: &Limbs) -> Fp {
    let radix = small(1 << 52);
    limbs.iter().rev().fold(Fp::ZERO, |sum, &limb| {
        let limb = limb.cast_signed();
        let size = small(limb.unsigned_abs());
        sum * radix + if limb < 0 { -size } else { size }
    })
}

/// As [`residue`], of limbs of 52 bits, with fewer products.
///
/// `scale` is 2^384 and 2^748: words that are taken for those of an element stand for
/// themselves times 2^−384, and seven limbs of 364 bits are below p.
fn residue_in_place(limbs: &Limbs, scale: &[Fp; 2]) -> Fp {
    let copied = |limbs: &Limbs| {
        Fp::try_from(FpLimbs(constants::words(limbs))).expect("364 bits are below p")
    };
    let (mut low, mut top) = (*limbs, [0; 8]);
    (low[7], top[0]) = (0, limbs[7]);
    copied(&low) * scale[0] + copied(&top) * scale[1]
}

fn scale() -> [Fp; 2] {
    [384, 384 + 364].map(power_of_two)
}

fn power_of_two(exponent: u32) -> Fp {
    (0..exponent).fold(Fp::one(), |x, _| x + x)
}

/// 2^−416: what the product of two elements carries.
fn shrinkage() -> Fp {
    power_of_two(416).invert().expect("a power of two")
}

/// k·p, limbs in place.
fn multiple(k: u64) -> Limbs {
    let mut out = [0; 8];
    let mut carry = 0u128;
    for (out, p) in out.iter_mut().zip(P) {
        carry += u128::from(p) * u128::from(k);
        *out = carry as u64 & MASK;
        carry >>= 52;
    }
    out
}

fn is_below(limbs: &Limbs, bound: &Limbs) -> bool {
    limbs.iter().rev().lt(bound.iter().rev())
}

/// p + p/2^12, the bound of tight values.
fn tight_bound() -> Limbs {
    let mut bound = P;
    bound[7] += P[7] >> 12;
    bound
}

fn assert_in_place(limbs: &Limbs, bound: &Limbs, what: &str) {
    assert!(limbs.iter().all(|&limb| limb <= MASK), "{what}: {limbs:x?}");
    assert!(is_below(limbs, bound), "{what}: {limbs:x?}");
}

/// 0, 1, p and its neighbours, 2^(52k) and its neighbours, and ones in every limb, all below
/// `bound`.
fn edges(bound: &Limbs) -> Vec<Limbs> {
    let mut edges = vec![[0; 8], P, multiple(2), multiple(3)];
    for k in 0..8 {
        let mut power = [0; 8];
        power[k] = 1;
        let mut ones = [0; 8];
        ones[..k].fill(MASK);
        let mut mixed = ones;
        mixed[k] = 1;
        edges.extend([power, ones, mixed]);
    }
    for (times, down) in [(1, 1), (1, 2), (2, 1), (3, 1)] {
        let mut below = multiple(times);
        below[0] -= down;
        edges.push(below);
        let mut above = multiple(times);
        above[0] += down;
        edges.push(above);
    }
    let mut largest = [MASK; 8];
    largest[7] = bound[7] - 1;
    edges.push(largest);
    edges.retain(|edge| is_below(edge, bound));
    edges
}

fn random(rng: &mut ChaCha8Rng, bound: &Limbs) -> Limbs {
    loop {
        let mut limbs = [0; 8].map(|_: u64| rng.next_u64() & MASK);
        limbs[7] = rng.next_u64() % (bound[7] + 1);
        if rng.next_u32().is_multiple_of(8) {
            limbs[rng.next_u32() as usize % 7] = if rng.next_u32() & 1 == 0 { 0 } else { MASK };
        }
        if is_below(&limbs, bound) {
            return limbs;
        }
    }
}

/// Runs `check` on all pairs of edges, eight at a time, and then on random pairs.
fn pairs(bounds: [&Limbs; 2], rounds: usize, mut check: impl FnMut([Limbs; 8], [Limbs; 8])) {
    println!("seed {SEED:#x}");
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let [left, right] = bounds.map(edges);
    let all: Vec<_> = left
        .iter()
        .flat_map(|a| right.iter().map(|b| (*a, *b)))
        .collect();
    for chunk in all.chunks(8) {
        let at = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        check(
            std::array::from_fn(|i| at(i).0),
            std::array::from_fn(|i| at(i).1),
        );
    }
    for _ in 0..rounds {
        let [a, b] = bounds.map(|bound| std::array::from_fn(|_| random(&mut rng, bound)));
        check(a, b);
    }
}

/// 2^400.
const OPERAND: Limbs = [0, 0, 0, 0, 0, 0, 0, 1 << 36];

#[test]
fn products_of_an_operand_and_a_small_value_are_right_and_below_two_p() {
    let (shrinkage, scale, two_p) = (shrinkage(), scale(), multiple(2));
    let residue = |limbs: &Limbs| residue_in_place(limbs, &scale);
    on_ifma(|f| {
        pairs([&multiple(4), &OPERAND], ROUNDS, |a, b| {
            let product = f.vectorize(|| f.mul(vector(f, &a), vector(f, &b)));
            for ((a, b), product) in a.iter().zip(&b).zip(lanes(f, product)) {
                assert_in_place(&product, &two_p, "product");
                assert_eq!(residue(&product), residue(a) * residue(b) * shrinkage);
            }
        });
    });
}

#[test]
fn squares_are_right_and_below_two_p() {
    let (shrinkage, scale, two_p) = (shrinkage(), scale(), multiple(2));
    let residue = |limbs: &Limbs| residue_in_place(limbs, &scale);
    on_ifma(|f| {
        pairs([&multiple(4), &[0, 0, 0, 0, 0, 0, 0, 1]], ROUNDS, |a, _| {
            let square = f.vectorize(|| f.square(vector(f, &a)));
            for (a, square) in a.iter().zip(lanes(f, square)) {
                assert_in_place(&square, &two_p, "square");
                assert_eq!(residue(&square), residue(a).square() * shrinkage);
            }
        });
    });
}

#[test]
fn products_less_loose_values_are_right_and_tight() {
    let (shrinkage, tight) = (shrinkage(), tight_bound());
    on_ifma(|f| {
        pairs([&tight, &tight], 2000, |a, b| {
            let (va, vb) = (vector(f, &a), vector(f, &b));
            let [difference, sum, square, negative] = f
                .vectorize(|| {
                    let sum = f.sum(va, vb);
                    [
                        f.mul_sub(va, vb, va),
                        f.mul_add_sub(va, vb, vb, vb, sum),
                        f.square_sub(va, sum),
                        f.mul_sub(vb, vb, f.negate(0x55, f.reduce(va))),
                    ]
                })
                .map(|v| lanes(f, v));
            for lane in 0..8 {
                let (a, b) = (residue(&a[lane]), residue(&b[lane]));
                let signed = if lane % 2 == 0 { -a } else { a };
                let expected = [
                    (difference[lane], a * b * shrinkage - a),
                    (sum[lane], (a * b + b * b) * shrinkage - a - b),
                    (square[lane], a * a * shrinkage - a - b),
                    (negative[lane], b * b * shrinkage - signed),
                ];
                for (limbs, expected) in expected {
                    assert_eq!(residue(&limbs), expected);
                    assert_in_place(&limbs, &tight, "tight");
                }
            }
        });
    });
}

#[test]
fn sums_of_two_products_are_right_and_below_two_p() {
    let shrinkage = shrinkage();
    on_ifma(|f| {
        pairs([&multiple(4), &OPERAND], 2000, |a, b| {
            let (va, vb) = (vector(f, &a), vector(f, &b));
            let sum = f.vectorize(|| f.mul_add(va, vb, va, va));
            for ((a, b), sum) in a.iter().zip(&b).zip(lanes(f, sum)) {
                let (a, b) = (residue(a), residue(b));
                assert_eq!(residue(&sum), (a * b + a * a) * shrinkage);
                assert_in_place(&sum, &multiple(2), "sum of products");
            }
        });
    });
}

#[test]
fn sums_and_differences_are_right_and_reduce_to_the_canonical_value() {
    let tight = tight_bound();
    let operand = multiple(16);
    on_ifma(|f| {
        pairs([&tight, &tight], 2000, |a, b| {
            let (va, vb) = (vector(f, &a), vector(f, &b));
            let (add, sub) = f.vectorize(|| (f.add(va, vb), f.sub(va, vb)));
            let sum = f.vectorize(|| f.sum_from_difference(vb, sub));
            let reduced = f.vectorize(|| [f.reduce(add), f.reduce(sub), f.reduce(va)]);
            let zeros = reduced.map(|v| f.vectorize(|| f.zero_mask(v)));
            let (add, sub, sum) = (lanes(f, add), lanes(f, sub), lanes(f, sum));
            let reduced = reduced.map(|v| lanes(f, v));
            for lane in 0..8 {
                let (a, b) = (residue(&a[lane]), residue(&b[lane]));
                assert_eq!(residue(&sum[lane]), a + b);
                let cases = [(add[lane], a + b), (sub[lane], a - b)];
                for (limbs, expected) in cases {
                    assert_eq!(residue(&limbs), expected);
                    assert_in_place(&limbs, &operand, "operand");
                }
                for (k, expected) in [a + b, a - b, a].into_iter().enumerate() {
                    assert_eq!(residue(&reduced[k][lane]), expected);
                    assert_in_place(&reduced[k][lane], &P, "reduced");
                    assert_eq!(zeros[k] >> lane & 1 == 1, expected == Fp::ZERO);
                }
            }
        });
    });
}

#[test]
fn lifts_multiply_by_their_powers_of_two() {
    let mut below = [0; 8];
    below[7] = 1 << 20;
    let (two_16, two_32) = (power_of_two(16), power_of_two(32));
    on_ifma(|f| {
        pairs([&below, &multiple(4)], 2000, |a, b| {
            let (va, vb) = (vector(f, &a), vector(f, &b));
            let (lift, square) = f.vectorize(|| (f.lift(va), f.lift_square(vb)));
            for lane in 0..8 {
                let (lift, square) = (lanes(f, lift)[lane], lanes(f, square)[lane]);
                assert_eq!(residue(&lift), residue(&a[lane]) * two_16);
                assert_in_place(&lift, &OPERAND, "lift");
                assert_eq!(residue(&square), residue(&b[lane]) * two_32);
                assert_in_place(&square, &tight_bound(), "lift of a square");
            }
        });
    });
}

#[test]
fn congruent_and_zero_abscissas_are_always_suspected() {
    let mut above = P;
    above[0] += 5;
    let five = [5, 0, 0, 0, 0, 0, 0, 0];
    let seven = [7, 0, 0, 0, 0, 0, 0, 0];
    on_ifma(|f| {
        let suspect = |a: Limbs, b: Limbs, lane: usize| {
            let (mut left, mut right) = ([five; 8], [seven; 8]);
            (left[lane], right[lane]) = (a, b);
            let (left, right) = (vector(f, &left), vector(f, &right));
            f.vectorize(|| f.suspect(left, right, f.sub(right, left)))
        };
        for lane in 0..8 {
            assert!(!suspect(five, seven, lane));
            for (a, b) in [(five, five), (five, above), (above, five), (P, P)] {
                assert!(suspect(a, b, lane));
            }
            assert!(suspect([0; 8], seven, lane));
            assert!(suspect(five, [0; 8], lane));
        }
    });
}

#[test]
fn stored_elements_come_back_from_lanes_and_rest() {
    on_ifma(|f| {
        pairs([&P, &P], 500, |a, b| {
            let stored = a.map(|limbs| FpLimbs(constants::words(&limbs)));
            let loaded = f.vectorize(|| f.load_packed(|lane| &stored[lane]));
            assert_eq!(lanes(f, loaded), a);
            for (limbs, stored) in a.iter().zip(&stored) {
                assert_eq!(<Limbs>::from(f.unpack(stored)), *limbs);
                assert_eq!(f.pack(&Limbs52::from(*limbs)), *stored);
            }
            let blended = f.vectorize(|| f.select(0b1010_0110, vector(f, &a), vector(f, &b)));
            for (lane, limbs) in lanes(f, blended).iter().enumerate() {
                let expected = if 0b1010_0110 >> lane & 1 == 1 { b } else { a };
                assert_eq!(*limbs, expected[lane]);
            }
        });
        let mut slightly_above = P;
        slightly_above[0] += 3;
        assert_eq!(
            f.pack(&Limbs52::from(slightly_above)),
            FpLimbs([3, 0, 0, 0, 0, 0])
        );
        assert_eq!(f.pack(&Limbs52::from(P)), FpLimbs([0; 6]));
    });
}

#[test]
fn one_is_neutral_and_the_factor_of_inverses_is_its_power_of_two() {
    on_ifma(|f| {
        pairs([&P, &P], 50, |a, _| {
            let same = f.vectorize(|| f.mul(vector(f, &a), f.one()));
            for (a, same) in a.iter().zip(lanes(f, same)) {
                assert_eq!(residue(&same), residue(a));
            }
        });
        let factor = constants::limbs(&Ifma::INVERSE_FACTOR.0);
        assert_eq!(residue(&factor), power_of_two(432));
    });
}

#[test]
fn both_ways_to_a_residue_agree() {
    let scale = scale();
    pairs([&multiple(4), &OPERAND], 100, |a, b| {
        for limbs in a.iter().chain(&b) {
            assert_eq!(residue_in_place(limbs, &scale), residue(limbs));
        }
    });
}
