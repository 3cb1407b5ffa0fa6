//! What comes from the host while sums are made.
//!
//! Copies are made on a stream of their own and waited for: so they take the time in which the
//! device works on what came before, and nothing of the host is read any more when a call returns.

use std::ops::Range;

use bytemuck::Pod;
use cuzk_curve::FrLimbs;
use cuzk_device::{DeviceBuf, DeviceError, DeviceSlice, Event, Stream, Timing};

use crate::MsmError;
use crate::group::DeviceGroup;

/// The stream of the copies, as whoever watches the sums' stream is told of it.
const COPIES: &str = "copies";

/// Two places on the device for chunks of points from the host: one is filled while the other is
/// read.
pub(crate) struct Staging<G: DeviceGroup> {
    places: [Place<G>; 2],
    /// Which of them is filled next.
    next: usize,
    stream: Stream,
    copies: Stream,
}

struct Place<G: DeviceGroup> {
    points: DeviceBuf<G::Limbs>,
    /// Nobody reads it after this.
    read: Event,
}

/// The scalars of sums.
pub(crate) enum Scalars<'a> {
    Resident(&'a [&'a DeviceBuf<FrLimbs>]),
    FromHost(HostScalars<'a>),
}

/// One vector that comes from the host.
pub(crate) struct HostScalars<'a> {
    values: &'a [FrLimbs],
    there: DeviceBuf<FrLimbs>,
    /// How many of them are there.
    copied: usize,
    copies: Stream,
}

impl<G: DeviceGroup> Staging<G> {
    /// Places for so many points, which work of the stream reads.
    pub(crate) fn new(
        stream: &Stream,
        copies: &Stream,
        lens: [usize; 2],
    ) -> Result<Self, MsmError> {
        let place = |len: usize| -> Result<Place<G>, MsmError> {
            let place = Place {
                points: alloc_to_fill(stream, copies, len)?,
                read: stream.device().new_event(Timing::Disabled)?,
            };
            stream.record(&place.read)?;
            Ok(place)
        };
        Ok(Self {
            places: [place(lens[0])?, place(lens[1])?],
            next: 0,
            stream: stream.clone(),
            copies: copies.clone(),
        })
    }

    /// Copies a chunk, for work of the stream after this.
    pub(crate) fn bring(
        &mut self,
        chunk: &[G::Limbs],
    ) -> Result<DeviceSlice<'_, G::Limbs>, MsmError> {
        let place = &mut self.places[self.next];
        self.copies.wait_for(&place.read)?;
        let copy = self.stream.part_beside(&self.copies, COPIES, "points")?;
        let mut points = place.points.as_mut_slice();
        points
            .part(0..chunk.len())?
            .copy_from_host(&self.copies, chunk)?;
        copy.end()?;
        Ok(place.points.as_slice().part(0..chunk.len())?)
    }

    /// Later work does not read the chunk that was brought last.
    pub(crate) fn done_with(&mut self) -> Result<(), MsmError> {
        self.stream.record(&self.places[self.next].read)?;
        self.next = 1 - self.next;
        Ok(())
    }
}

impl<'a> Scalars<'a> {
    /// Those of the host, which work of the stream reads.
    pub(crate) fn from_host(
        stream: &Stream,
        copies: &Stream,
        values: &'a [FrLimbs],
    ) -> Result<Self, MsmError> {
        Ok(Self::FromHost(HostScalars {
            values,
            there: alloc_to_fill(stream, copies, values.len())?,
            copied: 0,
            copies: copies.clone(),
        }))
    }

    /// How many vectors there are.
    pub(crate) fn vectors(&self) -> usize {
        match self {
            Self::Resident(vectors) => vectors.len(),
            Self::FromHost(_) => 1,
        }
    }

    /// Scalars in each.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Resident(vectors) => vectors.first().map_or(0, |vector| vector.len()),
            Self::FromHost(scalars) => scalars.values.len(),
        }
    }

    /// Copies the scalars up to the end of a chunk that are not there yet, for work of the stream
    /// after this.
    pub(crate) fn bring(&mut self, chunk: &Range<usize>) -> Result<(), MsmError> {
        if let Self::FromHost(scalars) = self
            && scalars.copied < chunk.end
        {
            let range = scalars.copied..chunk.end;
            let values = &scalars.values[range.clone()];
            let mut there = scalars.there.as_mut_slice();
            there.part(range)?.copy_from_host(&scalars.copies, values)?;
            scalars.copied = chunk.end;
        }
        Ok(())
    }

    /// The scalars of a chunk.
    pub(crate) fn part(
        &self,
        vector: usize,
        chunk: &Range<usize>,
    ) -> Result<DeviceSlice<'_, FrLimbs>, MsmError> {
        let scalars = match self {
            Self::Resident(vectors) => vectors[vector],
            Self::FromHost(scalars) => &scalars.there,
        };
        Ok(scalars.as_slice().part(chunk.clone())?)
    }
}

/// Memory of the stream that is there for `copies` at once, whatever the stream still does.
fn alloc_to_fill<T: Pod>(
    stream: &Stream,
    copies: &Stream,
    len: usize,
) -> Result<DeviceBuf<T>, DeviceError> {
    let mut buffer = copies.alloc(len)?;
    buffer.move_to(stream)?;
    Ok(buffer)
}
