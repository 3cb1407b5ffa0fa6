use std::fmt;

/// A query of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueryName {
    /// The points of the quotient's coefficients.
    H,
    /// Those of the auxiliary variables in L.
    L,
    /// Those of A.
    A,
    /// Those of B in G1.
    BG1,
    /// Those of B in G2.
    BG2,
}

/// Bits of a window in each sum; the machine chooses where there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowBits {
    /// Of every sum that has none of its own.
    pub any: Option<u32>,
    /// Of the sum over the H query.
    pub h: Option<u32>,
    /// Of the sum over the L query.
    pub l: Option<u32>,
    /// Of the sum over the A query.
    pub a: Option<u32>,
    /// Of the sum over the B query in G1.
    pub b_g1: Option<u32>,
    /// Of the sum over the B query in G2.
    pub b_g2: Option<u32>,
}

impl WindowBits {
    /// The bits of a query's sum, or of a sum of points that are of no query.
    #[must_use]
    pub fn of(&self, query: Option<QueryName>) -> Option<u32> {
        let own = match query {
            Some(QueryName::H) => self.h,
            Some(QueryName::L) => self.l,
            Some(QueryName::A) => self.a,
            Some(QueryName::BG1) => self.b_g1,
            Some(QueryName::BG2) => self.b_g2,
            None => None,
        };
        own.or(self.any)
    }
}

impl From<Option<u32>> for WindowBits {
    fn from(any: Option<u32>) -> Self {
        Self {
            any,
            ..Self::default()
        }
    }
}

/// How the points whose variable is one are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ones {
    /// By themselves, without scalars: the witness is split, and zeros are dropped.
    #[default]
    Trees,
    /// With all others, by the bucket method: the witness is not split.
    Pippenger,
}

/// When the sums over a witness are made: those over the L, A and B queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WitnessSchedule {
    /// After the sum over the H query, one query after the other.
    #[default]
    InTurn,
    /// After it, beside each other.
    Together,
    /// Beside each other, and beside the quotient and the sum over the H query.
    Beside,
}

impl fmt::Display for WitnessSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InTurn => "in-turn",
            Self::Together => "together",
            Self::Beside => "beside",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_without_bits_of_its_own_has_those_of_any() {
        let bits = WindowBits {
            l: Some(7),
            ..WindowBits::from(Some(9))
        };
        assert_eq!(bits.of(Some(QueryName::L)), Some(7));
        for query in [None, Some(QueryName::H), Some(QueryName::BG2)] {
            assert_eq!(bits.of(query), Some(9), "{query:?}");
        }
        assert_eq!(WindowBits::default().of(Some(QueryName::A)), None);
    }
}
