//! Each operation on limbs at their borders and at random, against the scalar field, and its
//! documented range against integers.

use std::sync::LazyLock;

use cuzk_curve::{Fr, FrLimbs};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::*;
use crate::{Arithmetic, LANES, Lanes, fr_shoup::split};

/// Random pairs of each kind of product.
const PRODUCTS: usize = 10_000_000;
/// Random pairs of everything else.
const OTHERS: usize = 20_000;
const SEED: u64 = 0x1f4a;

type Limbs = [u64; LIMBS];

/// Runs the body where the processor can; elsewhere there is nothing to test.
macro_rules! on_ifma {
    ($body:expr) => {
        if let Arithmetic::Ifma(_) = Lanes::Detect.resolve() {
            // SAFETY: the processor has what the functions enable.
            unsafe { $body }
        }
    };
}

/// 0, 1, r and its neighbours, 2r, limbs of ones, single bits at limb borders: any value that
/// five limbs hold.
fn edges() -> Vec<Limbs> {
    let mut edges = vec![
        [0; LIMBS],
        [MASK; LIMBS],
        [0, 0, 0, 0, MASK],
        [MASK, 0, 0, 0, 0],
    ];
    for i in 0..LIMBS {
        let mut one_limb = [0; LIMBS];
        for limb in [1, MASK, 1 << 51, MASK - 1] {
            one_limb[i] = limb;
            edges.push(one_limb);
        }
    }
    let mut ones_below_two_r = [MASK; LIMBS];
    ones_below_two_r[LIMBS - 1] = 2 * R[LIMBS - 1] - 1;
    edges.push(ones_below_two_r);
    for (times, plus) in [
        (1, 0),
        (1, 1),
        (1, -1),
        (1, -2),
        (2, 0),
        (2, -1),
        (35, 0),
        (35, -1),
    ] {
        let mut multiple = normal(R.map(|limb| limb * times));
        multiple[0] = multiple[0].wrapping_add_signed(plus);
        edges.push(multiple);
    }
    edges
}

/// Carries, modulo 2^260, of limbs that may be negative.
fn normal(limbs: Limbs) -> Limbs {
    let mut out = [0; LIMBS];
    let mut carry = 0i64;
    for (out, limb) in out.iter_mut().zip(limbs) {
        let sum = i128::from(limb.cast_signed()) + i128::from(carry);
        *out = (sum & i128::from(MASK)) as u64;
        carry = (sum >> LIMB_BITS) as i64;
    }
    out
}

/// The residue of limbs of 52 bits.
fn scalar(limbs: Limbs) -> Fr {
    // Limbs that are taken for those of an element stand for themselves times 2^-256, and
    // four limbs of 208 bits are below r.
    let [a, b, c, d, top] = limbs;
    let low = [a | b << 52, b >> 12 | c << 40, c >> 24 | d << 28, d >> 36];
    let copied = |words| Fr::try_from(FrLimbs(words)).expect("208 bits are below r");
    copied(low) * power_of_two(256) + copied([top, 0, 0, 0]) * power_of_two(256 + 208)
}

/// 2^256 or 2^464.
fn power_of_two(exponent: u32) -> Fr {
    static POWERS: LazyLock<[Fr; 2]> =
        LazyLock::new(|| [256, 464].map(|exponent| Fr::from(2).pow_vartime([exponent])));
    POWERS[usize::from(exponent == 464)]
}

fn is_below(limbs: &Limbs, bound: &Limbs) -> bool {
    limbs.iter().rev().lt(bound.iter().rev())
}

fn two_r() -> Limbs {
    normal(R.map(|limb| 2 * limb))
}

/// Limbs of zeros, of ones, of one bit and of anything.
fn random(rng: &mut ChaCha8Rng) -> Limbs {
    let kinds = rng.next_u32();
    std::array::from_fn(|limb| match kinds >> (3 * limb) & 7 {
        0 => 0,
        1 => MASK,
        2 => 1 << (rng.next_u32() % LIMB_BITS),
        _ => rng.next_u64() & MASK,
    })
}

/// All pairs of edges, eight at a time.
fn edge_pairs() -> impl Iterator<Item = [[Limbs; LANES]; 2]> {
    let edges = edges();
    let all = edges.iter().flat_map(|x| edges.iter().map(|y| [*x, *y]));
    let mut all: Vec<[Limbs; 2]> = all.collect();
    while !all.len().is_multiple_of(LANES) {
        all.push([[0; LIMBS]; 2]);
    }
    let eights = (0..all.len() / LANES).map(move |eight| {
        [0, 1].map(|side| std::array::from_fn(|lane| all[LANES * eight + lane][side]))
    });
    eights.collect::<Vec<_>>().into_iter()
}

/// So many random pairs, eight at a time.
fn random_pairs(count: usize) -> impl Iterator<Item = [[Limbs; LANES]; 2]> {
    println!("seed {SEED:#x}");
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut eight = move || std::array::from_fn(|_| random(&mut rng));
    (0..count.div_ceil(LANES)).map(move |_| [eight(), eight()])
}

fn pairs() -> impl Iterator<Item = [[Limbs; LANES]; 2]> {
    edge_pairs().chain(random_pairs(OTHERS))
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn vector(lanes: &[Limbs; LANES]) -> Vector {
    use std::arch::x86_64::_mm512_loadu_si512;
    std::array::from_fn(|i| {
        let row = lanes.map(|limbs| limbs[i]);
        // SAFETY: eight words are 64 bytes.
        unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
    })
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn lanes(vector: &Vector) -> [Limbs; LANES] {
    use std::arch::x86_64::_mm512_storeu_si512;
    let rows = vector.map(|register| {
        let mut row = [0u64; LANES];
        // SAFETY: eight words are 64 bytes.
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), register) };
        row
    });
    std::array::from_fn(|lane| rows.map(|row| row[lane]))
}

#[test]
fn montgomery_products_are_right_and_in_range() {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn check() {
        let two_260_inv = Fr::from(1 << LIMB_BITS).pow_vartime([5]).invert();
        let two_260_inv = two_260_inv.expect("a power of two is not zero");
        for [x, y] in edge_pairs().chain(random_pairs(PRODUCTS)) {
            // A product below 2^260 needs one factor below 34·r, as every use has.
            let y = y.map(|mut y| {
                y[LIMBS - 1] &= MASK >> 1;
                y
            });
            let product = lanes(&mul_montgomery(&vector(&x), &vector(&y)));
            for ((x, y), product) in x.into_iter().zip(y).zip(product) {
                let got = normal(product);
                let expected = scalar(x) * scalar(y) * two_260_inv;
                assert_eq!(scalar(got), expected, "{x:x?} {y:x?}");
                // x is below 2^260, so that x·y/2^260 + r is below y + r.
                let limit = normal(std::array::from_fn(|i| y[i] + R[i]));
                assert!(is_below(&got, &limit), "{x:x?} {y:x?}");
            }
        }
    }
    on_ifma!(check());
}

#[test]
fn products_with_a_constant_are_right_and_below_two_r() {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn check() {
        let two_r = two_r();
        let mut factors = [Factor::new(&Fr::ZERO); LANES];
        let mut w = [Fr::ZERO; LANES];
        let mut check = |x: [Limbs; LANES], new: Option<[Limbs; LANES]>| {
            if let Some(new) = new {
                w = new.map(scalar);
                factors = w.each_ref().map(Factor::new);
            }
            let value = vector(&factors.map(|f| f.value));
            let companion = vector(&factors.map(|f| f.companion));
            let product = lanes(&mul_constant(&vector(&x), &value, &companion));
            let same = lanes(&mul_factor(&vector(&x), &factors[0]));
            assert_eq!(product[0], same[0]);
            for ((x, w), product) in x.into_iter().zip(w).zip(product) {
                let got = normal(product);
                assert_eq!(scalar(got), scalar(x) * w, "{x:x?} {w:?}");
                assert!(is_below(&got, &two_r), "{x:x?} {w:?}");
            }
        };
        for [x, w] in pairs() {
            check(x, Some(w));
        }
        // Companions take long to make: each serves some values.
        for (round, [x, w]) in random_pairs(PRODUCTS).enumerate() {
            check(x, (round % 16 == 0).then_some(w));
        }
    }
    on_ifma!(check());
}

#[test]
fn reductions_keep_the_value_and_their_ranges() {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn check() {
        let two_r = two_r();
        for [x, _] in pairs() {
            let reduced = mask(&carry(&reduce(&vector(&x))));
            let exact = lanes(&canonical(&reduced));
            for (lane, got) in lanes(&reduced).into_iter().enumerate() {
                assert_eq!(scalar(got), scalar(x[lane]), "{:x?}", x[lane]);
                assert!(is_below(&got, &two_r), "{:x?}", x[lane]);
                let is_exact = exact[lane] == integer(scalar(x[lane]));
                assert!(is_exact, "{:x?} gives {:x?}", x[lane], exact[lane]);
            }
        }
    }
    on_ifma!(check());
}

fn integer(value: Fr) -> Limbs {
    let bytes = value.to_bytes_le();
    let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * i + byte]));
    split([word(0), word(1), word(2), word(3)])
}

#[test]
fn butterflies_on_limbs_left_alone_are_right() {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn check() {
        for [mut x, mut y] in pairs() {
            // Values with room for the 2·r of a layer.
            for limbs in x.iter_mut().chain(&mut y) {
                limbs[LIMBS - 1] &= MASK >> 1;
            }
            let factor = Factor::new(&scalar(y[0]));
            let (mut a, mut b) = (vector(&x), vector(&y));
            butterfly(&mut a, &mut b, &factor);
            let w = scalar(y[0]);
            // Sums and differences with uncarried, negative limbs are the next layer's input.
            let (mut c, mut d) = (a, b);
            butterfly_one(&mut c, &mut d);
            let [a, b, c, d] = [a, b, c, d].map(|v| lanes(&v).map(normal).map(scalar));
            for lane in 0..LANES {
                let (x, y) = (scalar(x[lane]), scalar(y[lane]) * w);
                assert_eq!([a[lane], b[lane]], [x + y, x - y]);
                assert_eq!([c[lane], d[lane]], [x + x, y + y]);
            }
        }
    }
    on_ifma!(check());
}

#[test]
fn memory_and_lanes_hold_the_same_values() {
    use crate::fr_ifma_memory::{load, load_each, store, store_each};
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn check() {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        for _ in 0..1000 {
            let row: [Fr; LANES] = std::array::from_fn(|_| Fr::random(&mut rng));
            let expected = row.map(|x| split(FrLimbs::from(x).0));
            let loaded = load(&row);
            assert_eq!(lanes(&loaded), expected);
            assert_eq!(lanes(&load_each(row.each_ref())), expected);
            let mut back = [Fr::ZERO; LANES];
            store(&mut back, &loaded);
            assert_eq!(back, row);
            back.fill(Fr::ZERO);
            store_each(back.each_mut(), &loaded);
            assert_eq!(back, row);
        }
    }
    on_ifma!(check());
}
