use cuzk_curve::{Fp, FpLimbs};

use crate::{
    coordinate::Coordinate,
    field::Field,
    pairs::{Source, is_negated, row},
    prefetch::prefetch,
};

/// Points as they are stored, coordinates of all of them flat.
pub(crate) struct Stored<'a> {
    pub(crate) coordinates: &'a [FpLimbs],
}

/// Points as rows of resting elements, `2·DEGREE` each.
pub(crate) struct Rows<'a, E, const SIGNED: bool> {
    pub(crate) elems: &'a [E],
}

impl<F: Field, C: Coordinate<F>> Source<F, C> for Stored<'_> {
    const SIGNED: bool = true;

    fn len(&self) -> usize {
        self.coordinates.len() / (2 * C::DEGREE)
    }

    #[inline(always)]
    unsafe fn load(&self, f: F, operands: &[u32; 8], part: usize) -> F::V {
        f.load_packed(
            #[inline(always)]
            |lane| {
                let at = 2 * C::DEGREE * row(operands[lane]) + part;
                // SAFETY: the caller's rows and part lie inside.
                unsafe { self.coordinates.get_unchecked(at) }
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, operand: u32) {
        let first = 2 * C::DEGREE * row(operand);
        prefetch(self.coordinates, first, 2 * C::DEGREE);
    }

    #[inline(always)]
    fn copy(&self, f: F, operand: u32, to: &mut [F::Elem]) {
        let first = 2 * C::DEGREE * row(operand);
        let point = &self.coordinates[first..first + 2 * C::DEGREE];
        for (to, coordinate) in to.iter_mut().zip(point) {
            *to = f.unpack(coordinate);
        }
        negate_if_asked::<F, C>(f, operand, to);
    }
}

impl<F: Field, C: Coordinate<F>, const SIGNED: bool> Source<F, C> for Rows<'_, F::Elem, SIGNED> {
    const SIGNED: bool = SIGNED;

    fn len(&self) -> usize {
        self.elems.len() / (2 * C::DEGREE)
    }

    #[inline(always)]
    unsafe fn load(&self, f: F, operands: &[u32; 8], part: usize) -> F::V {
        f.load(
            #[inline(always)]
            |lane| {
                let at = 2 * C::DEGREE * row(operands[lane]) + part;
                // SAFETY: the caller's rows and part lie inside.
                unsafe { self.elems.get_unchecked(at) }
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, operand: u32) {
        // Rows of an earlier round are read in the order in which they were written.
        if SIGNED {
            let first = 2 * C::DEGREE * row(operand);
            prefetch(self.elems, first, 2 * C::DEGREE);
        }
    }

    #[inline(always)]
    fn copy(&self, f: F, operand: u32, to: &mut [F::Elem]) {
        let first = 2 * C::DEGREE * row(operand);
        to.copy_from_slice(&self.elems[first..first + 2 * C::DEGREE]);
        if SIGNED {
            negate_if_asked::<F, C>(f, operand, to);
        }
    }
}

#[inline(always)]
fn negate_if_asked<F: Field, C: Coordinate<F>>(f: F, operand: u32, point: &mut [F::Elem]) {
    if is_negated(operand) {
        for y in &mut point[C::DEGREE..] {
            let negative = -Fp::from_limbs_unchecked(f.pack(y));
            *y = f.unpack(&negative.into());
        }
    }
}
