/// The index of a point and whether its negative is meant, in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct SignedIndex(u32);

impl SignedIndex {
    /// Points that can be told apart: indices are below this.
    pub const LIMIT: usize = 1 << 31;

    /// Point `index`, negated or not.
    ///
    /// # Panics
    /// In debug builds, if `index` is not below [`SignedIndex::LIMIT`].
    #[inline(always)]
    #[must_use]
    pub fn new(index: u32, negative: bool) -> Self {
        debug_assert!((index as usize) < Self::LIMIT);
        Self(index | u32::from(negative) << 31)
    }

    /// The index, with the sign in bit 31.
    #[inline(always)]
    #[must_use]
    pub fn to_bits(self) -> u32 {
        self.0
    }

    /// The reverse of [`SignedIndex::to_bits`].
    #[inline(always)]
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The index.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        (self.0 & 0x7fff_ffff) as usize
    }

    /// Whether the point is negated.
    #[inline(always)]
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.0 >> 31 == 1
    }
}
