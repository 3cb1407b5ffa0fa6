use cuzk_backend::ShapeError;
use cuzk_curve::{Domain, Fr};
use cuzk_lanes::{Arithmetic, ColumnTile, FrDft, FrFactors, FrTile, Reduction, RowOrder};
use ff::Field;

use crate::grid::{Grid, Starts, doubled, root, share};

/// The quotient (a·b − c)/Z of one domain, with its constants.
///
/// ```text
/// for each of a, b, c:   coefficients = inverse(values)
///                        values = forward on the coset (coefficients)
/// h values = (a·b − c) / Z
/// h = inverse on the coset (h values)
/// ```
///
/// Seven transforms by columns and rows would be fourteen passes over memory. Where one
/// transform ends with the rows and the next begins with them, both run on the tile that is in
/// the cache, and so for columns; that leaves four passes, and no order of elements is ever
/// restored in between:
///
/// 1. columns of a, b and c: inverse;
/// 2. rows of a, b and c: inverse, then forward on the coset;
/// 3. columns of a, b and c: forward; a·b − c; inverse;
/// 4. rows: inverse, read as columns.
///
/// All constants — 1/n twice, 1/Z, the coset — are in factors that are multiplied by anyway,
/// but for one power of the coset shift on the result.
///
/// # Source
/// `[Groth16]` §3.2; by columns and rows, `[Bailey90]`.
#[derive(Debug)]
pub struct QuotientPlan {
    n: usize,
    grid: Grid,
    inverse_columns: FrDft,
    inverse_twist: Twist,
    inverse_rows: FrDft,
    coset_rows: FrDft,
    coset_twist: Twist,
    forward_columns: FrDft,
    inverse_columns_reversed: FrDft,
    quotient_twist: Twist,
    scale: FrFactors,
}

#[derive(Debug)]
struct Twist {
    starts: Starts,
    ratios: FrFactors,
}

impl Twist {
    fn apply(&self, tile: &mut FrTile, first: usize) {
        tile.twist(&self.starts.at(first), &self.ratios, first);
    }
}

impl QuotientPlan {
    /// Prepares the constants; `None` for a domain too small for tiles.
    #[must_use]
    pub fn new(arithmetic: Arithmetic, domain: &Domain) -> Option<Self> {
        use RowOrder::{Natural, Reversed};
        let grid = Grid::new(arithmetic, domain.log_n())?;
        let [forward, inverse] = [false, true].map(|inverse| root(domain, inverse));
        let shift = domain.coset_shift();
        let shift_inv = domain.coset_shift_inv();
        let by_row = |x| doubled(x, grid.log_rows);
        let twist = |constant, start_ratio, base, root, len| Twist {
            starts: Starts {
                constant,
                ratio: start_ratio,
            },
            ratios: grid.factors(base, root, len),
        };
        let (n_inv, one) = (domain.n_inv(), Fr::ONE);
        let quotient = n_inv * domain.vanishing_on_coset_inv();
        Some(Self {
            n: domain.n(),
            grid,
            inverse_columns: grid.column_dft(inverse, one, Natural),
            inverse_twist: twist(one, one, one, inverse, grid.columns()),
            inverse_rows: grid.row_dft(inverse, one, Natural),
            coset_rows: grid.row_dft(forward, by_row(shift), Reversed),
            coset_twist: twist(n_inv, shift, one, forward, grid.rows()),
            forward_columns: grid.column_dft(forward, one, Natural),
            inverse_columns_reversed: grid.column_dft(inverse, one, Reversed),
            quotient_twist: twist(quotient, one, shift_inv, inverse, grid.columns()),
            scale: grid.factors(one, by_row(shift_inv), grid.columns()),
        })
    }

    /// Puts the coefficients of h in the place of `b`, in parallel on the caller's pool.
    ///
    /// # Shapes
    /// All three have the domain's order and natural order. What `a` and `c` hold afterwards is
    /// of no use.
    ///
    /// # Errors
    /// [`ShapeError`] for any other length.
    pub fn run(&self, a: &mut [Fr], b: &mut [Fr], c: &mut [Fr]) -> Result<(), ShapeError> {
        for values in [&a, &b, &c] {
            ShapeError::check("values for the quotient", self.n, values.len())?;
        }
        self.inverse_by_columns([a, b, c]);
        self.rows_onto_the_coset([a, b, c]);
        self.divide_by_columns(a, b, c);
        self.finish_by_rows(a, b);
        Ok(())
    }

    /// Puts the values of a·b on the coset in the place of `a`, in parallel on the caller's pool:
    /// the first two passes, and the third as far as the product.
    ///
    /// # Shapes
    /// Both have the domain's order and natural order. What `b` holds afterwards is of no use.
    ///
    /// # Errors
    /// [`ShapeError`] for any other length.
    pub fn product_on_coset(&self, a: &mut [Fr], b: &mut [Fr]) -> Result<(), ShapeError> {
        for values in [&a, &b] {
            ShapeError::check("values for the product", self.n, values.len())?;
        }
        self.inverse_by_columns([a, b]);
        self.rows_onto_the_coset([a, b]);
        self.multiply_by_columns(a, b);
        Ok(())
    }

    fn inverse_by_columns<const N: usize>(&self, vectors: [&mut [Fr]; N]) {
        let tiles = vectors.into_iter().flat_map(|v| self.grid.column_tiles(v));
        let work = |tile: &mut FrTile, mut columns: ColumnTile<'_>| {
            tile.load_columns(&columns);
            tile.dft(&self.inverse_columns);
            self.inverse_twist.apply(tile, columns.first_column());
            tile.store_columns(&mut columns, Reduction::Relaxed);
        };
        self.grid.each_column_tile(tiles.collect(), work);
    }

    fn rows_onto_the_coset<const N: usize>(&self, vectors: [&mut [Fr]; N]) {
        let tiles = vectors.into_iter().flat_map(|v| self.grid.row_tiles(v));
        let work = |tile: &mut FrTile, (first, rows): (usize, &mut [Fr])| {
            tile.load_rows(rows);
            tile.dft(&self.inverse_rows);
            tile.dft(&self.coset_rows);
            self.coset_twist.apply(tile, first);
            tile.store_rows(rows, Reduction::Relaxed);
        };
        self.grid.each_row_tile(tiles.collect(), work);
    }

    fn multiply_by_columns(&self, a: &mut [Fr], b: &mut [Fr]) {
        let tiles = self.grid.column_tiles(a);
        let tiles = tiles.into_iter().zip(self.grid.column_tiles(b));
        let scratch = || [(); 2].map(|()| FrTile::new(self.grid.arithmetic, self.grid.log_rows));
        share(tiles.collect(), scratch, |tiles, (mut a, b)| {
            for (tile, columns) in tiles.iter_mut().zip([&a, &b]) {
                tile.load_columns(columns);
                tile.dft(&self.forward_columns);
            }
            let [tile, tile_b] = tiles;
            tile.mul(tile_b);
            tile.store_columns(&mut a, Reduction::Exact);
        });
    }

    fn divide_by_columns(&self, a: &mut [Fr], b: &mut [Fr], c: &mut [Fr]) {
        let [b, c] = [b, c].map(|v| self.grid.column_tiles(v));
        let tiles = self.grid.column_tiles(a).into_iter().zip(b).zip(c);
        let scratch = || [(); 3].map(|()| FrTile::new(self.grid.arithmetic, self.grid.log_rows));
        share(tiles.collect(), scratch, |tiles, ((mut a, b), c)| {
            for (tile, columns) in tiles.iter_mut().zip([&a, &b, &c]) {
                tile.load_columns(columns);
                tile.dft(&self.forward_columns);
            }
            let [tile, tile_b, tile_c] = tiles;
            tile.mul_sub(tile_b, tile_c);
            tile.dft(&self.inverse_columns_reversed);
            self.quotient_twist.apply(tile, a.first_column());
            tile.store_columns(&mut a, Reduction::Relaxed);
        });
    }

    fn finish_by_rows(&self, source: &mut [Fr], target: &mut [Fr]) {
        let tiles = self.grid.transposing_tiles(source, target);
        self.grid.each_row_tile(tiles, |tile, (rows, mut columns)| {
            tile.load_rows(rows);
            tile.dft(&self.inverse_rows);
            tile.scale_rows(&self.scale);
            tile.store_columns(&mut columns, Reduction::Exact);
        });
    }
}
