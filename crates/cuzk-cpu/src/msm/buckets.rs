use std::sync::atomic::{AtomicU32, Ordering};

use cuzk_lanes::SignedIndex;
use rayon::prelude::*;

use super::digits::{Biased, Digits};

/// The points of one window, sorted by bucket.
#[derive(Debug)]
pub(crate) struct Window {
    /// Points of bucket 1, then of bucket 2, …
    pub(crate) entries: Vec<SignedIndex>,
    /// Where bucket k + 1 ends.
    pub(crate) ends: Vec<u32>,
}

/// The digits that one share of the scalars has in one window.
struct Share {
    /// The first scalar of the share.
    first: usize,
    /// Magnitude and, in bit 31, sign of each scalar's digit.
    keys: Vec<u32>,
    /// How many scalars have each magnitude; later, where their points go.
    places: Vec<u32>,
}

/// Sorts the scalars by their digit of each of `windows`, dropping zero digits; scalar i
/// belongs to point `index(i)`, below 2^31.
///
/// A counting sort by shares of `share` scalars: each share counts its digits, the counts of a
/// window become the places where each share's points go, and each share puts its points
/// there. Shares write to places of their own, so plain stores through relaxed atomics do.
pub(crate) fn sort_windows(
    digits: &Digits,
    windows: &[u32],
    scalars: &[Biased],
    share: usize,
    index: &(impl Fn(usize) -> u32 + Sync),
) -> Vec<Window> {
    // Counting goes share by share, since all windows of a share read the same scalars, and
    // putting window by window, since all shares of a window write to the same memory.
    let counted: Vec<Share> = scalars
        .par_chunks(share)
        .enumerate()
        .flat_map(|(i, scalars)| {
            let count = move |&window| Share::count(digits, window, i * share, scalars);
            windows.par_iter().map(count)
        })
        .collect();
    let mut by_window: Vec<Vec<Share>> = windows.iter().map(|_| Vec::new()).collect();
    for (i, share) in counted.into_iter().enumerate() {
        by_window[i % windows.len()].push(share);
    }
    let sorted: Vec<(Vec<AtomicU32>, Vec<u32>)> = by_window
        .par_iter_mut()
        .map(|shares| assign_places(shares))
        .collect();
    by_window
        .into_par_iter()
        .zip(&sorted)
        .for_each(|(shares, (entries, _))| {
            let put = |share: Share| share.put(entries, index);
            shares.into_par_iter().for_each(put);
        });
    sorted
        .into_par_iter()
        .map(|(entries, ends)| Window {
            entries: entries
                .into_iter()
                .map(|entry| SignedIndex::from_bits(entry.into_inner()))
                .collect(),
            ends,
        })
        .collect()
}

impl Share {
    fn count(digits: &Digits, window: u32, first: usize, scalars: &[Biased]) -> Self {
        let mut places = vec![0u32; digits.largest(window) as usize + 1];
        let keys = scalars
            .iter()
            .map(|scalar| {
                let digit = digits.digit(scalar, window);
                places[digit.magnitude as usize] += 1;
                SignedIndex::new(digit.magnitude, digit.negative).to_bits()
            })
            .collect();
        Self {
            first,
            keys,
            places,
        }
    }

    fn put(mut self, entries: &[AtomicU32], index: &impl Fn(usize) -> u32) {
        for (i, &key) in self.keys.iter().enumerate() {
            let key = SignedIndex::from_bits(key);
            let bucket = key.index();
            if bucket != 0 {
                let entry = SignedIndex::new(index(self.first + i), key.is_negative());
                entries[self.places[bucket] as usize].store(entry.to_bits(), Ordering::Relaxed);
                self.places[bucket] += 1;
            }
        }
    }
}

/// Turns the counts of a window's shares into places, bucket after bucket and within a
/// bucket share after share; returns memory for the entries and where each bucket ends.
fn assign_places(shares: &mut [Share]) -> (Vec<AtomicU32>, Vec<u32>) {
    let buckets = shares.first().map_or(1, |share| share.places.len());
    let mut next = 0u32;
    let mut ends = Vec::with_capacity(buckets - 1);
    for bucket in 1..buckets {
        for share in &mut *shares {
            let count = std::mem::replace(&mut share.places[bucket], next);
            next += count;
        }
        ends.push(next);
    }
    let entries = (0..next).map(|_| AtomicU32::new(0)).collect();
    (entries, ends)
}
