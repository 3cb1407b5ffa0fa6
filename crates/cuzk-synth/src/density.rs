use cuzk_curve::Fr;
use cuzk_r1cs::Bitmap;
use ff::Field;

use crate::{Index, Variable};

/// Above this many terms a sum is sorted once to find its duplicates; below, the terms are
/// searched for each variable that is met for the first time.
const SEARCHED_TERMS: usize = 32;

/// The variables that a query holds, of those allocated when last marked.
#[derive(Debug, Default)]
pub(crate) struct Density {
    pub(crate) inputs: Bitmap,
    pub(crate) aux: Bitmap,
}

impl Density {
    fn has(&self, variable: Variable) -> bool {
        match variable.index() {
            Index::Input(i) => self.inputs.get(i),
            Index::Aux(i) => self.aux.get(i),
        }
    }

    fn set(&mut self, variable: Variable) {
        match variable.index() {
            Index::Input(i) => self.inputs.set(i),
            Index::Aux(i) => self.aux.set(i),
        }
    }

    /// Makes room for this many variables.
    pub(crate) fn grow(&mut self, inputs: usize, aux: usize) {
        self.inputs.grow(inputs);
        self.aux.grow(aux);
    }

    /// Appends the density of a part, whose input 0 is the constant one of the whole; the
    /// whole has this many variables.
    pub(crate) fn append(&mut self, inputs: usize, aux: usize, part: &Self) {
        self.aux.grow(aux);
        self.aux.extend(&part.aux);
        let shift = inputs.saturating_sub(1);
        self.inputs.grow(shift + part.inputs.len());
        for input in part.inputs.ones() {
            self.inputs.set(if input == 0 { 0 } else { input + shift });
        }
    }

    /// Marks the variables that a row holds with a non-zero coefficient.
    ///
    /// A variable whose coefficients cancel within the row is not in the row's matrix, so
    /// its terms are summed before it counts.
    #[inline]
    pub(crate) fn mark(&mut self, terms: &[(Variable, Fr)]) {
        if terms.len() > SEARCHED_TERMS {
            self.mark_long(terms);
            return;
        }
        for &(variable, _) in terms {
            if self.has(variable) {
                continue;
            }
            let same = terms.iter().filter(|term| term.0 == variable);
            if same.map(|term| term.1).sum::<Fr>() != Fr::ZERO {
                self.set(variable);
            }
        }
    }

    fn mark_long(&mut self, terms: &[(Variable, Fr)]) {
        let unseen = terms.iter().filter(|term| !self.has(term.0));
        let mut unseen: Vec<(Variable, Fr)> = unseen.copied().collect();
        unseen.sort_by_key(|term| term.0);
        for same in unseen.chunk_by(|x, y| x.0 == y.0) {
            if same.iter().map(|term| term.1).sum::<Fr>() != Fr::ZERO {
                self.set(same[0].0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aux(index: usize) -> Variable {
        Variable::new_unchecked(Index::Aux(index))
    }

    fn marked(terms: &[(Variable, Fr)]) -> Vec<usize> {
        let mut density = Density::default();
        density.grow(1, 100);
        density.mark(terms);
        density.aux.ones().collect()
    }

    #[test]
    fn variables_whose_terms_cancel_are_not_marked() {
        let one = Fr::ONE;
        let short = [
            (aux(0), one),
            (aux(1), one),
            (aux(0), -one),
            (aux(2), Fr::ZERO),
        ];
        assert_eq!(marked(&short), [1]);
        // The same row, made long by terms in descending order.
        let long: Vec<_> = (40..90).rev().map(|i| (aux(i), one)).chain(short).collect();
        let expected: Vec<usize> = [1].into_iter().chain(40..90).collect();
        assert_eq!(marked(&long), expected);
    }
}
