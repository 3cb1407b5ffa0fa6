//! Recording of phases while a run goes on.

use crate::{
    interval::Interval,
    memory::peak_rss_bytes,
    phase::Phase,
    report::{self, Report},
};
use std::{
    cell::{Cell, RefCell},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Spans shorter than this do not ask the system for peak memory: the question costs some
/// 20 µs, and too few pages can be touched in so short a time to matter.
const PEAK_MEMORY_FROM: Duration = Duration::from_millis(1);

/// The phases of one run, recorded as they happen.
///
/// Made when the run starts, shared by reference between threads, and turned into a
/// [`Report`] at its end. Phases may nest, repeat and run side by side in several threads.
/// A span costs two clock readings and one short lock of this value's own.
#[derive(Debug)]
pub struct Timeline {
    start: Instant,
    log: Mutex<Log>,
    stall: Option<Stall>,
}

/// A phase that waits once, for tests of what compares timelines.
#[derive(Debug)]
struct Stall {
    phase: Phase,
    time: Duration,
    done: AtomicBool,
}

/// What has been recorded so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) records: Vec<Record>,
    pub(crate) backend: String,
    pub(crate) device: String,
}

/// One contribution to a phase: a span, or an amount reported from elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) phase: Phase,
    pub(crate) interval: Option<Interval>,
    pub(crate) bytes: u64,
    pub(crate) device: Option<Duration>,
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) place: Option<String>,
}

impl Record {
    fn of(phase: Phase) -> Self {
        Self {
            phase,
            interval: None,
            bytes: 0,
            device: None,
            peak_rss_bytes: None,
            place: None,
        }
    }
}

impl Timeline {
    /// Starts the clock of a run.
    #[must_use]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            log: Mutex::default(),
            stall: None,
        }
    }

    /// A timeline whose first span of a phase waits for so long before it lets its work begin:
    /// for tests of what compares timelines, which have to name that phase and that time.
    #[doc(hidden)]
    #[must_use]
    pub fn stalling(phase: Phase, time: Duration) -> Self {
        Self {
            stall: Some(Stall {
                phase,
                time,
                done: AtomicBool::new(false),
            }),
            ..Self::start()
        }
    }

    /// Says which backend and device the run uses; the last word counts.
    pub fn ran_on(&self, backend: &str, device: &str) {
        let mut log = self.log();
        backend.clone_into(&mut log.backend);
        device.clone_into(&mut log.device);
    }

    /// Opens a phase, which ends when the guard is dropped (also by a panic).
    ///
    /// The guard belongs to its thread, because it has entered a `tracing` span there.
    pub fn span(&self, phase: Phase) -> SpanGuard<'_> {
        let span = phase.tracing_span().entered();
        let start = Instant::now();
        if let Some(stall) = self.stall.as_ref().filter(|stall| stall.phase == phase)
            && !stall.done.swap(true, Ordering::Relaxed)
        {
            std::thread::sleep(stall.time);
        }
        SpanGuard {
            timeline: self,
            phase,
            span,
            bytes: Cell::new(0),
            device: Cell::new(None),
            place: RefCell::new(None),
            start,
        }
    }

    /// Runs `work` as one span of `phase`.
    pub fn measure<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let _span = self.span(phase);
        work()
    }

    /// Adds the stretch from `start` until now to a phase, for what no one thread saw from its
    /// beginning to its end, such as waiting in a queue.
    pub fn add_since(&self, phase: Phase, start: Instant) {
        let interval = Interval {
            start_ns: self.nanoseconds(start),
            end_ns: self.nanoseconds(Instant::now()),
        };
        self.log().records.push(Record {
            interval: Some(interval),
            ..Record::of(phase)
        });
    }

    /// Adds bytes moved to a phase, from any thread.
    pub fn add_bytes(&self, phase: Phase, bytes: u64) {
        self.log().records.push(Record {
            bytes,
            ..Record::of(phase)
        });
    }

    /// Adds time that a device spent on a phase, from any thread, for example when its events
    /// are read after the phase has ended on the host.
    pub fn add_device_elapsed(&self, phase: Phase, elapsed: Duration) {
        self.log().records.push(Record {
            device: Some(elapsed),
            ..Record::of(phase)
        });
    }

    /// Ends the run.
    #[must_use]
    pub fn finish(self) -> Report {
        self.snapshot()
    }

    /// The report of what has ended so far, with the time until now as the total.
    ///
    /// Phases that are still open are missing from it and so count as unaccounted.
    #[must_use]
    pub fn snapshot(&self) -> Report {
        let log = self.log().clone();
        // Read after the lock is held, so that no recorded interval ends after the total.
        report::build(&log, self.nanoseconds(Instant::now()), peak_rss_bytes())
    }

    fn nanoseconds(&self, at: Instant) -> u64 {
        let elapsed = at.saturating_duration_since(self.start);
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }

    /// A panic while the lock is held leaves at worst one record out, so poison is ignored.
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open phase; see [`Timeline::span`].
#[derive(Debug)]
#[must_use = "a phase ends when its guard is dropped"]
pub struct SpanGuard<'a> {
    timeline: &'a Timeline,
    phase: Phase,
    span: tracing::span::EnteredSpan,
    bytes: Cell<u64>,
    device: Cell<Option<Duration>>,
    place: RefCell<Option<String>>,
    start: Instant,
}

impl SpanGuard<'_> {
    /// Adds bytes moved by this phase.
    pub fn bytes(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        self.span.record("bytes", self.bytes.get());
    }

    /// Adds time that a device spent on this phase, by the device's own clock.
    pub fn device_elapsed(&self, elapsed: Duration) {
        let sum = self
            .device
            .get()
            .unwrap_or_default()
            .saturating_add(elapsed);
        self.device.set(Some(sum));
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
        let end = Instant::now();
        let long = end.saturating_duration_since(self.start) >= PEAK_MEMORY_FROM;
        let record = Record {
            phase: self.phase,
            interval: Some(Interval {
                start_ns: self.timeline.nanoseconds(self.start),
                end_ns: self.timeline.nanoseconds(end),
            }),
            bytes: self.bytes.get(),
            device: self.device.get(),
            peak_rss_bytes: if long { peak_rss_bytes() } else { None },
            place: self.place.take(),
        };
        self.timeline.log().records.push(record);
    }
}
