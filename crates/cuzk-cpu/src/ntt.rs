use cuzk_backend::{ShapeError, Transform};
use cuzk_curve::{Domain, Fr};
use cuzk_lanes::{Arithmetic, FrDft, FrFactors, Reduction, RowOrder};

use crate::{
    grid::{Grid, Starts, doubled, root},
    ntt_small::SmallNtt,
};

/// One of the four transforms for one domain, with its constants.
///
/// The constants of a domain of order n take about 400·√n bytes.
///
/// # Formula
/// Of R rows and C columns, with input `j = j₁·C + j₂` and output `k = k₁ + R·k₂`,
/// `ω^(jk) = (ω^C)^(j₁k₁) · ω^(j₂k₁) · (ω^R)^(j₂k₂)`: a transform of the columns, a twist, a
/// transform of the rows, which are then read as columns. A shift by g on the way in is
/// `g^(C·j₁)` in the transform of the columns and `g^(j₂)` in the twist; 1/n is in the twist;
/// a shift by g⁻¹ on the way out is `g^(−k₁)` in the twist, and `g^(−R·k₂)` on the result.
///
/// # Source
/// `[Bailey90]`.
#[derive(Debug)]
pub struct NttPlan {
    n: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Small(SmallNtt),
    Grid(GridPlan),
}

#[derive(Debug)]
struct GridPlan {
    grid: Grid,
    columns: FrDft,
    starts: Starts,
    ratios: FrFactors,
    rows: FrDft,
    scale: Option<FrFactors>,
}

impl NttPlan {
    /// Prepares the constants.
    #[must_use]
    pub fn new(arithmetic: Arithmetic, domain: &Domain, transform: Transform) -> Self {
        let kind = match Grid::new(arithmetic, domain.log_n()) {
            Some(grid) => Kind::Grid(GridPlan::new(grid, domain, transform)),
            None => Kind::Small(SmallNtt::new(domain, transform)),
        };
        Self {
            n: domain.n(),
            kind,
        }
    }

    /// Transforms `source` into `target`, both in natural order, in parallel on the caller's
    /// pool.
    ///
    /// # Shapes
    /// Both have the domain's order. What `source` holds afterwards is of no use.
    ///
    /// # Errors
    /// [`ShapeError`] for any other length.
    pub fn run(&self, source: &mut [Fr], target: &mut [Fr]) -> Result<(), ShapeError> {
        ShapeError::check("values for the transform", self.n, source.len())?;
        ShapeError::check("places for the transform", self.n, target.len())?;
        match &self.kind {
            Kind::Small(small) => {
                target.copy_from_slice(source);
                small.run(target);
            }
            Kind::Grid(plan) => plan.run(source, target),
        }
        Ok(())
    }
}

impl GridPlan {
    fn new(grid: Grid, domain: &Domain, transform: Transform) -> Self {
        use ff::Field;
        let inverse = matches!(transform, Transform::Inverse | Transform::CosetInverse);
        let root = root(domain, inverse);
        let (mut shift, mut ratio, mut scale) = (Fr::ONE, Fr::ONE, None);
        let mut starts = Starts::all(Fr::ONE);
        match transform {
            Transform::Forward => (),
            Transform::CosetForward => {
                shift = doubled(domain.coset_shift(), grid.log_columns);
                starts.ratio = domain.coset_shift();
            }
            Transform::Inverse => starts.constant = domain.n_inv(),
            Transform::CosetInverse => {
                starts.constant = domain.n_inv();
                // The factor of row k₁ is g^(−k₁) in every lane.
                ratio = domain.coset_shift_inv();
                let by_row = doubled(domain.coset_shift_inv(), grid.log_rows);
                scale = Some(grid.factors(Fr::ONE, by_row, grid.columns()));
            }
        }
        Self {
            grid,
            columns: grid.column_dft(root, shift, RowOrder::Natural),
            starts,
            ratios: grid.factors(ratio, root, grid.columns()),
            rows: grid.row_dft(root, Fr::ONE, RowOrder::Natural),
            scale,
        }
    }

    fn run(&self, source: &mut [Fr], target: &mut [Fr]) {
        let tiles = self.grid.column_tiles(source);
        self.grid.each_column_tile(tiles, |tile, mut columns| {
            let first = columns.first_column();
            tile.load_columns(&columns);
            tile.dft(&self.columns);
            tile.twist(&self.starts.at(first), &self.ratios, first);
            tile.store_columns(&mut columns, Reduction::Relaxed);
        });
        let tiles = self.grid.transposing_tiles(source, target);
        self.grid.each_row_tile(tiles, |tile, (rows, mut columns)| {
            tile.load_rows(rows);
            tile.dft(&self.rows);
            if let Some(scale) = &self.scale {
                tile.scale_rows(scale);
            }
            tile.store_columns(&mut columns, Reduction::Exact);
        });
    }
}
