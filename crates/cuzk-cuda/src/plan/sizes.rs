//! Bytes of what a key and a proof have on the device.

use cuzk_backend::{KeyShape, MatrixShape, QueryName};
use cuzk_curve::{FrLimbs, G1, G2, SourceGroup};

use super::Witness;

/// What of a selected witness goes its own way, as `1 / PART` of the selected variables: where
/// more are neither zero nor one, the sum is one over the whole query.
pub(crate) const PART: usize = 8;

/// Witnesses that are on the device at once: that of a proof, and that of the next.
const WITNESSES: usize = 2;
const SCALAR: usize = size_of::<FrLimbs>();
/// Bounds, blocks of counts and results of single points.
const SLACK: usize = 1 << 14;

/// Bytes of the parts of a key and a proof.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sizes {
    /// The key.
    pub(super) shape: KeyShape,
    /// Variables that are neither zero nor one, at most.
    pub(super) rest: usize,
    /// Variables that are one, at most.
    pub(super) ones: usize,
    /// Words of 64 variables.
    words: usize,
}

/// Which query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    H,
    L,
    A,
    BG1,
    BG2,
}

impl Name {
    pub(super) const ALL: [Self; 5] = [Self::H, Self::L, Self::A, Self::BG1, Self::BG2];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        }
    }

    pub(super) fn phase(self) -> &'static str {
        match self {
            Self::H => "msm_h",
            Self::L => "tail_msm_l",
            Self::A => "tail_msm_a",
            Self::BG1 => "tail_msm_b_g1",
            Self::BG2 => "msm_b_g2",
        }
    }

    pub(super) fn query(self) -> QueryName {
        match self {
            Self::H => QueryName::H,
            Self::L => QueryName::L,
            Self::A => QueryName::A,
            Self::BG1 => QueryName::BG1,
            Self::BG2 => QueryName::BG2,
        }
    }

    /// Bytes of a point.
    pub(super) fn point(self) -> usize {
        match self {
            Self::BG2 => size_of::<<G2 as SourceGroup>::Limbs>(),
            _ => size_of::<<G1 as SourceGroup>::Limbs>(),
        }
    }
}

impl Sizes {
    /// For a key and its witnesses.
    pub(super) fn new(shape: &KeyShape, witness: Witness) -> Self {
        let (ones, rest) = match witness {
            Witness::Any => (shape.variables, shape.variables),
            Witness::Counts { ones, rest } => (ones, rest),
        };
        Self {
            shape: *shape,
            rest: rest.min(shape.variables),
            ones: ones.min(shape.variables),
            words: shape.variables.div_ceil(64),
        }
    }

    pub(super) fn points(&self, name: Name) -> usize {
        match name {
            Name::H => self.shape.h,
            Name::L => self.shape.l,
            Name::A => self.shape.a,
            Name::BG1 | Name::BG2 => self.shape.b,
        }
    }

    pub(super) fn query(&self, name: Name) -> usize {
        self.points(name).saturating_mul(name.point())
    }

    /// The matrices, at most.
    pub(super) fn matrices(&self) -> usize {
        let matrices = self.shape.matrices.iter().flatten();
        matrices
            .map(|matrix| matrix_bytes(matrix, self.shape.rows))
            .sum()
    }

    /// For each of three selections the bits, a number for each 32 of them, and as many bits set.
    pub(super) fn selections(&self) -> usize {
        3 * 24 * self.words
    }

    pub(super) fn twiddles(&self) -> usize {
        3 * self.vector()
    }

    /// The vectors that are transformed.
    pub(super) fn vectors(&self) -> usize {
        let vectors = if self.shape.folded { 2 } else { 3 };
        vectors * self.vector()
    }

    /// A scalar for each element of the domain.
    pub(super) fn vector(&self) -> usize {
        SCALAR * self.shape.n()
    }

    /// The packed witness, as it is copied.
    pub(super) fn packed(&self) -> usize {
        16 * self.words + SCALAR * self.rest
    }

    /// What stands on the device of all witnesses.
    pub(super) fn witnesses(&self) -> usize {
        WITNESSES * (48 * self.words + SCALAR * self.rest) + SLACK
    }

    /// What an upload takes beside its result.
    pub(super) fn upload(&self) -> usize {
        8 * self.rest + 8 * (2 * self.words).div_ceil(32)
    }

    /// What the products and the making of tables take beside vectors and tables.
    pub(super) fn products(&self) -> usize {
        let matrices = self.shape.matrices.iter().flatten();
        let terms = matrices.map(|matrix| matrix.terms).max().unwrap_or(0);
        let powers = (2 * SCALAR) << (self.shape.log_n / 2 + 1);
        (SCALAR * 2 * (terms / 1024 + 1)).max(powers)
    }

    /// The lists and values of the three selections of a witness with few full values.
    pub(super) fn parts(&self) -> usize {
        let part = |selected: usize| {
            let rest = (selected / PART).min(self.rest);
            4 * (selected - rest).min(self.ones) + (8 + SCALAR) * rest
        };
        part(self.shape.l) + part(self.shape.a) + part(self.shape.b)
    }

    /// A scalar for each variable.
    pub(super) fn expanded(&self) -> usize {
        SCALAR * self.shape.variables + 8 * self.words
    }

    /// The scalars of a sum.
    pub(super) fn scalars(&self, name: Name) -> usize {
        match name {
            Name::H => self.vector(),
            _ => SCALAR * self.points(name),
        }
    }

    /// What choosing the scalars of a query takes beside them: all values, and two lists.
    pub(super) fn choosing(&self, name: Name) -> usize {
        match name {
            Name::H => 0,
            _ => self.expanded() + 8 * self.points(name),
        }
    }
}

/// What a matrix takes at most, ordered for warps.
///
/// A row of many lanes fills half of its last group at least; a window of 4096 rows has six kinds
/// of slices, each with up to eight groups of 32 places to spare; slices of rows with many lanes
/// have 64 terms at least.
fn matrix_bytes(matrix: &MatrixShape, rows: usize) -> usize {
    let MatrixShape {
        terms,
        coefficients,
    } = *matrix;
    let code = match coefficients {
        0..=0xffff => 2,
        _ => 4,
    };
    let (windows, pieces) = (rows.div_ceil(4096), terms / 512);
    let places = terms + terms / 2 + windows * 6 * 8 * 32 + 32 * pieces;
    let items = rows.div_ceil(32) + terms / 64 + 6 * windows + pieces;
    (4 + code) * places + (8 + 64) * items + 16 * pieces + (SCALAR + 8) * (coefficients + 66)
}
