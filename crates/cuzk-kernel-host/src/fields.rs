use std::fmt::Debug;

use bytemuck::Pod;
use cuzk_curve::{Fp, Fp2, FpLimbs, Fr, FrLimbs};
use ff::Field as _;
use num_bigint::BigUint;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};

use crate::machine::{Machine, binary, unary};
use crate::values::{SEED, edges, pairs, random_below};

/// Checks every operation of Fr, Fp and Fp2: all pairs of edge values and `cases` random ones.
///
/// # Panics
/// At the first result that differs from the oracle's, naming the operation and its operands.
pub fn check_fields(machine: &dyn Machine, cases: usize) {
    check_prime::<Fr>(machine, cases);
    check_prime::<Fp>(machine, cases);
    check_products(machine, cases);
    check_fp2(machine, cases);
}

/// What the suite asks of an oracle's prime field.
trait Prime: Copy + Debug + PartialEq {
    type Limbs: Pod + Debug;
    const SUFFIX: &str;
    const BITS: u32;
    fn modulus() -> BigUint;
    fn from_limbs(limbs: Self::Limbs) -> Option<Self>;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn inverse(self) -> Option<Self>;

    fn limbs(value: &BigUint) -> Self::Limbs {
        let mut bytes = value.to_bytes_le();
        bytes.resize(size_of::<Self::Limbs>(), 0);
        bytemuck::pod_read_unaligned(&bytes)
    }
    fn number(limbs: &Self::Limbs) -> BigUint {
        BigUint::from_bytes_le(bytemuck::bytes_of(limbs))
    }
    /// The element whose Montgomery form is the number.
    fn element(raw: &BigUint) -> Self {
        Self::from_limbs(Self::limbs(raw)).expect("the number is below the modulus")
    }
}

impl Prime for Fr {
    type Limbs = FrLimbs;
    const SUFFIX: &str = "fr";
    const BITS: u32 = 256;
    fn modulus() -> BigUint {
        BigUint::from_bytes_le(&cuzk_curve::encode_scalar(&-Self::ONE)) + 1u32
    }
    fn from_limbs(limbs: FrLimbs) -> Option<Self> {
        Self::try_from(limbs).ok()
    }
    fn add(self, other: Self) -> Self {
        self + other
    }
    fn sub(self, other: Self) -> Self {
        self - other
    }
    fn mul(self, other: Self) -> Self {
        self * other
    }
    fn inverse(self) -> Option<Self> {
        self.invert().into()
    }
}

impl Prime for Fp {
    type Limbs = FpLimbs;
    const SUFFIX: &str = "fp";
    const BITS: u32 = 384;
    fn modulus() -> BigUint {
        BigUint::from_bytes_be(&(-Self::one()).to_bytes_be()) + 1u32
    }
    fn from_limbs(limbs: FpLimbs) -> Option<Self> {
        Self::try_from(limbs).ok()
    }
    fn add(self, other: Self) -> Self {
        self + other
    }
    fn sub(self, other: Self) -> Self {
        self - other
    }
    fn mul(self, other: Self) -> Self {
        self * other
    }
    fn inverse(self) -> Option<Self> {
        self.invert()
    }
}

fn check_prime<F: Prime>(machine: &dyn Machine, cases: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let p = F::modulus();
    let pairs = pairs(&mut rng, &p, [&p, &p], cases);
    let (a, b): (Vec<_>, Vec<_>) = pairs
        .iter()
        .map(|(a, b)| (F::limbs(a), F::limbs(b)))
        .unzip();
    let zero = F::element(&BigUint::ZERO);

    type Binary<F> = (&'static str, fn(F, F) -> F);
    let operations: [Binary<F>; 3] = [("add", F::add), ("sub", F::sub), ("mul", F::mul)];
    for (verb, oracle) in operations {
        let name = format!("{verb}_{}", F::SUFFIX);
        let got: Vec<F::Limbs> = binary(machine, &name, &a, &b);
        for ((x, y), got) in pairs.iter().zip(got) {
            let expected = oracle(F::element(x), F::element(y));
            assert_eq!(
                F::from_limbs(got),
                Some(expected),
                "{name} of {x:#x}, {y:#x}"
            );
        }
    }

    let singles = singles(&mut rng, &p, &p, cases);
    let limbs: Vec<_> = singles.iter().map(F::limbs).collect();
    let neg = |x: F| zero.sub(x);
    let sqr = |x: F| x.mul(x);
    let inverse = |x: F| x.inverse().unwrap_or(zero);
    let operations: [(&str, &dyn Fn(F) -> F); 3] =
        [("neg", &neg), ("sqr", &sqr), ("inverse", &inverse)];
    for (verb, oracle) in operations {
        let name = format!("{verb}_{}", F::SUFFIX);
        let got: Vec<F::Limbs> = unary(machine, &name, &limbs);
        for (x, got) in singles.iter().zip(got) {
            assert_eq!(
                F::from_limbs(got),
                Some(oracle(F::element(x))),
                "{name} of {x:#x}"
            );
        }
    }
    check_montgomery::<F>(machine, &singles, &limbs);
    check_lazy::<F>(machine, cases);
}

/// `x R -> x` and back, against whole numbers.
fn check_montgomery<F: Prime>(machine: &dyn Machine, singles: &[BigUint], limbs: &[F::Limbs]) {
    let p = F::modulus();
    let r = BigUint::from(1u32) << F::BITS;
    let out: Vec<F::Limbs> = unary(machine, &format!("from_mont_{}", F::SUFFIX), limbs);
    let back: Vec<F::Limbs> = unary(machine, &format!("to_mont_{}", F::SUFFIX), limbs);
    for (x, (out, back)) in singles.iter().zip(out.iter().zip(&back)) {
        let out = F::number(out);
        assert!(
            out < p && &out * &r % &p == *x,
            "from_mont of {x:#x}: {out:#x}"
        );
        assert_eq!(F::number(back), x * &r % &p, "to_mont of {x:#x}");
    }
}

/// Products of operands as large as they may be: the result is right modulo p, and no larger than
/// (a b + (R - 1) p) / R.
fn check_lazy<F: Prime>(machine: &dyn Machine, cases: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + 1);
    let p = F::modulus();
    let r = BigUint::from(1u32) << F::BITS;
    let right = |a: &BigUint, b: &BigUint, got: BigUint, name: &str| {
        let product = a * b;
        let scaled = got * &r;
        assert_eq!(&scaled % &p, &product % &p, "{name} of {a:#x}, {b:#x}");
        assert!(
            scaled <= product + (&r - 1u32) * &p,
            "{name} of {a:#x}, {b:#x}: too large"
        );
    };

    let name = format!("mul_lazy_{}", F::SUFFIX);
    let pairs = pairs(&mut rng, &p, [&(&r - &p + 1u32), &r], cases);
    let (a, b): (Vec<_>, Vec<_>) = pairs
        .iter()
        .map(|(a, b)| (F::limbs(a), F::limbs(b)))
        .unzip();
    let got: Vec<F::Limbs> = binary(machine, &name, &a, &b);
    for ((a, b), got) in pairs.iter().zip(&got) {
        right(a, b, F::number(got), &name);
    }

    let name = format!("sqr_lazy_{}", F::SUFFIX);
    let singles = singles(&mut rng, &p, &((&r - &p) * &r).sqrt(), cases);
    let limbs: Vec<_> = singles.iter().map(F::limbs).collect();
    let got: Vec<F::Limbs> = unary(machine, &name, &limbs);
    for (a, got) in singles.iter().zip(&got) {
        right(a, a, F::number(got), &name);
    }
}

fn singles(rng: &mut ChaCha8Rng, p: &BigUint, bound: &BigUint, cases: usize) -> Vec<BigUint> {
    let mut values = edges(p, bound);
    values.extend((0..cases).map(|_| random_below(rng, bound)));
    values
}

/// Pairs of elements of Fp, as edges of Fp2 and as the operands of merged products.
fn elements(rng: &mut ChaCha8Rng, cases: usize) -> Vec<[FpLimbs; 2]> {
    let p = Fp::modulus();
    let edges = edges(&p, &p);
    let mut values: Vec<[FpLimbs; 2]> = (0..edges.len())
        .map(|i| [&edges[i], &edges[(7 * i + 3) % edges.len()]].map(Fp::limbs))
        .collect();
    let zero = FpLimbs([0; 6]);
    let last = Fp::limbs(&(&p - 1u32));
    values.extend([[zero, zero], [last, last], [zero, last], [last, zero]]);
    values.extend((0..cases).map(|_| [(); 2].map(|()| Fp::limbs(&random_below(rng, &p)))));
    values
}

/// Each edge with a shifted list of edges, then random elements in turn.
fn element_pairs(cases: usize) -> Vec<([FpLimbs; 2], [FpLimbs; 2])> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + 2);
    let edges = elements(&mut rng, 0);
    let mut pairs: Vec<_> = edges
        .iter()
        .flat_map(|a| edges.iter().map(|b| (*a, *b)))
        .collect();
    let left = elements(&mut rng, cases);
    let right = elements(&mut rng, cases);
    pairs.extend(left.into_iter().zip(right));
    pairs
}

fn check_products(machine: &dyn Machine, cases: usize) {
    let (a, b): (Vec<_>, Vec<_>) = element_pairs(cases).into_iter().unzip();
    let sums: Vec<FpLimbs> = binary(machine, "sum_of_products_fp", &a, &b);
    let differences: Vec<FpLimbs> = binary(machine, "diff_of_products_fp", &a, &b);
    for (i, (a, b)) in a.iter().zip(&b).enumerate() {
        let [a0, a1] = a.map(Fp::from_limbs_unchecked);
        let [b0, b1] = b.map(Fp::from_limbs_unchecked);
        let (first, second) = (a0 * b0, a1 * b1);
        assert_eq!(
            FpLimbs::from(first + second),
            sums[i],
            "sum of {a:x?}, {b:x?}"
        );
        assert_eq!(
            FpLimbs::from(first - second),
            differences[i],
            "difference of {a:x?}, {b:x?}"
        );
    }
}

fn check_fp2(machine: &dyn Machine, cases: usize) {
    let value = |limbs: &[FpLimbs; 2]| {
        let [c0, c1] = limbs.map(Fp::from_limbs_unchecked);
        Fp2 { c0, c1 }
    };
    let limbs = |value: Fp2| -> [FpLimbs; 2] { [value.c0.into(), value.c1.into()] };
    let (a, b): (Vec<_>, Vec<_>) = element_pairs(cases).into_iter().unzip();

    type Binary = (&'static str, fn(Fp2, Fp2) -> Fp2);
    let operations: [Binary; 3] = [
        ("add_fp2", |x, y| x + y),
        ("sub_fp2", |x, y| x - y),
        ("mul_fp2", |x, y| x * y),
    ];
    for (name, oracle) in operations {
        let got: Vec<[FpLimbs; 2]> = binary(machine, name, &a, &b);
        for ((a, b), got) in a.iter().zip(&b).zip(got) {
            assert_eq!(
                limbs(oracle(value(a), value(b))),
                got,
                "{name} of {a:x?}, {b:x?}"
            );
        }
    }

    let singles = elements(&mut ChaCha8Rng::seed_from_u64(SEED + 3), cases);
    type Unary = (&'static str, fn(Fp2) -> Fp2);
    let operations: [Unary; 3] = [
        ("neg_fp2", |x| -x),
        ("sqr_fp2", |x| x.square()),
        ("inverse_fp2", |x| x.invert().unwrap_or(Fp2::ZERO)),
    ];
    for (name, oracle) in operations {
        let got: Vec<[FpLimbs; 2]> = unary(machine, name, &singles);
        for (a, got) in singles.iter().zip(got) {
            assert_eq!(limbs(oracle(value(a))), got, "{name} of {a:x?}");
        }
    }
}
