//! A sum chunk by chunk: the sums of buckets are carried from one chunk to the next, and reduced
//! after the last.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use cuzk_device::{DeviceBuf, DeviceSlice, Stream};

use super::{ACCUMULATE, Bases, Msm, Points, REDUCE, SORT};
use crate::MsmError;
use crate::affine::LineShape;
use crate::group::DeviceGroup;
use crate::plan::{Method, MsmPlan, Reduction};
use crate::sorted::SortedDigits;
use crate::staging::{Scalars, Staging};
use crate::windows::{Places, WindowSums};

/// Sums of buckets in the coordinates of the method.
enum BucketSums<G: DeviceGroup> {
    Xyzz(DeviceBuf<G::Xyzz>),
    Affine(DeviceBuf<G::Limbs>),
}

/// One way through the bases, for some of the vectors of scalars.
struct Pass<'a, G: DeviceGroup> {
    msm: &'a Msm<G>,
    plan: &'a MsmPlan,
    stream: &'a Stream,
    groups: &'a [Range<u32>],
    /// The first vector's number.
    first: usize,
    sums: &'a mut [WindowSums<G>],
    /// For each vector, the buckets of each group of windows.
    carried: Vec<Vec<Option<BucketSums<G>>>>,
}

impl<G: DeviceGroup> Msm<G> {
    /// Enqueues everything; copies from the host are waited for.
    pub(super) fn enqueue(
        &self,
        bases: &Bases<G>,
        plan: &MsmPlan,
        stream: &Stream,
        mut scalars: Scalars<'_>,
    ) -> Result<Vec<WindowSums<G>>, MsmError> {
        let held: Option<Arc<dyn Any + Send + Sync>> = match &bases.points {
            Points::Resident(resident) => {
                stream.wait_for(&resident.ready)?;
                // What belongs to this stream goes back in its order.
                let is_own = resident.points.stream().is(stream);
                (!is_own).then(|| -> Arc<dyn Any + Send + Sync> { resident.clone() })
            }
            // A chunk is there before its work is enqueued.
            Points::OnHost(_) => Some(Arc::new(())),
        };
        let each = |_| WindowSums::new(stream, held.clone());
        let mut sums: Vec<WindowSums<G>> = (0..scalars.vectors()).map(each).collect();
        let groups: Vec<Range<u32>> = plan.groups().collect();
        let mut first = 0;
        for sums in sums.chunks_mut(plan.vectors_at_once) {
            let none = || groups.iter().map(|_| None).collect();
            let vectors = sums.len();
            let mut pass = Pass {
                msm: self,
                plan,
                stream,
                groups: &groups,
                first,
                carried: sums.iter().map(|_| none()).collect(),
                sums,
            };
            match &bases.points {
                Points::Resident(resident) => {
                    pass.over_resident(&resident.points, &mut scalars)?;
                }
                Points::OnHost(points) => {
                    pass.over_host(G::as_limbs(points), &mut scalars)?;
                }
            }
            first += vectors;
        }
        Ok(sums)
    }
}

impl<G: DeviceGroup> Pass<'_, G> {
    /// One group of windows after the other, so that only its buckets are kept.
    fn over_resident(
        &mut self,
        points: &DeviceBuf<G::Limbs>,
        scalars: &mut Scalars<'_>,
    ) -> Result<(), MsmError> {
        let is_one_table = self.plan.layout.tables() == 1;
        for group in 0..self.groups.len() {
            for chunk in self.plan.chunks() {
                scalars.bring(&chunk)?;
                // Tables of multiples stand behind the bases.
                let end = if is_one_table {
                    chunk.end
                } else {
                    points.len()
                };
                let points = points.as_slice().part(chunk.start..end)?;
                self.add(points, scalars, &chunk, group)?;
            }
        }
        Ok(())
    }

    /// Each chunk once, for all groups of windows.
    fn over_host(
        &mut self,
        points: &[G::Limbs],
        scalars: &mut Scalars<'_>,
    ) -> Result<(), MsmError> {
        let lens = self.plan.chunks.places();
        let mut staging = Staging::<G>::new(self.stream, &self.msm.copies, lens)?;
        for chunk in self.plan.chunks() {
            scalars.bring(&chunk)?;
            let points = staging.bring(&points[chunk.clone()])?;
            for group in 0..self.groups.len() {
                self.add(points, scalars, &chunk, group)?;
            }
            staging.done_with()?;
        }
        Ok(())
    }

    /// Adds the bases of a chunk to the buckets of a group, and reduces these after the last.
    fn add(
        &mut self,
        points: DeviceSlice<'_, G::Limbs>,
        scalars: &Scalars<'_>,
        chunk: &Range<usize>,
        group: usize,
    ) -> Result<(), MsmError> {
        let (plan, windows) = (self.plan, &self.groups[group]);
        for vector in 0..self.sums.len() {
            let sorted = self.msm.sorter.sort(
                self.stream,
                scalars.part(self.first + vector, chunk)?,
                &plan.layout,
                windows.clone(),
                plan.n,
            )?;
            self.stream.end_part(SORT)?;
            let before = self.carried[vector][group].take();
            let buckets = self.sum_buckets(points, &sorted, before)?;
            self.stream.end_part(ACCUMULATE)?;
            if chunk.end < plan.n {
                self.carried[vector][group] = Some(buckets);
                continue;
            }
            let (places, points) = self.reduce(&buckets, &sorted, windows)?;
            self.sums[vector].add(places, points)?;
            self.stream.end_part(REDUCE)?;
        }
        Ok(())
    }

    fn sum_buckets(
        &self,
        points: DeviceSlice<'_, G::Limbs>,
        sorted: &SortedDigits,
        before: Option<BucketSums<G>>,
    ) -> Result<BucketSums<G>, MsmError> {
        let Msm { xyzz, affine, .. } = self.msm;
        let (xyzz_before, affine_before) = match before {
            Some(BucketSums::Xyzz(sums)) => (Some(sums), None),
            Some(BucketSums::Affine(sums)) => (None, Some(sums)),
            None => (None, None),
        };
        Ok(match self.plan.method {
            Method::Xyzz => {
                BucketSums::Xyzz(xyzz.sum_buckets(self.stream, points, sorted, xyzz_before)?)
            }
            Method::BatchAffine => BucketSums::Affine(affine.sum_buckets(
                self.stream,
                points,
                sorted,
                affine_before,
            )?),
        })
    }

    /// A point a window, or two, and their places.
    fn reduce(
        &self,
        sums: &BucketSums<G>,
        sorted: &SortedDigits,
        of: &Range<u32>,
    ) -> Result<(Vec<Places>, DeviceBuf<G::Xyzz>), MsmError> {
        let SortedDigits {
            windows, buckets, ..
        } = *sorted;
        let (reducer, layout) = (&self.msm.reducer, &self.plan.layout);
        let places = of.clone().map(|window| layout.place(window));
        let once = |place| vec![place];
        Ok(match (sums, self.plan.reduction) {
            (BucketSums::Xyzz(sums), _) => {
                let points = reducer.reduce(self.stream, sums, windows, buckets)?;
                (places.map(once).collect(), points)
            }
            (BucketSums::Affine(sums), Reduction::Segments) => {
                let points = reducer.reduce_affine(self.stream, sums, windows, buckets)?;
                (places.map(once).collect(), points)
            }
            (BucketSums::Affine(sums), Reduction::Lines) => {
                let shape = LineShape::new(layout, of);
                let (windows, lines) = (2 * windows, shape.lines());
                let sums = self.msm.affine.sum_lines(self.stream, sums, &shape)?;
                let points = reducer.reduce_affine(self.stream, &sums, windows, lines)?;
                // Rows count 2^log_m + 1 times.
                let both = |place| [vec![place], vec![place + shape.log_m(), place]];
                (places.flat_map(both).collect(), points)
            }
        })
    }
}
