//! The device memory that a sum needs.

use super::search::Ways;
use super::{Chunks, Method, Reduction, Residence};
use crate::MsmError;
use crate::affine::{LineShape, fold_scratch_bytes, most_scratch_bytes};
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;
use crate::reduce::{MAX_LOG_M, SEGMENTS_PER_MULTIPROCESSOR};
use crate::sort::{LargeParts, SortShape};

/// Bytes beside bases and scalars.
pub(super) struct Need {
    pub(super) bytes: usize,
    /// For each vector of scalars more.
    pub(super) bytes_a_vector: usize,
}

impl Need {
    pub(super) fn of<G: DeviceGroup>(
        chunks: &Chunks,
        layout: &WindowLayout,
        windows: u32,
        ways: Ways,
        residence: Residence,
    ) -> Result<Self, MsmError> {
        let is_carried = chunks.lens().len() > 1;
        let bytes = scratch_bytes::<G>(chunks.largest(), layout, windows, ways, is_carried)?;
        let sum = match ways.method {
            Method::Xyzz => size_of::<G::Xyzz>(),
            Method::BatchAffine => size_of::<G::Limbs>(),
        };
        let sums = |windows: u32| sum * layout.buckets() * windows as usize;
        Ok(match residence {
            // One group of windows after the other, and one vector.
            Residence::Device => Self {
                bytes,
                bytes_a_vector: usize::MAX,
            },
            Residence::Host => {
                let places: usize = chunks.places().iter().sum();
                let carried = if is_carried {
                    sums(layout.windows())
                } else {
                    0
                };
                Self {
                    bytes: bytes
                        + places * size_of::<G::Limbs>()
                        + carried.saturating_sub(sums(windows)),
                    bytes_a_vector: carried,
                }
            }
        })
    }
}

/// Device memory for a group of windows: the larger of sorting and of summing what is sorted. With
/// `is_carried` buckets have sums from before.
fn scratch_bytes<G: DeviceGroup>(
    chunk: usize,
    layout: &WindowLayout,
    windows: u32,
    ways: Ways,
    is_carried: bool,
) -> Result<usize, MsmError> {
    let shape = SortShape::new(chunk, layout, windows as usize)?;
    let (entries, buckets) = (shape.entries(), shape.windows * layout.buckets());
    let sorted = 4 * (entries + buckets);
    let point = size_of::<G::Limbs>();
    let xyzz = size_of::<G::Xyzz>();
    let carried = if is_carried { buckets } else { 0 };
    let (sum, summing) = match ways.method {
        Method::Xyzz => {
            let longest = (4 * entries.div_ceil(buckets)).clamp(16, 128);
            let parts = 2 * entries / (longest + 1);
            (xyzz, xyzz * parts + 16 * (buckets + parts) + 24 * parts)
        }
        Method::BatchAffine => (point, most_scratch_bytes(point, entries + carried, buckets)),
    };
    let reducing = xyzz * most_list_points(buckets);
    let lining = match ways.reduction {
        Reduction::Segments => 0,
        Reduction::Lines => {
            let shape = LineShape {
                windows: shape.windows,
                wide_windows: shape.windows,
                log_buckets: layout.window_bits() - 1,
            };
            let (entries, lists) = (shape.entries(), shape.lists());
            let folded = 2 * point * shape.pairs();
            let listing = most_scratch_bytes(point, entries, lists) + point * lists;
            let folding = fold_scratch_bytes(point, shape.pairs());
            folded + 4 * (entries + lists + 1) + listing.max(folding)
        }
    };
    let sorting = shape.bytes(LargeParts::USUAL) + sum * carried;
    Ok(sorting.max(sorted + sum * buckets + reducing + summing.max(lining)))
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
