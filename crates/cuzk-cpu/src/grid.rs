use cuzk_curve::{Domain, Fr};
use cuzk_lanes::{Arithmetic, ColumnTile, FrDft, FrFactors, FrTile, LANES, RowOrder};
use ff::Field;
use rayon::prelude::*;

/// A vector of `2^log_n` scalars seen as a matrix: element `i·columns + j` is row `i`, column
/// `j`.
///
/// A transform of the vector is one of all columns, a twist, and one of all rows: two passes
/// over memory instead of `log_n`, each on tiles of eight columns or rows that fit the cache.
///
/// # Source
/// The four-step transform of `[Bailey90]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) arithmetic: Arithmetic,
    pub(crate) log_rows: u32,
    pub(crate) log_columns: u32,
}

impl Grid {
    /// The smallest vector whose rows and columns fill a tile's lanes.
    pub(crate) const MIN_LOG_N: u32 = 6;

    /// Rows and columns as nearly equal as they can be; `None` below [`Grid::MIN_LOG_N`].
    pub(crate) fn new(arithmetic: Arithmetic, log_n: u32) -> Option<Self> {
        (log_n >= Self::MIN_LOG_N).then_some(Self {
            arithmetic,
            log_rows: log_n / 2,
            log_columns: log_n.div_ceil(2),
        })
    }

    pub(crate) fn rows(self) -> usize {
        1 << self.log_rows
    }

    pub(crate) fn columns(self) -> usize {
        1 << self.log_columns
    }

    /// The transform of a column by `root`, which has the order of the whole vector.
    pub(crate) fn column_dft(self, root: Fr, shift: Fr, order: RowOrder) -> FrDft {
        let root = doubled(root, self.log_columns);
        FrDft::new(self.arithmetic, self.log_rows, root, shift, order)
    }

    /// The transform of a row by `root`, which has the order of the whole vector.
    pub(crate) fn row_dft(self, root: Fr, shift: Fr, order: RowOrder) -> FrDft {
        let root = doubled(root, self.log_rows);
        FrDft::new(self.arithmetic, self.log_columns, root, shift, order)
    }

    /// `base · ratio^i` for `i` below `len`, ready to be multiplied by.
    pub(crate) fn factors(self, base: Fr, ratio: Fr, len: usize) -> FrFactors {
        FrFactors::geometric(self.arithmetic, base, ratio, len)
    }

    /// Works on tiles of eight columns, in parallel on the caller's pool.
    pub(crate) fn each_column_tile<T: Send>(
        self,
        tiles: Vec<T>,
        work: impl Fn(&mut FrTile, T) + Sync + Send,
    ) {
        let scratch = || FrTile::new(self.arithmetic, self.log_rows);
        share(tiles, scratch, work);
    }

    /// Works on tiles of eight rows, in parallel on the caller's pool.
    pub(crate) fn each_row_tile<T: Send>(
        self,
        tiles: Vec<T>,
        work: impl Fn(&mut FrTile, T) + Sync + Send,
    ) {
        let scratch = || FrTile::new(self.arithmetic, self.log_columns);
        share(tiles, scratch, work);
    }

    /// All tiles of eight columns.
    pub(crate) fn column_tiles(self, values: &mut [Fr]) -> Vec<ColumnTile<'_>> {
        ColumnTile::split(values, self.columns())
    }

    /// All tiles of eight rows, each with its first row.
    pub(crate) fn row_tiles(self, values: &mut [Fr]) -> Vec<(usize, &mut [Fr])> {
        let tiles = values.chunks_exact_mut(LANES << self.log_columns);
        tiles
            .enumerate()
            .map(|(i, tile)| (i * LANES, tile))
            .collect()
    }

    /// Tiles of eight rows of `source`, each with the tile of eight columns of `target` that
    /// takes its rows as columns.
    pub(crate) fn transposing_tiles<'a>(
        self,
        source: &'a mut [Fr],
        target: &'a mut [Fr],
    ) -> Vec<(&'a mut [Fr], ColumnTile<'a>)> {
        let rows = source.chunks_exact_mut(LANES << self.log_columns);
        rows.zip(ColumnTile::split(target, self.rows())).collect()
    }
}

/// Hands out items so that each worker keeps its scratch over many of them.
pub(crate) fn share<T: Send, S>(
    items: Vec<T>,
    scratch: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, T) + Sync + Send,
) {
    let shares = 4 * rayon::current_num_threads();
    let least = items.len().div_ceil(shares);
    let items = items.into_par_iter().with_min_len(least);
    items.for_each_init(scratch, work);
}

/// `x^(2^times)`.
pub(crate) fn doubled(x: Fr, times: u32) -> Fr {
    (0..times).fold(x, |x, _| x.square())
}

/// The first factor of each lane of a twist: lane `l` of the tile at `first` starts with
/// `constant · ratio^(first + l)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Starts {
    pub(crate) constant: Fr,
    pub(crate) ratio: Fr,
}

impl Starts {
    pub(crate) fn all(constant: Fr) -> Self {
        Self {
            constant,
            ratio: Fr::ONE,
        }
    }

    pub(crate) fn at(&self, first: usize) -> [Fr; LANES] {
        let mut start = self.constant * self.ratio.pow_vartime([first as u64]);
        std::array::from_fn(|_| {
            let this = start;
            start *= self.ratio;
            this
        })
    }
}

/// The generator of a domain in the sense of a transform, ω or ω⁻¹.
pub(crate) fn root(domain: &Domain, inverse: bool) -> Fr {
    if inverse {
        domain.generator_inv()
    } else {
        domain.generator()
    }
}
