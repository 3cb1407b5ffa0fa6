use std::ops::Range;

use crate::MsmError;

/// How a scalar is cut into signed digits.
///
/// A scalar k is replaced by r − k where that is smaller; what is left is at most (r − 1) / 2,
/// below 2^254, so that with the carry of signed digits 255 bits are enough. They are cut into as
/// few windows as the width allows, of widths that differ by one bit at most: the wide ones at the
/// bottom. No window is short, so that no bucket is larger than others for that.
///
/// With tables, table t of the bases holds 2^(t · `table_bits`) times each of them, and a scalar's
/// bits are cut into as many parts first; digits of the same window in any part share buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowLayout {
    window_bits: u32,
    /// Windows of a table.
    windows: u32,
    tables: u32,
    table_bits: u32,
}

/// `cuzk::msm::DigitLayout`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct DigitLayout {
    bias: [u64; 4],
    all_windows: u64,
    tables: u64,
    table_windows: u64,
    first_window: u64,
    windows: u64,
    window_bits: u64,
    wide_windows: u64,
}

impl WindowLayout {
    /// The narrowest window.
    pub const MIN_BITS: u32 = 2;
    /// The widest window: an index of a bucket of one has 25 bits.
    pub const MAX_BITS: u32 = 26;
    /// Bits of a scalar that are cut.
    pub const SCALAR_BITS: u32 = 255;
    /// The most tables.
    pub const MAX_TABLES: u32 = 64;

    /// As few windows as a width of at most `window_bits` bits allows.
    ///
    /// With 12 windows of up to 23 bits none needs more than 22: then the layout is that of 22.
    ///
    /// # Errors
    /// [`MsmError::WindowBits`] outside [`Self::MIN_BITS`]` ..= `[`Self::MAX_BITS`].
    pub fn new(window_bits: u32) -> Result<Self, MsmError> {
        Self::with_tables(window_bits, 1)
    }

    /// The same for bases with their multiples, in up to so many tables.
    ///
    /// # Errors
    /// As [`Self::new`], and [`MsmError::Tables`] outside `1 ..= `[`Self::MAX_TABLES`].
    pub fn with_tables(window_bits: u32, tables: u32) -> Result<Self, MsmError> {
        if !(Self::MIN_BITS..=Self::MAX_BITS).contains(&window_bits) {
            return Err(MsmError::WindowBits {
                least: Self::MIN_BITS,
                most: Self::MAX_BITS,
                got: window_bits,
            });
        }
        if !(1..=Self::MAX_TABLES).contains(&tables) {
            return Err(MsmError::Tables {
                most: Self::MAX_TABLES,
                got: tables,
            });
        }
        let table_bits = Self::SCALAR_BITS.div_ceil(tables);
        let windows = table_bits.div_ceil(window_bits);
        Ok(Self {
            window_bits: table_bits.div_ceil(windows),
            windows,
            tables: Self::SCALAR_BITS.div_ceil(table_bits),
            table_bits,
        })
    }

    /// Bits of a wide window.
    #[must_use]
    pub fn window_bits(&self) -> u32 {
        self.window_bits
    }

    /// The number of windows that have buckets of their own.
    #[must_use]
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// The number of tables, 1 for the bases alone.
    #[must_use]
    pub fn tables(&self) -> u32 {
        self.tables
    }

    /// Bits of a scalar for each table.
    #[must_use]
    pub fn table_bits(&self) -> u32 {
        self.table_bits
    }

    /// How many windows are wide: the lowest. The others have a bit less.
    #[must_use]
    pub fn wide_windows(&self) -> u32 {
        self.windows - (self.windows * self.window_bits - self.table_bits)
    }

    /// Bits of one window.
    #[must_use]
    pub fn width(&self, window: u32) -> u32 {
        self.window_bits - u32::from(window >= self.wide_windows())
    }

    /// The place of a window's lowest bit.
    #[must_use]
    pub fn place(&self, window: u32) -> u32 {
        window * self.window_bits - window.saturating_sub(self.wide_windows())
    }

    /// Bits of the narrowest window.
    #[must_use]
    pub fn least_bits(&self) -> u32 {
        self.width(self.windows - 1)
    }

    /// Buckets of a wide window: an absolute value of a digit each, zero left out.
    #[must_use]
    pub fn buckets(&self) -> usize {
        1 << (self.window_bits - 1)
    }

    /// Windows of all tables below bit 255, with their places and widths.
    fn all_windows(&self) -> impl Iterator<Item = (u32, u32)> {
        let layout = *self;
        (0..self.tables)
            .flat_map(move |table| {
                (0..layout.windows).map(move |window| {
                    let place = table * layout.table_bits + layout.place(window);
                    (place, layout.width(window))
                })
            })
            .take_while(|(place, _)| *place < Self::SCALAR_BITS)
    }

    /// For the device: these windows of each table.
    ///
    /// The bias is the sum of half a window's range at the place of every window but the last:
    /// with it added to a scalar, digits have no carries.
    pub(crate) fn params(&self, windows: Range<u32>) -> DigitLayout {
        let all = self.all_windows().count();
        let mut bias = [0u64; 4];
        for (place, width) in self.all_windows().take(all - 1) {
            let bit = place + width - 1;
            bias[bit as usize / 64] |= 1 << (bit % 64);
        }
        DigitLayout {
            bias,
            all_windows: all as u64,
            tables: self.tables.into(),
            table_windows: self.windows.into(),
            first_window: windows.start.into(),
            windows: windows.len() as u64,
            window_bits: self.window_bits.into(),
            wide_windows: self.wide_windows().into(),
        }
    }
}

#[cfg(test)]
impl DigitLayout {
    /// Its words in their order.
    pub(crate) fn words(&self) -> [u64; 11] {
        let [a, b, c, d] = self.bias;
        let (all, tables, each) = (self.all_windows, self.tables, self.table_windows);
        let (first, windows) = (self.first_window, self.windows);
        let (bits, wide) = (self.window_bits, self.wide_windows);
        [a, b, c, d, all, tables, each, first, windows, bits, wide]
    }
}

#[cfg(test)]
mod tests;
