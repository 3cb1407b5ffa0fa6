use cuzk_device::DeviceError;

use crate::MsmError;
use crate::digits::WindowLayout;

/// Which parts of the buckets are cut, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeParts {
    /// A part of more entries is cut, unless the average part is nearly as large.
    pub limit: usize,
    /// Entries of a tile.
    pub tile: usize,
}

/// What is launched when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortTuning {
    /// Which parts are cut, and how.
    pub large: LargeParts,
    /// Scalars from which tiles are long: each is cut into digits by one block.
    pub long_tiles_from: usize,
    /// Entries of a part for which there is place in shared memory, at least.
    pub least_places: usize,
}

impl Default for SortTuning {
    fn default() -> Self {
        Self {
            large: LargeParts::USUAL,
            long_tiles_from: 1 << 24,
            least_places: 0,
        }
    }
}

/// The shape of one sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortShape {
    /// Scalars.
    pub(crate) n: usize,
    /// Tables of bases.
    pub(crate) tables: usize,
    /// Windows that are sorted together.
    pub(crate) windows: usize,
    /// The first pass divides the buckets of each window into 2^log_parts parts.
    pub(crate) log_parts: u32,
    /// The second divides a part into up to 2^log_lows buckets.
    pub(crate) log_lows: u32,
    /// Segments of a table: a digit's number in its segment, the lower bits of its bucket and its
    /// sign share a word.
    pub(crate) table_segments: usize,
    /// The first pass takes 2^this scalars at a time.
    pub(crate) log_tile: u32,
}

/// The first pass takes so many scalars at a time, as powers of two: some hundreds of tiles where
/// scalars are few, and longer ones where they are many, so that runs of a part are longer.
const LOG_TILES: std::ops::RangeInclusive<u32> = 11..=13;
pub(super) const LOG_LONG_TILE: u32 = 14;
/// `cuzk::msm::MOST_SEGMENTS`, and how many there are where that is enough.
const MOST_SEGMENTS: usize = 128;
const USUAL_SEGMENTS: usize = 32;
/// `cuzk::msm::MOST_PARTS`.
const MOST_PARTS: usize = 24576;
/// Parts for which the narrow kernel of the digits has counters.
pub(super) const NARROW_PARTS: usize = 8192;
/// `cuzk::msm::MOST_LOG_BINS`: bits of a bucket that a pass sorts by, at most.
pub(super) const MOST_LOG_BINS: u32 = 11;
/// The same of the first pass, where there are too many windows for more parts of each.
const USUAL_LOG_PARTS: u32 = 10;

impl SortShape {
    /// The most bases of a sum: a sign and an index share a word.
    pub(crate) const MOST_BASES: usize = (1 << 31) - 1;
    /// The widest window that two passes can sort.
    pub(crate) const MOST_WINDOW_BITS: u32 = 2 * MOST_LOG_BINS + 1;

    /// Parts are of 2^13 entries up to 2^20 bases, and of 2^14 from 2^21 on, so that a block has
    /// place for one in shared memory; of 2^15 and more where there would be too many. Where the
    /// buckets are too many for that, the two passes share their bits.
    pub(crate) fn new(n: usize, layout: &WindowLayout, windows: usize) -> Result<Self, MsmError> {
        let tables = layout.tables() as usize;
        let most = Self::MOST_BASES / tables;
        if n > most {
            return Err(MsmError::TooManyBases {
                expected: most,
                got: n,
            });
        }
        if layout.window_bits() > Self::MOST_WINDOW_BITS {
            return Err(MsmError::WindowBits {
                least: WindowLayout::MIN_BITS,
                most: Self::MOST_WINDOW_BITS,
                got: layout.window_bits(),
            });
        }
        let log_buckets = layout.window_bits() - 1;
        let digits = n * tables;
        let log_digits = digits.max(1).ilog2();
        let few = log_digits.saturating_sub(13).min(7);
        let all_windows = tables * layout.windows() as usize;
        let most = match all_windows << MOST_LOG_BINS {
            parts if parts <= MOST_PARTS => MOST_LOG_BINS,
            _ => USUAL_LOG_PARTS,
        };
        let by_entries = log_digits.saturating_sub(14).max(few).min(most);
        let mut log_parts = by_entries.min(layout.least_bits() - 1);
        if log_buckets - log_parts > MOST_LOG_BINS {
            log_parts = log_buckets / 2;
        }
        let log_lows = log_buckets - log_parts;
        let segment = 1usize << (31 - log_lows);
        let table_segments = n.div_ceil(segment).max(USUAL_SEGMENTS / tables).max(1);
        if table_segments * tables > MOST_SEGMENTS {
            return Err(MsmError::TooManyBases {
                expected: (MOST_SEGMENTS / tables) * segment,
                got: n,
            });
        }
        let shape = Self {
            n,
            tables,
            windows,
            log_parts,
            log_lows,
            table_segments,
            log_tile: (n.max(1).ilog2().saturating_sub(8))
                .clamp(*LOG_TILES.start(), *LOG_TILES.end()),
        };
        let most = shape.most_windows();
        if windows > most {
            return Err(MsmError::Device(DeviceError::Length {
                what: "windows sorted together, at most",
                expected: most,
                got: windows,
            }));
        }
        Ok(shape)
    }

    /// Windows that can be sorted together: entries and parts have numbers of limited size.
    pub(crate) fn most_windows(&self) -> usize {
        let parts = (MOST_PARTS / self.tables) >> self.log_parts;
        parts.min(u32::MAX as usize / self.digits().max(1))
    }

    pub(super) fn parts(&self) -> usize {
        self.windows << self.log_parts
    }

    pub(super) fn segments(&self) -> usize {
        self.tables * self.table_segments
    }

    /// Digits of a window.
    pub(super) fn digits(&self) -> usize {
        self.n * self.tables
    }

    pub(super) fn table_tiles(&self) -> usize {
        self.n.div_ceil(1 << self.log_tile)
    }

    pub(super) fn tiles(&self) -> usize {
        self.tables * self.table_tiles()
    }

    /// Entries, if no digit were zero.
    pub(crate) fn entries(&self) -> usize {
        self.digits() * self.windows
    }

    /// Entries of a part where the digits are uniform, at most: the last window has a tenth fewer
    /// parts than others.
    pub(super) fn usual_part(&self) -> usize {
        let average = self.digits() >> self.log_parts;
        average + average / 9 + average / 64 + 64
    }

    /// The same with longer tiles, which takes no more memory.
    pub(super) fn with_long_tiles(self) -> Self {
        Self {
            log_tile: LOG_LONG_TILE,
            ..self
        }
    }

    /// Device memory while it is sorted, without the scalars.
    pub(crate) fn bytes(&self, large: LargeParts) -> usize {
        let large = large.of(self);
        let buckets = self.windows << (self.log_parts + self.log_lows);
        let words = self.tiles() * self.parts()
            + (self.segments() + 2) * self.parts()
            + buckets
            + 2 * (large.most_parts(self) + large.most_tiles(self))
            + (large.most_tiles(self) << self.log_lows);
        8 * self.entries() + 4 * words
    }
}

impl LargeParts {
    /// Parts of up to this many entries are sorted by one block in the time that the others
    /// need for theirs.
    pub const USUAL: Self = Self {
        limit: 1 << 17,
        tile: 1 << 16,
    };

    pub(super) fn of(self, shape: &SortShape) -> Self {
        let average = shape.digits() >> shape.log_parts;
        Self {
            limit: self.limit.max(2 * average),
            tile: self.tile,
        }
    }

    pub(super) fn most_parts(&self, shape: &SortShape) -> usize {
        (shape.entries() / self.limit).min(shape.parts()) + 1
    }

    pub(super) fn most_tiles(&self, shape: &SortShape) -> usize {
        shape.entries() / self.tile + self.most_parts(shape)
    }
}
