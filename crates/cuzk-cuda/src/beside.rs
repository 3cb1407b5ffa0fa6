//! Streams for the sums over a witness, beside the backend's own.

use std::sync::atomic::{AtomicU8, Ordering};

use cuzk_backend::QueryName;
use cuzk_device::{Device, DeviceError, Stream, Timing};

/// A stream for each query of a witness.
///
/// Their sums are short steps in a row that leave most of a device idle. They come first where
/// there is room, since nothing else waits for as long.
#[derive(Debug)]
pub(crate) struct SideStreams([Stream; 4]);

/// The side streams on which sums of a split were enqueued.
///
/// Later work of the backend's own stream comes after them once this is dropped, and so does the
/// end of what they read there.
#[derive(Debug)]
pub(crate) struct Beside {
    work: Stream,
    sides: SideStreams,
    used: AtomicU8,
}

impl SideStreams {
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        let side = || device.new_urgent_stream();
        Ok(Self([side()?, side()?, side()?, side()?]))
    }

    /// The stream of a query; the H query has none.
    pub(crate) fn of(&self, query: QueryName) -> Option<&Stream> {
        self.0.get(place(query)?)
    }

    /// Their later work comes after the work so far of another stream, which they are beside until
    /// the result is dropped.
    pub(crate) fn fork(&self, work: &Stream) -> Result<Beside, DeviceError> {
        let reached = work.device().new_event(Timing::Disabled)?;
        work.record(&reached)?;
        for side in &self.0 {
            side.wait_for(&reached)?;
        }
        Ok(Beside {
            work: work.clone(),
            sides: self.clone(),
            used: AtomicU8::new(0),
        })
    }

    pub(crate) fn synchronize(&self) -> Result<(), DeviceError> {
        self.0.iter().try_for_each(Stream::synchronize)
    }
}

impl Clone for SideStreams {
    fn clone(&self) -> Self {
        Self(self.0.each_ref().map(Stream::clone))
    }
}

impl Beside {
    /// The stream of a query, for work that may read what was there before the fork.
    pub(crate) fn stream(&self, query: QueryName) -> Option<&Stream> {
        let place = place(query)?;
        self.used.fetch_or(1 << place, Ordering::Relaxed);
        self.sides.0.get(place)
    }

    fn join(&self, side: &Stream) -> Result<(), DeviceError> {
        let reached = side.device().new_event(Timing::Disabled)?;
        side.record(&reached)?;
        self.work.wait_for(&reached)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let used = *self.used.get_mut();
        let sides = self.sides.0.iter().enumerate();
        for (_, side) in sides.filter(|(place, _)| used >> place & 1 == 1) {
            // What is freed after this was in use there.
            if let Err(error) = self.join(side).or_else(|_| side.synchronize()) {
                tracing::warn!(%error, "work beside the others failed");
            }
        }
    }
}

fn place(query: QueryName) -> Option<usize> {
    match query {
        QueryName::H => None,
        QueryName::L => Some(0),
        QueryName::A => Some(1),
        QueryName::BG1 => Some(2),
        QueryName::BG2 => Some(3),
    }
}
