//! An open phase, or a named part of one.

use crate::{
    counters::Counters,
    interval::Interval,
    measure::Measure,
    memory::peak_rss_with,
    phase::Phase,
    timeline::{SpanRecord, Timeline},
};
use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

/// Spans shorter than this do not ask the system for peak memory where its counters have none: the
/// question costs some 20 µs, and too few pages can be touched in so short a time to matter.
const PEAK_MEMORY_FROM: Duration = Duration::from_millis(10);

/// An open phase; see [`Timeline::span`].
#[derive(Debug)]
#[must_use = "a phase ends when its guard is dropped"]
pub struct SpanGuard<'a> {
    timeline: &'a Timeline,
    phase: Phase,
    part: Option<&'static str>,
    proof: Cell<Option<usize>>,
    span: tracing::span::EnteredSpan,
    bytes: Cell<u64>,
    place: RefCell<Option<String>>,
    counters: Option<Counters>,
    start: Instant,
}

impl<'a> SpanGuard<'a> {
    pub(crate) fn open(timeline: &'a Timeline, phase: Phase, part: Option<&'static str>) -> Self {
        let span = match part {
            None => phase.tracing_span(),
            Some(part) => tracing::debug_span!("part", phase = phase.name(), part),
        };
        let is_measured = timeline.measures() > Measure::Off;
        let start = Instant::now();
        if is_measured {
            timeline.read_device_memory();
        }
        // A part has none of its own.
        let counts = is_measured && part.is_none();
        Self {
            timeline,
            phase,
            part,
            proof: Cell::new(None),
            span: span.entered(),
            bytes: Cell::new(0),
            place: RefCell::new(None),
            counters: counts
                .then(|| timeline.counters(start, Duration::ZERO))
                .flatten(),
            start,
        }
    }

    /// Opens a named part of this phase, which ends when its guard is dropped.
    ///
    /// Parts are details of the phase: they do not add to its time, and what they leave of it is
    /// reported.
    pub fn part(&self, name: &'static str) -> SpanGuard<'a> {
        let part = Self::open(self.timeline, self.phase, Some(name));
        part.proof.set(self.proof.get());
        part
    }

    /// Says to which proof of a batch this belongs, counted from 0.
    pub fn of_proof(self, index: usize) -> Self {
        self.proof.set(Some(index));
        self
    }

    /// Adds bytes moved by this phase.
    pub fn bytes(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        self.span.record("bytes", self.bytes.get());
    }

    /// Notes the number of elements in the `tracing` span.
    pub fn elements(&self, n: usize) {
        self.span.record("n", n as u64);
    }

    /// Says that this phase ran elsewhere than the run as a whole, for example on the CPU
    /// when the device had no room.
    pub fn ran_on(&self, backend: &str) {
        *self.place.borrow_mut() = Some(backend.to_owned());
    }
}

impl Drop for SpanGuard<'_> {
    fn drop(&mut self) {
        if self.timeline.measures() == Measure::Off {
            return;
        }
        let end = Instant::now();
        let open_for = end.saturating_duration_since(self.start);
        let counters = self
            .counters
            .and_then(|start| Some((start, self.timeline.counters(end, open_for)?)));
        let long = open_for >= PEAK_MEMORY_FROM;
        let memory_read_ns = self.timeline.read_device_memory();
        self.timeline.add_span(SpanRecord {
            phase: self.phase,
            part: self.part,
            proof: self.proof.get(),
            thread: 0,
            interval: Interval {
                start_ns: self.timeline.nanoseconds(self.start),
                end_ns: self.timeline.nanoseconds(end),
            },
            counters,
            bytes: self.bytes.get(),
            peak_rss_bytes: counters.and_then(|(_, end)| peak_rss_with(end, long)),
            memory_read_ns,
            place: self.place.take(),
        });
    }
}
