//! Sums of lists of points by rounds of affine additions.

mod fold;
mod kernels;
mod lines;
mod params;
mod plan;
mod select;

use cuzk_device::{Device, DeviceBuf, DeviceError, DeviceSlice, PartBeside, Stream, Timing};

pub(crate) use lines::LineShape;
pub(crate) use plan::fold_scratch_bytes;
pub use plan::{AffineTuning, most_scratch_bytes};
pub use select::{PointSelection, PointSelector};

use crate::group::DeviceGroup;
use crate::sorted::SortedDigits;
use kernels::{Operands, Part, TreeKernels};
use plan::{Shape, TreePlan};

/// Sums lists of affine points: neighbours are added in pairs, round after round, with all
/// inversions of a round made together.
///
/// An addition takes 6 products of the coordinate field where one in XYZZ coordinates takes 10.
/// The sums are right for any points: equal, opposite, the identity. They are the same bytes
/// whenever they are made.
///
/// # Source
/// Simultaneous inversion: `[Montgomery87]`.
#[derive(Debug)]
pub struct AffineTree<G: DeviceGroup> {
    kernels: TreeKernels<G>,
    tuning: AffineTuning,
    shape: Shape,
}

/// The most that bases and entries may be together: positions have 31 bits.
const POSITIONS: usize = 1 << 31;

impl<G: DeviceGroup> AffineTree<G> {
    /// Loads the kernels.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        Self::with_tuning(device, AffineTuning::default())
    }

    /// The same with another way to share the work.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn with_tuning(device: &Device, tuning: AffineTuning) -> Result<Self, DeviceError> {
        let multiprocessors = device.info().multiprocessors;
        Ok(Self {
            kernels: TreeKernels::new(device)?,
            tuning,
            shape: Shape::new(&tuning, multiprocessors),
        })
    }

    /// Device memory in bytes that [`AffineTree::sum_lists`] asks for beside its result.
    #[must_use]
    pub fn scratch_bytes(&self, entries: usize, lists: usize, longest: usize) -> usize {
        self.plan([entries, lists, longest]).bytes()
    }

    /// The sum of every list.
    ///
    /// # Shapes
    /// List i has the entries `offsets[i] .. offsets[i + 1]`. An entry is the index of a point,
    /// with bit 31 set where its opposite is meant. The result has one point a list; that of an
    /// empty one is the identity.
    ///
    /// # Errors
    /// [`DeviceError::Length`] where there are no offsets, or more than 2^31 points and entries;
    /// failures of memory and launches.
    ///
    /// # Safety
    /// The offsets ascend, the last is at most the number of entries, no list has more than
    /// `longest` entries, and every entry is the index of a point.
    pub unsafe fn sum_lists(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        entries: DeviceSlice<'_, u32>,
        offsets: DeviceSlice<'_, u32>,
        longest: usize,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        // SAFETY: the caller's.
        unsafe { self.add_lists(stream, points, entries, offsets, longest, None) }
    }

    /// The same, where each list has one point more: a sum that was made before.
    ///
    /// # Errors
    /// As [`AffineTree::sum_lists`]; [`DeviceError::Length`] too where there is not a sum a list.
    ///
    /// # Safety
    /// As there.
    unsafe fn add_lists(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        entries: DeviceSlice<'_, u32>,
        offsets: DeviceSlice<'_, u32>,
        longest: usize,
        before: Option<DeviceBuf<G::Limbs>>,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        let Some(lists) = offsets.len().checked_sub(1) else {
            return Err(length("offsets of lists, at least", 1, 0));
        };
        let carried = before.as_ref().map_or(0, DeviceBuf::len);
        if before.is_some() && carried != lists {
            return Err(length("sums that lists are added to", lists, carried));
        }
        let in_lists = entries.len().saturating_add(carried);
        let positions = points
            .len()
            .saturating_add(in_lists)
            .saturating_add(carried);
        if positions > POSITIONS {
            return Err(length("points and entries, at most", POSITIONS, positions));
        }
        if lists == 0 || entries.is_empty() {
            return before.map_or_else(|| stream.alloc_zeroed(lists), Ok);
        }
        let longest = longest.saturating_add(usize::from(carried > 0));
        let plan = self.plan([in_lists, lists, longest]);
        tracing::debug!(
            entries = entries.len(),
            lists,
            carried,
            rounds = plan.rounds,
            scratch_bytes = plan.bytes(),
            "sum_lists"
        );
        let mut scratch = stream.alloc::<u128>(plan.layout.words)?;
        let mut sums = before.map_or_else(|| stream.alloc::<G::Limbs>(lists), Ok)?;
        let operands = Operands {
            points: points.address(),
            n: points.len(),
            entries: entries.address(),
            offsets: offsets.address(),
            scratch: scratch.as_mut_slice().address(),
            sums: sums.as_mut_slice().address(),
            carried: carried > 0,
        };
        let parts = Part::all(&plan, &operands, size_of::<G::Limbs>());
        let mut streams = vec![stream];
        let mut noted = None;
        if parts.len() > 1 {
            let second = stream.second()?;
            self.pass(stream, second)?;
            noted = Some(stream.part_beside(second, "second stream", "add")?);
            streams.push(second);
        }
        // SAFETY: the scratch has the layout of the plan, and the caller answers for the lists.
        let launched = unsafe { self.launch(&streams, &plan, &parts) };
        let launched = launched.and(noted.map_or(Ok(()), PartBeside::end));
        // Whatever was launched is done before the scratch goes back.
        let joined = streams[1..].iter().try_for_each(|second| {
            self.pass(second, stream)
                .or_else(|error| second.synchronize().and(Err(error)))
        });
        launched.and(joined).map(|()| sums)
    }

    /// The sum of the entries of every bucket, window after window, and of its sum from before.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for more than 2^31 points and entries, or other buckets before;
    /// failures of memory and launches.
    pub(crate) fn sum_buckets(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        sorted: &SortedDigits,
        before: Option<DeviceBuf<G::Limbs>>,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        let (entries, offsets) = (sorted.entries.as_slice(), sorted.offsets.as_slice());
        // SAFETY: sorted digits are lists of indices of bases.
        unsafe { self.add_lists(stream, points, entries, offsets, sorted.longest, before) }
    }

    /// The sum of the selected points, one point.
    ///
    /// # Errors
    /// [`DeviceError::Length`] for fewer points than the selection chooses from; failures of
    /// memory and launches.
    pub fn sum_selected(
        &self,
        stream: &Stream,
        points: DeviceSlice<'_, G::Limbs>,
        selection: &PointSelection,
    ) -> Result<DeviceBuf<G::Limbs>, DeviceError> {
        if points.len() < selection.points() {
            let what = "points to select from, at least";
            return Err(length(what, selection.points(), points.len()));
        }
        let (entries, offsets) = (selection.entries(), selection.offsets());
        // SAFETY: a selection is one list of indices below its number of points.
        unsafe { self.sum_lists(stream, points, entries, offsets, selection.len()) }
    }

    fn plan(&self, sizes: [usize; 3]) -> TreePlan {
        TreePlan::new(&self.tuning, self.shape, size_of::<G::Limbs>() / 2, sizes)
    }

    /// Later work of one stream comes after the work so far of another.
    fn pass(&self, from: &Stream, to: &Stream) -> Result<(), DeviceError> {
        let reached = from.device().new_event(Timing::Disabled)?;
        from.record(&reached)?;
        to.wait_for(&reached)
    }

    /// Enqueues everything, the parts in turn, each on a stream.
    ///
    /// # Safety
    /// The scratch has the plan's layout, and the lists are as [`AffineTree::sum_lists`] asks.
    unsafe fn launch(
        &self,
        streams: &[&Stream],
        plan: &TreePlan,
        parts: &[Part],
    ) -> Result<(), DeviceError> {
        let each = || parts.iter().zip(streams.iter().copied());
        // SAFETY: the caller's. The parts have lists, sums and scratch of their own.
        unsafe {
            for (part, stream) in each() {
                self.kernels.count(stream, part)?;
            }
            for round in 0..=plan.rounds {
                for (part, stream) in each() {
                    self.kernels.list(stream, plan, part, round)?;
                }
                for (part, stream) in each().filter(|_| round < plan.rounds) {
                    self.kernels.add(stream, plan, part, round)?;
                }
            }
            for (part, stream) in each() {
                self.kernels.collect(stream, part)?;
            }
        }
        Ok(())
    }
}

fn length(what: &'static str, expected: usize, got: usize) -> DeviceError {
    DeviceError::Length {
        what,
        expected,
        got,
    }
}

#[cfg(test)]
pub(crate) mod tests;
