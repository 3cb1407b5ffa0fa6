use cuzk_curve::{Fp, Fp2, FpLimbs};

use crate::field::Field;

/// The field that the coordinates of a curve lie in, over the lanes of `F`.
///
/// The operations and their ranges are those of [`Field`]; a value is `DEGREE` elements of
/// Fp side by side.
pub(crate) trait Coordinate<F: Field>: Copy + Send {
    /// Elements of Fp in a coordinate.
    const DEGREE: usize;
    /// `F::WIDTH` coordinates.
    type V: Copy + Send;

    fn from_parts(part: impl Fn(usize) -> F::V) -> Self::V;
    fn part(v: &Self::V, k: usize) -> F::V;
    fn one(f: F) -> Self::V;
    fn mul(f: F, a: Self::V, b: Self::V) -> Self::V;
    fn square(f: F, a: Self::V) -> Self::V;
    fn square_sub(f: F, a: Self::V, c: Self::V) -> Self::V;
    fn mul_sub(f: F, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn suspect(f: F, x1: Self::V, x2: Self::V, difference: Self::V) -> bool;
    /// Replaces each lane d by its inverse times the constant of the chain; zero stays zero.
    fn invert_lanes(f: F, v: Self::V) -> Self::V;

    #[inline(always)]
    fn sum(f: F, a: Self::V, b: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.sum(Self::part(&a, k), Self::part(&b, k)),
        )
    }

    #[inline(always)]
    fn sum_from_difference(f: F, a: Self::V, d: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.sum_from_difference(Self::part(&a, k), Self::part(&d, k)),
        )
    }

    #[inline(always)]
    fn add(f: F, a: Self::V, b: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.add(Self::part(&a, k), Self::part(&b, k)),
        )
    }

    #[inline(always)]
    fn sub(f: F, a: Self::V, b: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.sub(Self::part(&a, k), Self::part(&b, k)),
        )
    }

    #[inline(always)]
    fn lift(f: F, a: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.lift(Self::part(&a, k)),
        )
    }

    #[inline(always)]
    fn lift_square(f: F, a: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.lift_square(Self::part(&a, k)),
        )
    }

    #[inline(always)]
    fn reduce(f: F, a: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.reduce(Self::part(&a, k)),
        )
    }

    #[inline(always)]
    fn select(f: F, mask: u8, a: Self::V, b: Self::V) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |k| f.select(mask, Self::part(&a, k), Self::part(&b, k)),
        )
    }

    #[inline(always)]
    fn zero(f: F) -> Self::V {
        Self::from_parts(
            #[inline(always)]
            |_| f.zero(),
        )
    }

    /// The lanes in which every part of a reduced value is zero.
    #[inline(always)]
    fn zero_mask(f: F, a: Self::V) -> u8 {
        let mut mask = f.zero_mask(Self::part(&a, 0));
        for k in 1..Self::DEGREE {
            mask &= f.zero_mask(Self::part(&a, k));
        }
        mask
    }
}

/// Coordinates in Fp: the group G1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prime;

/// Coordinates in Fp2: the group G2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quadratic;

/// The lanes of `v` as scalars; the element at rest is reduced, so its limbs are those of a
/// stored coordinate.
#[inline(always)]
fn lanes_out<F: Field>(f: F, v: F::V) -> [Fp; 8] {
    let mut out = [Fp::ZERO; 8];
    f.store(
        f.reduce(v),
        #[inline(always)]
        |lane, elem| out[lane] = Fp::from_limbs_unchecked(f.pack(&elem)),
    );
    out
}

#[inline(always)]
fn lanes_in<F: Field>(f: F, lanes: &[Fp; 8]) -> F::V {
    let limbs = lanes.map(FpLimbs::from);
    f.load_packed(
        #[inline(always)]
        |lane| &limbs[lane],
    )
}

/// Inverts up to eight elements by one inversion; zeros stay zero.
macro_rules! invert_scalars {
    ($field:ty, $values:expr, $width:expr, $constant:expr) => {{
        let values: &mut [$field] = &mut $values[..$width];
        let mut prefixes = [<$field>::one(); 8];
        let mut product = <$field>::one();
        for (prefix, value) in prefixes.iter_mut().zip(values.iter()) {
            *prefix = product;
            if *value != <$field>::ZERO {
                product = product * *value;
            }
        }
        let mut inverse = product.invert().expect("a product of non-zero elements") * $constant;
        for (prefix, value) in prefixes.iter().zip(values.iter_mut()).rev() {
            if *value != <$field>::ZERO {
                let own = inverse * *prefix;
                inverse = inverse * *value;
                *value = own;
            }
        }
    }};
}

impl<F: Field> Coordinate<F> for Prime {
    const DEGREE: usize = 1;
    type V = F::V;

    #[inline(always)]
    fn from_parts(part: impl Fn(usize) -> F::V) -> F::V {
        part(0)
    }

    #[inline(always)]
    fn part(v: &F::V, _: usize) -> F::V {
        *v
    }

    #[inline(always)]
    fn one(f: F) -> F::V {
        f.one()
    }

    #[inline(always)]
    fn mul(f: F, a: F::V, b: F::V) -> F::V {
        f.mul(a, b)
    }

    #[inline(always)]
    fn square(f: F, a: F::V) -> F::V {
        f.square(a)
    }

    #[inline(always)]
    fn square_sub(f: F, a: F::V, c: F::V) -> F::V {
        f.square_sub(a, c)
    }

    #[inline(always)]
    fn mul_sub(f: F, a: F::V, b: F::V, c: F::V) -> F::V {
        f.mul_sub(a, b, c)
    }

    #[inline(always)]
    fn suspect(f: F, x1: F::V, x2: F::V, difference: F::V) -> bool {
        f.suspect(x1, x2, difference)
    }

    #[inline(always)]
    fn invert_lanes(f: F, v: F::V) -> F::V {
        let mut values = lanes_out(f, v);
        invert_scalars!(
            Fp,
            values,
            F::WIDTH,
            Fp::from_limbs_unchecked(F::INVERSE_FACTOR)
        );
        lanes_in(f, &values)
    }
}

impl<F: Field> Coordinate<F> for Quadratic {
    const DEGREE: usize = 2;
    type V = [F::V; 2];

    #[inline(always)]
    fn from_parts(part: impl Fn(usize) -> F::V) -> [F::V; 2] {
        [part(0), part(1)]
    }

    #[inline(always)]
    fn part(v: &[F::V; 2], k: usize) -> F::V {
        v[k]
    }

    #[inline(always)]
    fn one(f: F) -> [F::V; 2] {
        [f.one(), f.zero()]
    }

    /// Schoolbook with one reduction per part: (a₀b₀ − a₁b₁, a₀b₁ + a₁b₀).
    ///
    /// Four products and two reductions of accumulators cost as much as Karatsuba's three of
    /// each with its extra carries.
    #[inline(always)]
    fn mul(f: F, a: [F::V; 2], b: [F::V; 2]) -> [F::V; 2] {
        let minus_a1 = f.sub(f.zero(), a[1]);
        [
            f.mul_add(a[0], b[0], minus_a1, b[1]),
            f.mul_add(a[0], b[1], a[1], b[0]),
        ]
    }

    /// ((a₀ + a₁)(a₀ − a₁), 2a₀a₁).
    #[inline(always)]
    fn square(f: F, a: [F::V; 2]) -> [F::V; 2] {
        [
            f.mul(f.add(a[0], a[1]), f.sub(a[0], a[1])),
            f.mul(f.add(a[0], a[0]), a[1]),
        ]
    }

    #[inline(always)]
    fn square_sub(f: F, a: [F::V; 2], c: [F::V; 2]) -> [F::V; 2] {
        [
            f.mul_sub(f.add(a[0], a[1]), f.sub(a[0], a[1]), c[0]),
            f.mul_sub(f.add(a[0], a[0]), a[1], c[1]),
        ]
    }

    #[inline(always)]
    fn mul_sub(f: F, a: [F::V; 2], b: [F::V; 2], c: [F::V; 2]) -> [F::V; 2] {
        let minus_a1 = f.sub(f.zero(), a[1]);
        [
            f.mul_add_sub(a[0], b[0], minus_a1, b[1], c[0]),
            f.mul_add_sub(a[0], b[1], a[1], b[0], c[1]),
        ]
    }

    #[inline(always)]
    fn suspect(f: F, x1: [F::V; 2], x2: [F::V; 2], difference: [F::V; 2]) -> bool {
        f.suspect(x1[0], x2[0], difference[0])
    }

    #[inline(always)]
    fn invert_lanes(f: F, v: [F::V; 2]) -> [F::V; 2] {
        let parts = [lanes_out(f, v[0]), lanes_out(f, v[1])];
        let mut values = [Fp2::ZERO; 8];
        for (lane, value) in values.iter_mut().enumerate() {
            *value = Fp2 {
                c0: parts[0][lane],
                c1: parts[1][lane],
            };
        }
        let constant = Fp2 {
            c0: Fp::from_limbs_unchecked(F::INVERSE_FACTOR),
            c1: Fp::ZERO,
        };
        invert_scalars!(Fp2, values, F::WIDTH, constant);
        [
            lanes_in(f, &values.map(|value| value.c0)),
            lanes_in(f, &values.map(|value| value.c1)),
        ]
    }
}
