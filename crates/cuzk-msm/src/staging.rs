use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use cuzk_backend::SharedBases;
use cuzk_device::{DeviceBuf, DeviceSlice, Event, Stream, Timing};

use crate::MsmError;
use crate::group::DeviceGroup;

/// Where a sum takes its points from.
pub(crate) enum Source<'a, G: DeviceGroup> {
    Resident(&'a DeviceBuf<G::Limbs>),
    Staged(Staging<G>),
}

/// Two places on the device for chunks of points from the host: one is filled while the other is
/// read.
pub(crate) struct Staging<G: DeviceGroup> {
    places: [Place<G>; 2],
    /// Which of them was filled last.
    current: usize,
    copies: Copies<G>,
    stream: Stream,
}

struct Place<G: DeviceGroup> {
    points: DeviceBuf<G::Limbs>,
    filled: Event,
    /// Nobody reads it after this.
    read: Event,
    /// Whether it is filled in no order with the stream that reads.
    loose: bool,
}

/// The stream that copies, and what it copies from.
#[derive(Clone)]
struct Copies<G: DeviceGroup> {
    inner: Arc<CopiesInner<G>>,
}

struct CopiesInner<G: DeviceGroup> {
    stream: Stream,
    points: SharedBases<G>,
}

impl<G: DeviceGroup> Drop for CopiesInner<G> {
    fn drop(&mut self) {
        // The points, and the places that are filled, are used until then.
        if let Err(error) = self.stream.synchronize() {
            tracing::warn!(%error, "a copy of points that nobody waited for failed");
        }
    }
}

impl<G: DeviceGroup> Staging<G> {
    /// Places for chunks that work of the stream reads.
    pub(crate) fn new(
        stream: &Stream,
        points: &SharedBases<G>,
        chunk: usize,
    ) -> Result<Self, MsmError> {
        let device = stream.device();
        let place = || -> Result<Place<G>, MsmError> {
            let place = Place {
                points: stream.alloc(chunk.min(points.len()))?,
                filled: device.new_event(Timing::Disabled)?,
                read: device.new_event(Timing::Disabled)?,
                loose: false,
            };
            stream.record(&place.read)?;
            Ok(place)
        };
        let places = [place()?, place()?];
        let inner = CopiesInner {
            stream: device.new_stream()?,
            points: points.clone(),
        };
        Ok(Self {
            places,
            current: 1,
            copies: Copies {
                inner: Arc::new(inner),
            },
            stream: stream.clone(),
        })
    }

    /// What must stay until the stream's work is done.
    pub(crate) fn held(&self) -> Arc<dyn Any + Send + Sync> {
        self.copies.inner.clone()
    }

    /// Enqueues the copy of a chunk; pageable memory is copied before this returns.
    fn bring(&mut self, chunk: &Range<usize>) -> Result<(), MsmError> {
        self.current = 1 - self.current;
        let place = &mut self.places[self.current];
        let CopiesInner { stream, points } = &*self.copies.inner;
        stream.wait_for(&place.read)?;
        let from = &G::as_limbs(points)[chunk.clone()];
        let mut to = place.points.as_mut_slice();
        place.loose = true;
        // SAFETY: the points are shared, so that nobody changes them, and they are held until the
        // stream has done the copy.
        unsafe { to.part(0..from.len())?.copy_from_host_async(stream, from) }?;
        stream.record(&place.filled)?;
        Ok(())
    }

    fn points(&mut self, len: usize) -> Result<DeviceSlice<'_, G::Limbs>, MsmError> {
        let place = &mut self.places[self.current];
        self.stream.wait_for(&place.filled)?;
        place.loose = false;
        Ok(place.points.as_slice().part(0..len)?)
    }

    fn done_with(&self) -> Result<(), MsmError> {
        Ok(self.stream.record(&self.places[self.current].read)?)
    }
}

impl<G: DeviceGroup> Drop for Staging<G> {
    fn drop(&mut self) {
        // The places go back in the order of the stream that reads them.
        if self.places.iter().any(|place| place.loose)
            && let Err(error) = self.copies.inner.stream.synchronize()
        {
            tracing::warn!(%error, "a copy of points that nobody waited for failed");
        }
    }
}

impl<G: DeviceGroup> Source<'_, G> {
    /// Begins to bring a chunk.
    pub(crate) fn bring(&mut self, chunk: &Range<usize>) -> Result<(), MsmError> {
        match self {
            Self::Resident(_) => Ok(()),
            Self::Staged(staging) => staging.bring(chunk),
        }
    }

    /// The points of the chunk that was brought, for work of the stream after this.
    pub(crate) fn points(
        &mut self,
        chunk: &Range<usize>,
        n: usize,
    ) -> Result<DeviceSlice<'_, G::Limbs>, MsmError> {
        match self {
            // Tables of multiples stand behind the bases.
            Self::Resident(points) if chunk.len() == n => Ok(points.as_slice()),
            Self::Resident(points) => Ok(points.as_slice().part(chunk.clone())?),
            Self::Staged(staging) => staging.points(chunk.len()),
        }
    }

    /// Later work does not read the chunk.
    pub(crate) fn done_with(&self) -> Result<(), MsmError> {
        match self {
            Self::Resident(_) => Ok(()),
            Self::Staged(staging) => staging.done_with(),
        }
    }
}
