use std::fmt;

/// Which variable: an input or an auxiliary one, each kind counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Index {
    /// A public input; number 0 is the constant one.
    Input(usize),
    /// An auxiliary variable, known to the prover alone.
    Aux(usize),
}

/// A variable of a constraint system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(u64);

const AUX: u64 = 1 << 63;

impl Variable {
    /// The constant one.
    pub const ONE: Self = Self(0);

    /// The variable of an index.
    ///
    /// # Correctness
    /// Circuits use the variables that `alloc` gave them; a made-up one may not exist.
    #[inline]
    #[must_use]
    pub const fn new_unchecked(index: Index) -> Self {
        match index {
            Index::Input(i) => Self(i as u64),
            Index::Aux(i) => Self(i as u64 | AUX),
        }
    }

    /// The variable's index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> Index {
        if self.0 & AUX == 0 {
            Index::Input(self.0 as usize)
        } else {
            Index::Aux((self.0 & !AUX) as usize)
        }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_comes_back() {
        for index in [
            Index::Input(0),
            Index::Input(7),
            Index::Aux(0),
            Index::Aux(1 << 40),
        ] {
            assert_eq!(Variable::new_unchecked(index).index(), index);
        }
        assert_eq!(Variable::ONE.index(), Index::Input(0));
    }
}
