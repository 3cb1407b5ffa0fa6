use cuzk_lanes::SignedIndex;

use super::digits::{Biased, Digits};

/// The points of one window, sorted by bucket.
#[derive(Debug)]
pub(crate) struct Window {
    /// Points of bucket 1, then of bucket 2, …
    pub(crate) entries: Vec<SignedIndex>,
    /// Where bucket k + 1 ends.
    pub(crate) ends: Vec<u32>,
}

/// Sorts the scalars by their digit of `window`, dropping zero digits; scalar i belongs to
/// point `index(i)`.
///
/// A counting sort: sizes first, then each point to its place.
pub(crate) fn sort_window(
    digits: &Digits,
    window: u32,
    scalars: &[Biased],
    index: impl Fn(usize) -> u32,
) -> Window {
    let mut next = vec![0u32; digits.largest(window) as usize + 1];
    let keys: Vec<u32> = scalars
        .iter()
        .map(|scalar| {
            let digit = digits.digit(scalar, window);
            next[digit.magnitude as usize] += 1;
            digit.magnitude | u32::from(digit.negative) << 31
        })
        .collect();
    // From sizes to starts, zero digits aside.
    let mut start = 0;
    for (bucket, next) in next.iter_mut().enumerate() {
        let size = if bucket == 0 { 0 } else { *next };
        *next = start;
        start += size;
    }
    let mut entries = vec![SignedIndex::default(); start as usize];
    for (i, key) in keys.iter().enumerate() {
        let bucket = (key & 0x7fff_ffff) as usize;
        if bucket != 0 {
            entries[next[bucket] as usize] = SignedIndex::new(index(i), key >> 31 == 1);
            next[bucket] += 1;
        }
    }
    next.remove(0);
    Window {
        entries,
        ends: next,
    }
}
