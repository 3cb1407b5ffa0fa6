//! How the work of a tree is shared and where its scratch lies, by numbers alone.

use std::ops::Range;

/// How the tree shares its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AffineTuning {
    /// The most pairs whose denominators a thread multiplies up; at least 4.
    pub max_chain: u32,
    /// Blocks for each multiprocessor below which chains get shorter.
    pub tiles: u32,
    /// The most products that a thread inverts together.
    pub max_inverter_chain: u32,
    /// Inverting threads for each multiprocessor below which their chains get shorter.
    pub inverters: u32,
    /// The most pairs of a round that is one kernel, in which every thread inverts for itself.
    pub few_pairs: usize,
    /// Entries from which buckets are shared by two streams: one adds while the other waits.
    pub two_parts_from: usize,
}

impl Default for AffineTuning {
    fn default() -> Self {
        Self {
            max_chain: 64,
            tiles: 12,
            max_inverter_chain: 32,
            inverters: 64,
            few_pairs: 1 << 16,
            two_parts_from: 1 << 16,
        }
    }
}

/// Threads of a block that adds, `cuzk::msm::affine::THREADS`.
pub(super) const THREADS: usize = 128;
/// Buckets of a block that counts, `cuzk::msm::affine::CHUNK`.
pub(super) const CHUNK: usize = 2048;
/// Pairs of a block that lists them, `cuzk::msm::affine::PAIR_TILE`.
pub(super) const PAIR_TILE: usize = 2048;
/// Numbers in an array of totals, twice `cuzk::msm::affine::ROUNDS`.
pub(super) const TOTALS: usize = 64;
pub(super) const MIN_CHAIN: usize = 4;
/// Arrays begin at multiples of it, in bytes.
const ALIGNMENT: usize = 256;

/// How a device shares a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) max_chain: usize,
    pub(super) wanted_tiles: usize,
    pub(super) max_inverter_chain: usize,
    pub(super) wanted_inverters: usize,
}

impl Shape {
    pub(super) fn new(tuning: &AffineTuning, multiprocessors: u32) -> Self {
        let all = |each: u32| (each.max(1) as usize) * (multiprocessors.max(1) as usize);
        Self {
            max_chain: (tuning.max_chain as usize).max(MIN_CHAIN),
            wanted_tiles: all(tuning.tiles),
            max_inverter_chain: tuning.max_inverter_chain.max(1) as usize,
            wanted_inverters: all(tuning.inverters),
        }
    }

    /// The most blocks that so many pairs or fewer take.
    pub(super) fn tiles(&self, pairs: usize) -> usize {
        let of_longest = pairs.div_ceil(THREADS * self.max_chain);
        let of_shortest = pairs.div_ceil(THREADS * MIN_CHAIN);
        of_shortest.min(of_longest.max(self.wanted_tiles))
    }

    /// The most inverting threads of so many blocks or fewer.
    pub(super) fn inverters(&self, tiles: usize) -> usize {
        let products = tiles * THREADS;
        let of_longest = products.div_ceil(self.max_inverter_chain);
        products.min(of_longest.max(self.wanted_inverters))
    }
}

/// The most bytes of scratch for the sums of `lists` lists of `points` together, on any card of up
/// to 170 multiprocessors, with the usual tuning.
///
/// Outputs for every point, prefixes of half a point and places for every pair, products of
/// chains for two parts, which are of 64 pairs where there are many; what lists need, and the ends
/// of arrays.
#[must_use]
pub fn most_scratch_bytes(point_bytes: usize, points: usize, lists: usize) -> usize {
    const ENDS: usize = 1 << 14;
    let products = points / 64 + (points / 4).min(1 << 19) + 512;
    (point_bytes + point_bytes / 4 + 4) * points + point_bytes * products + 64 * lists + ENDS
}

/// The same for sums and differences of so many pairs, beside these.
pub(crate) fn fold_scratch_bytes(point_bytes: usize, pairs: usize) -> usize {
    // As for lists of two points each, without outputs and lists.
    most_scratch_bytes(point_bytes, 2 * pairs, 0) - point_bytes * pairs
}

/// The most pairs of a round, from 0, whatever the lists.
///
/// A list of `count` has floor(ceil(count / 2^round) / 2) pairs then; most for its length where it
/// has 2^round + 1 points and one pair.
pub(super) fn most_pairs(points: usize, round: u32) -> usize {
    points / ((1 << round) + 1)
}

/// Rounds until a list of so many points is one.
pub(super) fn rounds_for(longest: usize) -> u32 {
    longest.max(1).next_power_of_two().trailing_zeros()
}

/// The sums of a number of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreePlan {
    pub(super) shape: Shape,
    /// Of all lists: their entries, and what they bring along.
    pub(super) points: usize,
    pub(super) rounds: u32,
    pub(super) few_pairs: usize,
    /// Buckets of each part.
    pub(super) parts: Vec<Range<usize>>,
    pub(super) layout: Layout,
}

/// Where arrays begin in one buffer, in words of 16 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) outputs: usize,
    pub(super) prefixes: usize,
    pub(super) pairs: usize,
    pub(super) parts: Vec<PartLayout>,
    pub(super) words: usize,
}

/// The same for what each part has of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartLayout {
    pub(super) chunk_bases: usize,
    pub(super) totals: usize,
    pub(super) starts: [usize; 2],
    pub(super) tiles: usize,
    pub(super) carries: usize,
    pub(super) products: usize,
    pub(super) chains: usize,
}

impl TreePlan {
    /// For lists of `points` together and at most `longest` each; a coordinate has
    /// `coordinate_bytes`.
    pub(super) fn new(
        tuning: &AffineTuning,
        shape: Shape,
        coordinate_bytes: usize,
        [points, buckets, longest]: [usize; 3],
    ) -> Self {
        let half = buckets / 2;
        let parts = if half > 0 && points >= tuning.two_parts_from {
            vec![0..half, half..buckets]
        } else {
            std::iter::once(0..buckets).collect()
        };
        let mut plan = Self {
            shape,
            points,
            rounds: rounds_for(longest.min(points)),
            few_pairs: tuning.few_pairs,
            parts,
            layout: Layout {
                outputs: 0,
                prefixes: 0,
                pairs: 0,
                parts: Vec::new(),
                words: 0,
            },
        };
        plan.lay_out(coordinate_bytes);
        plan
    }

    /// The most pairs of a round.
    pub(super) fn most_pairs(&self, round: u32) -> usize {
        most_pairs(self.points, round)
    }

    /// Whether a round is one kernel.
    pub(super) fn has_few(&self, round: u32) -> bool {
        self.most_pairs(round) <= self.few_pairs
    }

    /// Places for an element a pair: the parts begin at half their first point, rounded up.
    pub(super) fn pair_capacity(&self) -> usize {
        self.points.div_ceil(2)
    }

    /// Places for an element an adding thread.
    pub(super) fn product_capacity(&self) -> usize {
        self.shape.tiles(self.most_pairs(0)) * THREADS
    }

    pub(super) fn bytes(&self) -> usize {
        16 * self.layout.words
    }

    fn lay_out(&mut self, coordinate_bytes: usize) {
        let mut end = 0;
        let mut take = |bytes: usize| {
            let start = end;
            end += bytes.div_ceil(ALIGNMENT) * (ALIGNMENT / 16);
            start
        };
        let outputs = take(2 * coordinate_bytes * self.points);
        let prefixes = take(coordinate_bytes * self.pair_capacity());
        let pairs = take(8 * self.pair_capacity());
        let parts = self.parts.iter().map(|buckets| PartLayout {
            chunk_bases: take(4 * buckets.len().div_ceil(CHUNK) * (self.rounds as usize + 1)),
            totals: take(4 * TOTALS),
            starts: [(); 2].map(|()| take(4 * (buckets.len() + 1))),
            tiles: take(4 * self.most_pairs(0).div_ceil(PAIR_TILE)),
            carries: take(4 * buckets.len()),
            products: take(coordinate_bytes * self.product_capacity()),
            chains: take(coordinate_bytes * self.product_capacity()),
        });
        let parts = parts.collect();
        self.layout = Layout {
            outputs,
            prefixes,
            pairs,
            parts,
            words: end,
        };
    }
}

#[cfg(test)]
mod tests;
