use std::ops::{Add, AddAssign, Sub, SubAssign};

use cuzk_curve::Fr;
use ff::Field;
use smallvec::SmallVec;

use crate::Variable;

/// Terms that a linear combination holds before it allocates.
///
/// By measurement, on the mixes of constraints of SHA-256 and of Sapling's Pedersen hash: one
/// term takes 1.26 to 1.43 times as long, three 1.07 to 1.12, four 1.21 to 1.35, eight 1.33 to
/// 1.38 and a `Vec` 1.20 to 1.22. More room saves allocations, but a sum moves through every
/// closure and operator by value. One sum that is cleared and used again is slower for every
/// capacity, and no faster as a `Vec`. `benches/linear_combination.rs`,
/// `benchmarks/record/intel-xeon-2-cores/synthesis-linear-combination.json`.
pub const INLINE_TERMS: usize = 2;

/// A sum of variables with coefficients, as the circuit wrote it.
///
/// Terms stand in the order in which they were added; a variable may come twice and a
/// coefficient may be zero. The passes merge and drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearCombination<const N: usize = INLINE_TERMS> {
    terms: SmallVec<[(Variable, Fr); N]>,
}

impl<const N: usize> Default for LinearCombination<N> {
    fn default() -> Self {
        Self::zero()
    }
}

impl<const N: usize> LinearCombination<N> {
    /// The empty sum.
    #[inline]
    #[must_use]
    pub fn zero() -> Self {
        Self {
            terms: SmallVec::new(),
        }
    }

    /// The empty sum with room on the heap from the start, as a `Vec` of terms has.
    #[inline]
    #[must_use]
    pub(crate) fn on_heap() -> Self {
        Self {
            terms: SmallVec::with_capacity(N + 1),
        }
    }

    /// The terms in the order in which they were added.
    #[inline]
    #[must_use]
    pub fn terms(&self) -> &[(Variable, Fr)] {
        &self.terms
    }

    /// Drops the terms and keeps the room they took.
    #[inline]
    pub fn clear(&mut self) {
        self.terms.clear();
    }

    /// Adds `coefficient · variable`.
    #[inline]
    pub fn push(&mut self, coefficient: Fr, variable: Variable) {
        self.terms.push((variable, coefficient));
    }
}

impl<const N: usize> Extend<(Variable, Fr)> for LinearCombination<N> {
    fn extend<I: IntoIterator<Item = (Variable, Fr)>>(&mut self, terms: I) {
        self.terms.extend(terms);
    }
}

impl<const N: usize> AddAssign<(Fr, Variable)> for LinearCombination<N> {
    #[inline]
    fn add_assign(&mut self, (coefficient, variable): (Fr, Variable)) {
        self.push(coefficient, variable);
    }
}

impl<const N: usize> SubAssign<(Fr, Variable)> for LinearCombination<N> {
    #[inline]
    fn sub_assign(&mut self, (coefficient, variable): (Fr, Variable)) {
        self.push(-coefficient, variable);
    }
}

impl<const N: usize> AddAssign<Variable> for LinearCombination<N> {
    #[inline]
    fn add_assign(&mut self, variable: Variable) {
        self.push(Fr::ONE, variable);
    }
}

impl<const N: usize> SubAssign<Variable> for LinearCombination<N> {
    #[inline]
    fn sub_assign(&mut self, variable: Variable) {
        self.push(-Fr::ONE, variable);
    }
}

impl<const N: usize> AddAssign<&Self> for LinearCombination<N> {
    fn add_assign(&mut self, other: &Self) {
        self.terms.extend_from_slice(&other.terms);
    }
}

impl<const N: usize> SubAssign<&Self> for LinearCombination<N> {
    fn sub_assign(&mut self, other: &Self) {
        self.extend(other.terms.iter().map(|&(v, c)| (v, -c)));
    }
}

impl<const N: usize> AddAssign<(Fr, &Self)> for LinearCombination<N> {
    fn add_assign(&mut self, (factor, other): (Fr, &Self)) {
        self.extend(other.terms.iter().map(|&(v, c)| (v, c * factor)));
    }
}

impl<const N: usize> SubAssign<(Fr, &Self)> for LinearCombination<N> {
    fn sub_assign(&mut self, (factor, other): (Fr, &Self)) {
        *self += (-factor, other);
    }
}

macro_rules! by_value {
    ($($term:ty),*) => {$(
        impl<const N: usize> Add<$term> for LinearCombination<N> {
            type Output = Self;

            #[inline]
            fn add(mut self, term: $term) -> Self {
                self += term;
                self
            }
        }

        impl<const N: usize> Sub<$term> for LinearCombination<N> {
            type Output = Self;

            #[inline]
            fn sub(mut self, term: $term) -> Self {
                self -= term;
                self
            }
        }
    )*};
}

by_value!((Fr, Variable), Variable, &Self, (Fr, &Self));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Index;

    #[test]
    fn operators_append_signed_and_scaled_terms_in_order() {
        let [x, y] = [0, 1].map(|i| Variable::new_unchecked(Index::Aux(i)));
        let two = Fr::from(2);
        let inner: LinearCombination = LinearCombination::zero() + x - (two, y);
        let sum = LinearCombination::<2>::zero() - x + (two, Variable::ONE) + &inner - &inner
            + (two, &inner)
            - (two, &inner);
        let one = Fr::ONE;
        let four = two + two;
        let expected = [
            (x, -one),
            (Variable::ONE, two),
            (x, one),
            (y, -two),
            (x, -one),
            (y, two),
            (x, two),
            (y, -four),
            (x, -two),
            (y, four),
        ];
        assert_eq!(sum.terms(), expected);
    }

    #[test]
    fn a_sum_on_the_heap_is_equal_to_one_inline() {
        let inline: LinearCombination = LinearCombination::zero() + Variable::ONE;
        let heap: LinearCombination = LinearCombination::on_heap() + Variable::ONE;
        assert!(!inline.terms.spilled() && heap.terms.spilled());
        assert_eq!(inline, heap);
    }

    #[test]
    fn clearing_leaves_the_empty_sum() {
        let mut sum: LinearCombination = LinearCombination::zero() + Variable::ONE;
        sum.clear();
        assert_eq!(sum, LinearCombination::default());
    }
}
