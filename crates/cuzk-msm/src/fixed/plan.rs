use std::fmt;
use std::ops::RangeInclusive;

use cuzk_curve::FrLimbs;

use crate::MsmError;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;
use crate::plan::CardFigures;

/// Widths of windows that are tried. A thread has room for the digits of the narrowest; tables of
/// wider ones than the widest take longer to make than they save for any number of scalars that a
/// device holds.
const WINDOW_BITS: RangeInclusive<u32> = 4..=22;
/// Additions in the time in which a multiple is made and brought to affine coordinates.
const ENTRY_ADDITIONS: f64 = 3.0;
/// Scalars of a chunk. More only take more memory: a device is full with a tenth of them.
const CHUNK: usize = 1 << 20;
/// Of the bytes that may be held, the share of a table, and that of a chunk. Six calls run at
/// once in a set-up, and there are tables of two groups.
const TABLE_SHARE: usize = 4;
const CHUNK_SHARE: usize = 16;

/// How the multiples of a point are made: the windows of its table, and the chunks of scalars.
///
/// A pure function of counts. Whether a table is in a cache does not matter: an H200 gathers 14 to
/// 37 points of any table in the time of 2.4 additions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BasePlan {
    layout: WindowLayout,
    chunk: usize,
    /// Additions, in their number or as long as so many take.
    additions: f64,
    products: f64,
}

impl BasePlan {
    /// The windows with the fewest additions for so many scalars, in as much memory.
    ///
    /// # Errors
    /// [`MsmError::NoPlace`] where not even the smallest table has place.
    pub fn new<G: DeviceGroup>(scalars: usize, budget_bytes: usize) -> Result<Self, MsmError> {
        let plan = |bits| Self::of_windows::<G>(bits, scalars, budget_bytes);
        let mut best = plan(*WINDOW_BITS.start())?;
        for wider in WINDOW_BITS.skip(1).map_while(|bits| plan(bits).ok()) {
            if wider.additions < best.additions {
                best = wider;
            }
        }
        Ok(best)
    }

    /// Windows of at most so many bits.
    ///
    /// # Errors
    /// [`MsmError::WindowBits`] for fewer than 4 bits or more than 22; [`MsmError::NoPlace`] where
    /// their table has no place.
    pub fn of_windows<G: DeviceGroup>(
        window_bits: u32,
        scalars: usize,
        budget_bytes: usize,
    ) -> Result<Self, MsmError> {
        if !WINDOW_BITS.contains(&window_bits) {
            return Err(MsmError::WindowBits {
                least: *WINDOW_BITS.start(),
                most: *WINDOW_BITS.end(),
                got: window_bits,
            });
        }
        let layout = WindowLayout::new(window_bits)?;
        let entries = entries(&layout);
        let point_bytes = size_of::<G::Limbs>();
        let scalar_bytes = point_bytes + size_of::<FrLimbs>();
        let needed_bytes = (TABLE_SHARE * entries * point_bytes).max(CHUNK_SHARE * scalar_bytes);
        if needed_bytes > budget_bytes {
            return Err(MsmError::NoPlace {
                n: scalars,
                needed_bytes,
                budget_bytes,
            });
        }
        let summed = f64::from(layout.windows()) * scalars as f64;
        Ok(Self {
            layout,
            chunk: (budget_bytes / CHUNK_SHARE / scalar_bytes).min(CHUNK),
            additions: summed + entries as f64 * ENTRY_ADDITIONS,
            products: G::COSTS.xyzz_addition,
        })
    }

    /// The windows.
    #[must_use]
    pub fn layout(&self) -> &WindowLayout {
        &self.layout
    }

    /// Multiples in the table.
    #[must_use]
    pub fn entries(&self) -> usize {
        entries(&self.layout)
    }

    /// The most scalars that are on the device at once, for each caller.
    #[must_use]
    pub fn chunk(&self) -> usize {
        self.chunk
    }

    /// The same with at most so many scalars at once; at least one.
    #[must_use]
    pub fn in_chunks_of(self, scalars: usize) -> Self {
        let chunk = self.chunk.min(scalars).max(1);
        Self { chunk, ..self }
    }

    /// The time on a card for the table and all scalars, without copies.
    #[must_use]
    pub fn predicted_ms(&self, card: &CardFigures) -> f64 {
        self.additions * self.products / card.products_per_second * 1e3
    }
}

fn entries(layout: &WindowLayout) -> usize {
    let row = |window| 1usize << (layout.width(window) - 1);
    (0..layout.windows()).map(row).sum()
}

impl fmt::Display for BasePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} windows of {} bits, {} multiples, chunks of {}",
            self.layout.windows(),
            self.layout.window_bits(),
            self.entries(),
            self.chunk
        )
    }
}
