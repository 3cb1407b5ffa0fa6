use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use cuzk_device::{DeviceBuf, Stream};
use group::Group as _;
use group::prime::PrimeCurveAffine as _;

use crate::MsmError;
use crate::digits::WindowLayout;
use crate::group::DeviceGroup;

/// The points of windows that a stream is computing.
///
/// What the work reads is kept until it is done: where nobody waits for the sum, dropping it waits.
pub(crate) struct WindowSums<G: DeviceGroup> {
    stream: Stream,
    layout: WindowLayout,
    groups: Vec<(Range<u32>, DeviceBuf<G::Xyzz>)>,
    /// Nothing once the work is done.
    held: Option<Arc<dyn Any + Send + Sync>>,
}

impl<G: DeviceGroup> WindowSums<G> {
    pub(crate) fn new(
        stream: &Stream,
        layout: WindowLayout,
        held: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        Self {
            stream: stream.clone(),
            layout,
            groups: Vec::new(),
            held: Some(held),
        }
    }

    /// Adds the points of some windows; a window may come several times.
    pub(crate) fn add(&mut self, windows: Range<u32>, points: DeviceBuf<G::Xyzz>) {
        self.groups.push((windows, points));
    }

    /// Waits, and adds the windows up: from the highest, which is doubled once for each bit of
    /// the next and added to it.
    pub(crate) fn wait(mut self) -> Result<G::Projective, MsmError> {
        let mut sums = vec![G::Projective::identity(); self.layout.windows() as usize];
        for (windows, points) in &self.groups {
            let points = G::normalize(&points.download()?);
            for (window, point) in windows.clone().zip(points) {
                sums[window as usize] += point.to_curve();
            }
        }
        self.held = None;
        let windows = (0..self.layout.windows()).zip(&sums).rev();
        Ok(
            windows.fold(G::Projective::identity(), |sum, (window, point)| {
                let doubled = (0..self.layout.width(window)).fold(sum, |sum, _| sum.double());
                doubled + point
            }),
        )
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
