use cuzk_curve::{Fp, FpLimbs};

use crate::{field::Field, lane_points::Table};

/// One lane of scalar arithmetic.
///
/// Every value is reduced, so the ranges of [`Field`] hold of themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl Field for Portable {
    const WIDTH: usize = 1;
    /// One, 2^384 mod p.
    const INVERSE_FACTOR: FpLimbs = FpLimbs([
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ]);
    type V = Fp;
    type Elem = Fp;

    #[inline(always)]
    fn vectorize<T>(self, f: impl FnOnce() -> T) -> T {
        f()
    }

    fn elements(table: &Table) -> Option<&[Fp]> {
        match table {
            Table::Portable(elems) => Some(elems),
            #[cfg(target_arch = "x86_64")]
            Table::Ifma(..) => None,
        }
    }

    fn zero_elem(self) -> Fp {
        Fp::ZERO
    }

    fn one(self) -> Fp {
        Fp::one()
    }

    fn load_packed<'a>(self, at: impl Fn(usize) -> &'a FpLimbs) -> Fp {
        self.unpack(at(0))
    }

    fn load<'a>(self, at: impl Fn(usize) -> &'a Fp) -> Fp {
        *at(0)
    }

    fn store(self, v: Fp, mut put: impl FnMut(usize, Fp)) {
        put(0, v);
    }

    fn pack(self, elem: &Fp) -> FpLimbs {
        (*elem).into()
    }

    fn unpack(self, limbs: &FpLimbs) -> Fp {
        Fp::from_limbs_unchecked(*limbs)
    }

    fn mul(self, a: Fp, b: Fp) -> Fp {
        a * b
    }

    fn mul_add(self, a: Fp, b: Fp, c: Fp, d: Fp) -> Fp {
        a * b + c * d
    }

    fn square(self, a: Fp) -> Fp {
        a.square()
    }

    fn square_sub(self, a: Fp, c: Fp) -> Fp {
        a.square() - c
    }

    fn mul_sub(self, a: Fp, b: Fp, c: Fp) -> Fp {
        a * b - c
    }

    fn mul_add_sub(self, a: Fp, b: Fp, c: Fp, d: Fp, e: Fp) -> Fp {
        a * b + c * d - e
    }

    fn sum(self, a: Fp, b: Fp) -> Fp {
        a + b
    }

    fn sum_from_difference(self, a: Fp, d: Fp) -> Fp {
        a + a + d
    }

    fn negate(self, mask: u8, a: Fp) -> Fp {
        if mask & 1 != 0 { -a } else { a }
    }

    fn add(self, a: Fp, b: Fp) -> Fp {
        a + b
    }

    fn sub(self, a: Fp, b: Fp) -> Fp {
        a - b
    }

    fn zero(self) -> Fp {
        Fp::ZERO
    }

    fn reduce(self, a: Fp) -> Fp {
        a
    }

    fn zero_mask(self, a: Fp) -> u8 {
        u8::from(a == Fp::ZERO)
    }

    fn select(self, mask: u8, a: Fp, b: Fp) -> Fp {
        if mask & 1 != 0 { b } else { a }
    }

    fn lift(self, a: Fp) -> Fp {
        a
    }

    fn lift_square(self, a: Fp) -> Fp {
        a
    }

    fn suspect(self, x1: Fp, x2: Fp, difference: Fp) -> bool {
        difference == Fp::ZERO || x1 == Fp::ZERO || x2 == Fp::ZERO
    }
}
