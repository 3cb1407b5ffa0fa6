use cuzk_curve::Fr;

use crate::{
    Arithmetic, ColumnTile, FrDft, FrFactors, LANES, RowOrder, fr_factors::Factors,
    fr_portable::PortableTile,
};
#[cfg(target_arch = "x86_64")]
use crate::{fr_ifma_tile::IfmaTile, fr_shoup::Factor};

/// What a store leaves in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// The scalar itself, below r.
    Exact,
    /// Limbs that are congruent to the scalar and below 2^256: only another tile may read
    /// them, and it saves this one the last subtraction.
    Relaxed,
}

/// Eight columns of `2^log_rows` scalars, the working set of a transform's pass.
///
/// Rows are named by their mathematical index; the tile knows in which order they stand. Every
/// operation is on all rows and all eight lanes, so the choice of arithmetic is made once for
/// thousands of products. Both kinds of arithmetic give the same scalars.
///
/// Values are kept in Montgomery form x·2^256 as `blst` has it; products with a constant do
/// not change the form, so nothing is converted on the way in or out.
#[derive(Debug, Clone)]
pub struct FrTile {
    log_rows: u32,
    order: RowOrder,
    lanes: Tile,
}

#[derive(Debug, Clone)]
enum Tile {
    Portable(PortableTile),
    #[cfg(target_arch = "x86_64")]
    Ifma(IfmaTile, Factor),
}

/// Factors made for one kind of arithmetic were handed to a tile of the other.
#[cfg(target_arch = "x86_64")]
const MIXED: &str = "tile and factors are made for the same arithmetic";

impl FrTile {
    /// A tile of zeros.
    #[must_use]
    pub fn new(arithmetic: Arithmetic, log_rows: u32) -> Self {
        let rows = 1 << log_rows;
        let lanes = match arithmetic {
            #[cfg(target_arch = "x86_64")]
            Arithmetic::Ifma(token) => {
                Tile::Ifma(IfmaTile::new(token, rows), Factor::new(&Fr::from(16)))
            }
            _ => Tile::Portable(PortableTile::new(rows)),
        };
        Self {
            log_rows,
            order: RowOrder::Natural,
            lanes,
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 << self.log_rows
    }

    /// Takes eight columns of a matrix: row `i` from row `i`.
    ///
    /// # Panics
    /// Where `source` has another number of rows.
    pub fn load_columns(&mut self, source: &ColumnTile<'_>) {
        assert_eq!(source.rows(), self.rows(), "rows of the tile");
        match &mut self.lanes {
            Tile::Portable(tile) => tile.load_columns(source),
            #[cfg(target_arch = "x86_64")]
            Tile::Ifma(tile, _) => tile.load_columns(source),
        }
        self.order = RowOrder::Natural;
    }

    /// Takes eight rows of a matrix, which stand one after the other in `source`: lane `l`
    /// is row `l`.
    ///
    /// # Panics
    /// Where `source` is not eight times as long as the tile.
    pub fn load_rows(&mut self, source: &[Fr]) {
        assert_eq!(source.len(), LANES * self.rows(), "eight rows");
        match &mut self.lanes {
            Tile::Portable(tile) => tile.load_rows(source),
            #[cfg(target_arch = "x86_64")]
            Tile::Ifma(tile, _) => tile.load_rows(source),
        }
        self.order = RowOrder::Natural;
    }

    /// Writes row `i` to row `i` of eight columns.
    ///
    /// # Panics
    /// Where `target` has another number of rows.
    pub fn store_columns(&self, target: &mut ColumnTile<'_>, reduction: Reduction) {
        assert_eq!(target.rows(), self.rows(), "rows of the tile");
        match &self.lanes {
            Tile::Portable(tile) => tile.store_columns(target, self.order),
            #[cfg(target_arch = "x86_64")]
            Tile::Ifma(tile, _) => {
                tile.store_columns(target, self.order, reduction == Reduction::Exact);
            }
        }
    }

    /// Writes lane `l` to the `l`-th of eight rows that stand one after the other.
    ///
    /// # Panics
    /// Where `target` is not eight times as long as the tile.
    pub fn store_rows(&self, target: &mut [Fr], reduction: Reduction) {
        assert_eq!(target.len(), LANES * self.rows(), "eight rows");
        match &self.lanes {
            Tile::Portable(tile) => tile.store_rows(target, self.order),
            #[cfg(target_arch = "x86_64")]
            Tile::Ifma(tile, _) => {
                tile.store_rows(target, self.order, reduction == Reduction::Exact);
            }
        }
    }

    /// Transforms every lane.
    ///
    /// # Panics
    /// Where the factors are for another number of rows, order of rows or arithmetic.
    pub fn dft(&mut self, dft: &FrDft) {
        assert_eq!(dft.log_rows, self.log_rows, "rows of the transform");
        assert_eq!(dft.input_order, self.order, "order of the transform");
        match (&mut self.lanes, &dft.factors.0) {
            (Tile::Portable(tile), Factors::Portable(factors)) => tile.dft(factors, self.order),
            #[cfg(target_arch = "x86_64")]
            (Tile::Ifma(tile, _), Factors::Ifma(_, factors)) => {
                tile.dft(factors, self.order, self.log_rows);
            }
            #[cfg(target_arch = "x86_64")]
            _ => panic!("{MIXED}"),
        }
        self.order = match self.order {
            RowOrder::Natural => RowOrder::Reversed,
            RowOrder::Reversed => RowOrder::Natural,
        };
    }

    /// Multiplies lane `l` of row `i` by `starts[l] · ratios[first + l]^i`.
    ///
    /// # Panics
    /// Where `ratios` ends before `first + 8`, or is made for another arithmetic.
    pub fn twist(&mut self, starts: &[Fr; LANES], ratios: &FrFactors, first: usize) {
        let lanes = first..first + LANES;
        match (&mut self.lanes, &ratios.0) {
            (Tile::Portable(tile), Factors::Portable(ratios)) => {
                tile.twist(starts, &ratios[lanes], self.order);
            }
            #[cfg(target_arch = "x86_64")]
            (Tile::Ifma(tile, _), Factors::Ifma(_, ratios)) => {
                tile.twist(starts, &ratios[lanes], self.order);
            }
            #[cfg(target_arch = "x86_64")]
            _ => panic!("{MIXED}"),
        }
    }

    /// Multiplies row `i` by `factors[i]`.
    ///
    /// # Panics
    /// Where there are not as many factors as rows, or they are made for another arithmetic.
    pub fn scale_rows(&mut self, factors: &FrFactors) {
        assert_eq!(factors.len(), self.rows(), "one factor a row");
        match (&mut self.lanes, &factors.0) {
            (Tile::Portable(tile), Factors::Portable(factors)) => {
                tile.scale_rows(factors, self.order);
            }
            #[cfg(target_arch = "x86_64")]
            (Tile::Ifma(tile, _), Factors::Ifma(_, factors)) => {
                tile.scale_rows(factors, self.order);
            }
            #[cfg(target_arch = "x86_64")]
            _ => panic!("{MIXED}"),
        }
    }

    /// Element by element, `self · b`.
    ///
    /// # Panics
    /// Where the two differ in rows, order of rows or arithmetic.
    pub fn mul(&mut self, b: &Self) {
        assert_eq!(b.log_rows, self.log_rows, "rows of the tile");
        assert_eq!(b.order, self.order, "order of the rows");
        match (&mut self.lanes, &b.lanes) {
            (Tile::Portable(a), Tile::Portable(b)) => a.mul(b),
            #[cfg(target_arch = "x86_64")]
            (Tile::Ifma(a, sixteen), Tile::Ifma(b, _)) => a.mul(b, sixteen),
            #[cfg(target_arch = "x86_64")]
            _ => panic!("{MIXED}"),
        }
    }

    /// Element by element, `self · b − c`.
    ///
    /// # Panics
    /// Where the three differ in rows, order of rows or arithmetic.
    pub fn mul_sub(&mut self, b: &Self, c: &Self) {
        for other in [b, c] {
            assert_eq!(other.log_rows, self.log_rows, "rows of the tile");
            assert_eq!(other.order, self.order, "order of the rows");
        }
        match (&mut self.lanes, &b.lanes, &c.lanes) {
            (Tile::Portable(a), Tile::Portable(b), Tile::Portable(c)) => a.mul_sub(b, c),
            #[cfg(target_arch = "x86_64")]
            (Tile::Ifma(a, sixteen), Tile::Ifma(b, _), Tile::Ifma(c, _)) => {
                a.mul_sub(b, c, sixteen);
            }
            #[cfg(target_arch = "x86_64")]
            _ => panic!("{MIXED}"),
        }
    }
}
