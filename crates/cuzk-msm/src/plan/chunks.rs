//! Into which chunks bases are cut, where they or their scalars come from the host.

use std::ops::Range;

use cuzk_hostmem::HostMemory;

/// Where bases are between sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// On the device.
    Device,
    /// On the host: they are brought in chunks.
    Host,
}

/// The memory from which bases and scalars come to the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HostLink {
    /// Ordinary memory, which the driver copies itself before the device does.
    #[default]
    Pageable,
    /// Ordinary memory that several threads copy to registered buffers.
    Staged,
    /// Memory that is registered with the device.
    Registered,
}

impl HostLink {
    /// That of copies by a strategy.
    #[must_use]
    pub fn of(strategy: HostMemory) -> Self {
        match strategy {
            HostMemory::Registered => Self::Registered,
            HostMemory::Staged | HostMemory::Auto => Self::Staged,
            _ => Self::Pageable,
        }
    }

    /// Bytes a second, measured on the machine of an H200.
    #[must_use]
    pub fn bytes_per_second(self) -> f64 {
        match self {
            Self::Pageable => 6.8e9,
            Self::Staged => 33e9,
            Self::Registered => 55e9,
        }
    }
}

/// Lengths of chunks that have place one after the other in `n` bases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunks {
    lens: Vec<usize>,
}

impl Chunks {
    /// So many chunks, each `ratio` times as long as the one before.
    fn geometric(n: usize, count: usize, ratio: f64) -> Self {
        let share = |chunk: usize| ratio.powi(i32::try_from(chunk).unwrap_or(i32::MAX));
        let all: f64 = (0..count).map(share).sum();
        let (mut lens, mut start, mut shares) = (Vec::with_capacity(count), 0, 0.0);
        for chunk in 0..count {
            shares += share(chunk);
            let end = ((n as f64 * shares / all).round() as usize).clamp(start, n);
            let end = if chunk + 1 == count { n } else { end };
            if end > start {
                lens.push(end - start);
            }
            start = end;
        }
        Self { lens }
    }

    /// Of equal lengths, up to 2^`log_count` of them.
    pub(crate) fn equal(n: usize, log_count: u32) -> Self {
        let len = n.div_ceil(1 << log_count).max(1);
        let starts = (0..n).step_by(len);
        Self {
            lens: starts.map(|start| len.min(n - start)).collect(),
        }
    }

    /// These; for tests.
    #[cfg(test)]
    pub(crate) fn of(lens: &[usize]) -> Self {
        Self {
            lens: lens.to_vec(),
        }
    }

    /// What is considered where chunks are copied while others are summed: the first one short,
    /// as nothing is summed while it comes, or the last one, as nothing is copied while it is
    /// summed.
    pub(crate) fn fed(n: usize) -> impl Iterator<Item = Self> {
        const RATIOS: [f64; 11] = [0.125, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 2.3, 4.0, 6.0, 8.0];
        let uneven = (2..=8).flat_map(move |count| {
            RATIOS
                .iter()
                .map(move |ratio| Self::geometric(n, count, *ratio))
        });
        let equal = [0, 4].map(|log_count| Self::equal(n, log_count));
        equal.into_iter().chain(uneven)
    }

    pub(crate) fn lens(&self) -> &[usize] {
        &self.lens
    }

    pub(crate) fn largest(&self) -> usize {
        self.lens.iter().copied().max().unwrap_or(0)
    }

    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.lens.iter().map(move |len| {
            let range = start..start + len;
            start = range.end;
            range
        })
    }

    /// Bases of the places on the device that chunks take in turn: one is filled while the other
    /// is read.
    pub(crate) fn places(&self) -> [usize; 2] {
        [0, 1].map(|turn| {
            let in_turn = self.lens.iter().skip(turn).step_by(2);
            in_turn.copied().max().unwrap_or(0)
        })
    }

    /// When the last chunk is summed, in milliseconds, if each is copied after the ones before, for
    /// as long as `copy` says, and summed after that for as long as `sum` says. With two places a
    /// chunk is not copied before the last but one is summed.
    pub(crate) fn finish_ms(
        &self,
        has_two_places: bool,
        copy: impl Fn(usize) -> f64,
        sum: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        let (mut copied, mut summed) = (0.0f64, [0.0f64; 2]);
        for (chunk, len) in self.lens.iter().enumerate() {
            let free = if has_two_places { summed[0] } else { 0.0 };
            copied = copied.max(free) + copy(*len);
            summed = [summed[1], summed[1].max(copied) + sum(chunk, *len)];
        }
        summed[1]
    }
}

#[cfg(test)]
mod tests;
