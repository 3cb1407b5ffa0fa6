use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use cuzk_device::{DeviceBuf, DeviceResult, Stream};
use group::Group as _;
use group::prime::PrimeCurveAffine as _;

use crate::MsmError;
use crate::group::DeviceGroup;

/// Those of a point, which counts 2^place times for each.
pub(crate) type Places = Vec<u32>;

/// The points of windows that a stream is computing.
///
/// What the work reads is kept until it is done: where nobody waits for the sum, dropping it waits.
pub(crate) struct WindowSums<G: DeviceGroup> {
    stream: Stream,
    groups: Vec<(Vec<Places>, DeviceResult<G::Xyzz>)>,
    /// Nothing once the work is done, or where the stream's order keeps it.
    held: Option<Arc<dyn Any + Send + Sync>>,
}

impl<G: DeviceGroup> WindowSums<G> {
    pub(crate) fn new(stream: &Stream, held: Option<Arc<dyn Any + Send + Sync>>) -> Self {
        Self {
            stream: stream.clone(),
            groups: Vec::new(),
            held,
        }
    }

    /// Adds points with their places, as the work enqueued so far leaves them.
    pub(crate) fn add(
        &mut self,
        places: Vec<Places>,
        points: DeviceBuf<G::Xyzz>,
    ) -> Result<(), MsmError> {
        self.groups.push((places, points.into_result()?));
        Ok(())
    }

    /// Waits, and adds all points up: from the highest place, whose sum is doubled once for each
    /// place to the next.
    pub(crate) fn wait(mut self) -> Result<G::Projective, MsmError> {
        let mut sums = BTreeMap::new();
        for (places, points) in &self.groups {
            let points = G::normalize(&points.download()?);
            for (places, point) in places.iter().zip(points) {
                for place in places {
                    let sum = sums.entry(*place).or_insert_with(G::Projective::identity);
                    *sum += point.to_curve();
                }
            }
        }
        self.held = None;
        let (mut sum, mut place) = (G::Projective::identity(), 0);
        for (next, point) in sums.iter().rev() {
            sum = (*next..place).fold(sum, |sum, _| sum.double()) + point;
            place = *next;
        }
        Ok((0..place).fold(sum, |sum, _| sum.double()))
    }
}

impl<G: DeviceGroup> Drop for WindowSums<G> {
    fn drop(&mut self) {
        if self.held.is_some()
            && let Err(error) = self.stream.synchronize()
        {
            tracing::warn!(%error, "a sum that nobody waited for failed");
        }
    }
}
