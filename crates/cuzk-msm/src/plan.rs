mod costs;

use std::fmt;
use std::ops::Range;

pub use costs::{CardFigures, PointCosts, Prediction};

use crate::MsmError;
use crate::affine::most_scratch_bytes;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;
use crate::reduce::{MAX_LOG_M, SEGMENTS_PER_MULTIPROCESSOR};
use crate::sort::{LargeParts, SortShape};

/// How the points of a bucket are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One after the other in XYZZ coordinates: little memory.
    Xyzz,
    /// In pairs in affine coordinates, with inversions made together: fewer products, and about
    /// the memory of a point for every digit.
    BatchAffine,
}

/// Where bases are between sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// On the device.
    Device,
    /// On the host: they are brought in chunks.
    Host,
}

/// What is decided by hand; the planner decides the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// Bits of a window.
    pub window_bits: Option<u32>,
    /// How buckets are summed.
    pub method: Option<Method>,
    /// Bytes of device memory that multiples of the bases may take; with them fewer windows have
    /// buckets of their own. None by default.
    pub table_bytes: usize,
    /// Bytes of device memory that a sum may use beside its bases and scalars; nine tenths of what
    /// is free where `None`.
    pub scratch_bytes: Option<usize>,
}

/// How a multi-scalar multiplication is carried out: a pure function of the number of bases, the
/// card, the memory and the options.
#[derive(Debug, Clone, PartialEq)]
pub struct MsmPlan {
    /// The group's name.
    pub group: &'static str,
    /// Bases.
    pub n: usize,
    /// The windows.
    pub layout: WindowLayout,
    /// Windows that are sorted and summed together.
    pub windows_at_once: u32,
    /// Bases that are taken together.
    pub chunk: usize,
    /// How buckets are summed.
    pub method: Method,
    /// Device memory beside bases and scalars.
    pub scratch_bytes: usize,
    /// What it should take.
    pub predicted: Prediction,
}

/// The widest windows that are considered.
const MOST_WINDOW_BITS: u32 = 22;
/// Bases are taken in up to 2^this chunks.
const MOST_LOG_CHUNKS: u32 = 16;
/// Bases on the host come in 2^this chunks or more where there are enough for it: nothing is
/// summed while the first comes.
const STREAMED_LOG_CHUNKS: u32 = 3;
/// A chunk that is worth its own reduction.
const STREAMED_CHUNK: usize = 1 << 20;

impl MsmPlan {
    /// The plan with the least predicted time of those that fit.
    ///
    /// # Errors
    /// [`MsmError::TooManyBases`], [`MsmError::WindowBits`], and [`MsmError::NoPlace`] where no
    /// plan fits.
    pub fn new<G: DeviceGroup>(
        n: usize,
        residence: Residence,
        card: &CardFigures,
        budget_bytes: usize,
        options: &PlanOptions,
    ) -> Result<Self, MsmError> {
        if n > SortShape::MOST_BASES {
            return Err(MsmError::TooManyBases {
                expected: SortShape::MOST_BASES,
                got: n,
            });
        }
        let options = &match residence {
            Residence::Device => *options,
            // Multiples would have to be brought as well.
            Residence::Host => PlanOptions {
                table_bytes: 0,
                ..*options
            },
        };
        let layouts = layouts(n, size_of::<G::Limbs>(), options)?;
        let methods = match options.method {
            Some(method) => vec![method],
            None => vec![Method::BatchAffine, Method::Xyzz],
        };
        let mut best: Option<Self> = None;
        let mut least_bytes = usize::MAX;
        for layout in layouts {
            for &method in &methods {
                match Self::fitting::<G>((n, residence), card, budget_bytes, layout, method)? {
                    Ok(plan) => {
                        let total_ms = plan.predicted.total_ms();
                        if best
                            .as_ref()
                            .is_none_or(|b| total_ms < b.predicted.total_ms())
                        {
                            best = Some(plan);
                        }
                    }
                    Err(bytes) => least_bytes = least_bytes.min(bytes),
                }
            }
        }
        best.ok_or(MsmError::NoPlace {
            n,
            needed_bytes: least_bytes,
            budget_bytes,
        })
    }

    /// The fewest chunks, then the fewest groups of windows that fit; or the bytes that the
    /// smallest parts need.
    fn fitting<G: DeviceGroup>(
        (n, residence): (usize, Residence),
        card: &CardFigures,
        budget_bytes: usize,
        layout: WindowLayout,
        method: Method,
    ) -> Result<Result<Self, usize>, MsmError> {
        let mut needed = 0;
        let least_log_chunks = match residence {
            Residence::Device => 0,
            Residence::Host => (n / STREAMED_CHUNK).max(1).ilog2().min(STREAMED_LOG_CHUNKS),
        };
        // The tables of a chunk's bases are not in one piece.
        let most_log_chunks = if layout.tables() > 1 {
            0
        } else {
            MOST_LOG_CHUNKS
        };
        for log_chunks in least_log_chunks..=most_log_chunks {
            let chunk = n.div_ceil(1 << log_chunks).max(1);
            let most = match SortShape::new(chunk, &layout, 1) {
                Ok(shape) => shape.most_windows(),
                // Fewer at a time can be sorted.
                Err(MsmError::TooManyBases { .. }) => continue,
                Err(error) => return Err(error),
            };
            let most = layout
                .windows()
                .min(u32::try_from(most).unwrap_or(u32::MAX));
            for groups in layout.windows().div_ceil(most)..=layout.windows() {
                let windows_at_once = layout.windows().div_ceil(groups);
                needed = scratch_bytes::<G>(chunk, &layout, windows_at_once, method)?;
                if residence == Residence::Host {
                    needed += 2 * chunk * size_of::<G::Limbs>();
                }
                if needed <= budget_bytes {
                    let mut plan = Self {
                        group: G::NAME,
                        n,
                        layout,
                        windows_at_once,
                        chunk,
                        method,
                        scratch_bytes: needed,
                        predicted: Prediction::default(),
                    };
                    plan.predicted = Prediction::of(&plan, &G::COSTS, card);
                    return Ok(Ok(plan));
                }
            }
            if chunk == 1 {
                break;
            }
        }
        Ok(Err(needed))
    }

    /// The groups of windows, from the lowest.
    pub fn groups(&self) -> impl Iterator<Item = Range<u32>> {
        let (all, step) = (self.layout.windows(), self.windows_at_once);
        (0..all)
            .step_by(step as usize)
            .map(move |start| start..all.min(start + step))
    }

    /// The bases that are taken together.
    pub fn chunks(&self) -> impl Iterator<Item = Range<usize>> {
        let (n, chunk) = (self.n, self.chunk);
        (0..n)
            .step_by(chunk)
            .map(move |start| start..n.min(start + chunk))
    }
}

/// What is considered: every width, or the one that is asked for, with every number of tables that
/// has place.
fn layouts(
    n: usize,
    point_bytes: usize,
    options: &PlanOptions,
) -> Result<Vec<WindowLayout>, MsmError> {
    const MOST_TABLES: usize = 16;
    let table_bytes = n.saturating_mul(point_bytes).max(1);
    let most = (1 + options.table_bytes / table_bytes).min(MOST_TABLES);
    let widths = match options.window_bits {
        Some(bits) => bits..=bits,
        None => WindowLayout::MIN_BITS..=MOST_WINDOW_BITS,
    };
    let tables = 1..=u32::try_from(most).unwrap_or(1);
    let all = widths.flat_map(|bits| tables.clone().map(move |tables| (bits, tables)));
    all.map(|(bits, tables)| WindowLayout::with_tables(bits, tables))
        .collect()
}

/// Device memory for a group of windows: the larger of sorting and of summing what is sorted.
fn scratch_bytes<G: DeviceGroup>(
    chunk: usize,
    layout: &WindowLayout,
    windows: u32,
    method: Method,
) -> Result<usize, MsmError> {
    let shape = SortShape::new(chunk, layout, windows as usize)?;
    let (entries, buckets) = (shape.entries(), shape.windows * layout.buckets());
    let sorted = 4 * (entries + buckets);
    let point = size_of::<G::Limbs>();
    let xyzz = size_of::<G::Xyzz>();
    let summing = match method {
        Method::Xyzz => {
            let longest = (4 * entries.div_ceil(buckets)).clamp(16, 128);
            let parts = 2 * entries / (longest + 1);
            (xyzz + 16) * (buckets + parts) + 24 * parts
        }
        Method::BatchAffine => most_scratch_bytes(point, entries, buckets) + point * buckets,
    };
    let reducing = xyzz * most_list_points(buckets);
    Ok(shape
        .bytes(LargeParts::USUAL)
        .max(sorted + summing + reducing))
}

/// Points of the lists of a reduction of so many buckets, at most, on a card of any size.
pub(crate) fn most_list_points(buckets: usize) -> usize {
    /// More than any card has.
    const MULTIPROCESSORS: usize = 256;
    // Segments are halved in number while they are twice what is wanted, and so no more than that.
    let few = buckets.min(2 * SEGMENTS_PER_MULTIPROCESSOR * MULTIPROCESSORS);
    list_points(few.max(buckets.div_ceil(1 << MAX_LOG_M)))
}

/// Points of the lists of so many segments, before and after a halving.
fn list_points(segments: usize) -> usize {
    2 * segments + 3 * segments.div_ceil(2)
}

impl fmt::Display for MsmPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group, n, layout, ..
        } = self;
        write!(
            f,
            "{n} bases of {group}: {} windows of up to {} bits, {} at once, {}",
            layout.windows(),
            layout.window_bits(),
            self.windows_at_once,
            match self.method {
                Method::Xyzz => "XYZZ sums",
                Method::BatchAffine => "batch affine sums",
            }
        )?;
        if layout.tables() > 1 {
            write!(f, ", {} tables", layout.tables())?;
        }
        if self.chunk < *n {
            write!(f, ", {} bases at once", self.chunk)?;
        }
        write!(f, "; {} MiB; {}", self.scratch_bytes >> 20, self.predicted)
    }
}

#[cfg(test)]
mod tests;
