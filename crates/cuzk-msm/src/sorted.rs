use cuzk_device::DeviceBuf;

/// The digits of some windows, sorted by bucket.
///
/// Bucket `window * buckets + |digit| - 1` has the entries `offsets[bucket] .. offsets[bucket + 1]`.
/// Zero digits have none.
#[derive(Debug)]
pub struct SortedDigits {
    /// The index of a base in bits 0 to 30; bit 31 set where the digit is negative. In a bucket,
    /// in any order.
    pub entries: DeviceBuf<u32>,
    /// `windows * buckets + 1` bounds; the last one is the number of entries.
    pub offsets: DeviceBuf<u32>,
    /// Windows sorted together.
    pub windows: usize,
    /// Buckets of each window, 2^(c - 1) for the widest window of c bits.
    pub buckets: usize,
    /// The most entries that a bucket can have.
    pub longest: usize,
}
