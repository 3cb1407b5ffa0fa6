use std::fmt;

use cuzk_device::DeviceInfo;

use super::{Method, MsmPlan, Reduction, Residence};

/// What a card does in a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CardFigures {
    /// Products of the base field.
    pub products_per_second: f64,
    /// Bytes of device memory, read or written.
    pub bytes_per_second: f64,
}

/// What the additions of a group cost, in products of the base field, each with what it waits for.
///
/// The figures of G1 are rates measured on an H200: see `docs/performance.md`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointCosts {
    /// An affine point to one in XYZZ coordinates.
    pub xyzz_addition: f64,
    /// One addition of a tree, its share of the inversions and of the lists of pairs included.
    pub affine_addition: f64,
    /// The part of a bucket that has points in the reduction, from sums in XYZZ coordinates.
    pub reduced_xyzz: f64,
    /// The same from affine sums.
    pub reduced_affine: f64,
    /// Bytes that a tree moves for a bucket, at the rate it reaches: lists, and its sum.
    pub bucket_bytes: f64,
    /// Doublings and additions of all windows on the host, in milliseconds.
    pub host_ms: f64,
}

/// Milliseconds by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prediction {
    /// Digits, and their sort.
    pub sort_ms: f64,
    /// Sums of buckets.
    pub accumulate_ms: f64,
    /// From buckets to a point for each window.
    pub reduce_ms: f64,
    /// From windows to one point.
    pub host_ms: f64,
    /// For what comes from the host, while nothing is summed.
    pub wait_ms: f64,
    /// Once for the bases, before all sums: the multiples in tables.
    pub prepare_ms: f64,
}

/// Bytes that the sort moves for a digit, at the rate it reaches.
const SORT_BYTES: f64 = 52.0;
/// Kernels of a sort, of a reduction and of XYZZ sums that start one after the other.
const SORT_FIXED_MS: f64 = 0.06;
const REDUCE_FIXED_MS: f64 = 0.25;
const XYZZ_FIXED_MS: f64 = 0.1;
/// The rounds of a tree are each as long as an inversion, however few pairs they have.
const AFFINE_FIXED_MS: f64 = 0.9;
/// The same for rows and columns, which are short.
const LINES_FIXED_MS: f64 = 0.75;
/// Of a bucket in its row and its column: one and three quarters, and what the fold loses as it has
/// no other stream beside it.
const LINE_ADDITIONS: f64 = 1.85;
/// Additions in the time in which a multiple is brought back to affine coordinates, its share of an
/// inversion included.
const NORMALIZED: f64 = 2.0;

impl CardFigures {
    /// An H200, measured.
    pub const H200: Self = Self {
        products_per_second: 27.0e9,
        bytes_per_second: 4.0e12,
    };
    const H200_MULTIPROCESSORS: f64 = 132.0;

    /// By the number of multiprocessors, as if they were those of an H200.
    #[must_use]
    pub fn of(info: &DeviceInfo) -> Self {
        let share = f64::from(info.multiprocessors.max(1)) / Self::H200_MULTIPROCESSORS;
        Self {
            products_per_second: Self::H200.products_per_second * share,
            bytes_per_second: Self::H200.bytes_per_second * share,
        }
    }
}

impl PointCosts {
    /// Of G1.
    pub const G1: Self = Self {
        xyzz_addition: 10.0,
        affine_addition: 7.1,
        reduced_xyzz: 32.0,
        reduced_affine: 27.0,
        bucket_bytes: 700.0,
        host_ms: 0.15,
    };
    /// Of G2.
    pub const G2: Self = Self {
        xyzz_addition: 33.0,
        affine_addition: 20.2,
        reduced_xyzz: 120.0,
        reduced_affine: 110.0,
        bucket_bytes: 900.0,
        host_ms: 0.45,
    };
}

impl Prediction {
    /// By the cost model.
    pub(super) fn of(plan: &MsmPlan, costs: &PointCosts, card: &CardFigures) -> Self {
        if plan.n == 0 {
            return Self::default();
        }
        let (layout, chunks) = (&plan.layout, &plan.chunks);
        let windows = f64::from(layout.windows());
        let groups = f64::from(layout.windows().div_ceil(plan.windows_at_once));
        let digits = |len: usize| windows * f64::from(layout.tables()) * len as f64;
        let widths = (0..layout.windows()).map(|window| layout.width(window));
        let filled: f64 = widths.map(|width| f64::from(1u32 << (width - 1))).sum();
        let products_ms = |products: f64| products / card.products_per_second * 1e3;
        let bytes_ms = |bytes: f64| bytes / card.bytes_per_second * 1e3;
        let (addition, reduced, fixed_ms, moved) = match plan.method {
            Method::Xyzz => (costs.xyzz_addition, costs.reduced_xyzz, XYZZ_FIXED_MS, 0.0),
            Method::BatchAffine => (
                costs.affine_addition,
                costs.reduced_affine,
                AFFINE_FIXED_MS,
                windows * layout.buckets() as f64 * costs.bucket_bytes,
            ),
        };
        let sort_ms = |len: usize| bytes_ms(digits(len) * SORT_BYTES) + groups * SORT_FIXED_MS;
        let accumulate_ms = |chunk: usize, len: usize| {
            let digits = digits(len);
            let additions = match chunk {
                // The first point of a bucket is not added to anything.
                0 => (digits - filled).max(digits / 2.0),
                _ => digits,
            };
            products_ms(additions * addition) + bytes_ms(moved) + groups * fixed_ms
        };
        let copy_ms = |len: usize| {
            let bytes = plan.copied_bytes as f64 * len as f64;
            bytes
                / plan
                    .options
                    .host_link
                    .unwrap_or_default()
                    .bytes_per_second()
                * 1e3
        };
        let sum_ms = |chunk: usize, len: usize| sort_ms(len) + accumulate_ms(chunk, len);
        let lens = || chunks.lens().iter().copied().enumerate();
        let summed_ms: f64 = lens().map(|(chunk, len)| sum_ms(chunk, len)).sum();
        let has_two_places = plan.residence == Residence::Host;
        let tables = f64::from(layout.tables() - 1) * plan.n as f64;
        let doublings = f64::from(layout.table_bits()) + NORMALIZED;
        Self {
            sort_ms: lens().map(|(_, len)| sort_ms(len)).sum(),
            accumulate_ms: lens().map(|(chunk, len)| accumulate_ms(chunk, len)).sum(),
            reduce_ms: match plan.reduction {
                Reduction::Segments => products_ms(filled * reduced) + groups * REDUCE_FIXED_MS,
                Reduction::Lines => {
                    products_ms(LINE_ADDITIONS * filled * costs.affine_addition)
                        + groups * (LINES_FIXED_MS + REDUCE_FIXED_MS)
                }
            },
            host_ms: costs.host_ms,
            wait_ms: match plan.copied_bytes {
                0 => 0.0,
                _ => chunks.finish_ms(has_two_places, copy_ms, sum_ms) - summed_ms,
            },
            prepare_ms: products_ms(tables * doublings * costs.xyzz_addition),
        }
    }

    /// All phases of a sum.
    #[must_use]
    pub fn total_ms(&self) -> f64 {
        self.sort_ms + self.accumulate_ms + self.reduce_ms + self.host_ms + self.wait_ms
    }

    /// Of each of so many sums, with its share of what comes before them.
    #[must_use]
    pub fn ms_of_each(&self, uses: Option<u32>) -> f64 {
        let share = uses.map_or(0.0, |uses| self.prepare_ms / f64::from(uses.max(1)));
        self.total_ms() + share
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "sort {:.2}, accumulate {:.2}, reduce {:.2}, host {:.2}, ",
            self.sort_ms, self.accumulate_ms, self.reduce_ms, self.host_ms,
        )?;
        if self.wait_ms > 0.0 {
            write!(f, "wait {:.2}, ", self.wait_ms)?;
        }
        write!(f, "in all {:.2} ms", self.total_ms())?;
        if self.prepare_ms > 0.0 {
            write!(f, ", and {:.2} ms once", self.prepare_ms)?;
        }
        Ok(())
    }
}
