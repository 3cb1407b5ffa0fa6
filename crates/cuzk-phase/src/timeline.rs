//! Recording of phases while a run goes on.

use crate::{
    counters::Counters,
    device::{DeviceClock, DeviceLap, DeviceMemoryProbe, LapRecord},
    interval::Interval,
    measure::Measure,
    memory::peak_rss_with,
    phase::Phase,
    report::{Report, build},
    span::SpanGuard,
    watch::{Probes, Watch},
};
use std::{
    fmt, io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::ThreadId,
    time::{Duration, Instant},
};

/// The phases of one run, recorded as they happen.
///
/// Made when the run starts, shared by reference between threads, and turned into a
/// [`Report`] at its end. Phases may nest, repeat and run side by side in several threads.
/// A span costs at most four readings of clocks and counters and two short locks of this value's
/// own; counters that were read a moment before are not read again, see `Timeline::counters`.
pub struct Timeline {
    start: Instant,
    measure: Measure,
    counters: Option<Counters>,
    /// For how long a reading of them serves.
    serves: Duration,
    /// The last reading, and when it was.
    read: Mutex<Option<(Instant, Counters)>>,
    log: Mutex<Log>,
    probes: Arc<Probes>,
    watch: Mutex<Option<Watch>>,
    stall: Option<Stall>,
}

/// A reading of the system's counters serves for so many times as long as it took: so readings take
/// at most half a percent of a run, whatever they cost on a machine.
const SERVES: u32 = 200;
/// But no longer than this; spans that take longer have readings of their own at their end.
const LONGEST: Duration = Duration::from_millis(1);

/// A phase that waits once, for tests of what compares timelines.
struct Stall {
    phase: Phase,
    time: Duration,
    done: AtomicBool,
}

/// What has been recorded so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) spans: Vec<SpanRecord>,
    pub(crate) bytes: Vec<(Phase, u64)>,
    pub(crate) laps: Vec<LapRecord>,
    pub(crate) clocks: Vec<Clock>,
    /// When devices were asked, and the most bytes that they had held since the time before.
    pub(crate) device_memory: Vec<(u64, u64)>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) backend: String,
    pub(crate) device: String,
}

/// A device's clock, known by when it was started.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    pub(crate) device: String,
    started: Instant,
}

/// A thread that ended a span.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    id: ThreadId,
    pub(crate) name: String,
}

/// One span of a phase.
#[derive(Debug, Clone)]
pub(crate) struct SpanRecord {
    pub(crate) phase: Phase,
    pub(crate) part: Option<&'static str>,
    pub(crate) proof: Option<usize>,
    /// An index of [`Log::threads`].
    pub(crate) thread: usize,
    pub(crate) interval: Interval,
    /// At its start and at its end.
    pub(crate) counters: Option<(Counters, Counters)>,
    pub(crate) bytes: u64,
    pub(crate) peak_rss_bytes: Option<u64>,
    /// When devices were asked for their memory after its end, if they were.
    pub(crate) memory_read_ns: Option<u64>,
    pub(crate) place: Option<String>,
}

/// What is known of a whole run when its report is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) total_ns: u64,
    pub(crate) counters: Option<Counters>,
    pub(crate) peak_rss_bytes: Option<u64>,
}

impl Timeline {
    /// Starts the clock of a run.
    #[must_use]
    pub fn start() -> Self {
        Self::measuring(Measure::default())
    }

    /// The same, measuring no more than this.
    #[must_use]
    pub fn measuring(measure: Measure) -> Self {
        let start = Instant::now();
        let counters = Counters::now();
        Self {
            start,
            measure,
            counters,
            serves: start
                .elapsed()
                .checked_mul(SERVES)
                .unwrap_or(LONGEST)
                .min(LONGEST),
            read: Mutex::default(),
            log: Mutex::default(),
            probes: Arc::default(),
            watch: Mutex::default(),
            stall: None,
        }
    }

    /// How much is measured.
    #[must_use]
    pub fn measures(&self) -> Measure {
        self.measure
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

    /// Samples memory and page faults at this interval, in a thread of its own, until the run
    /// ends; a second call begins anew.
    ///
    /// The memory for samples is bounded: in a long run every second one is let go and the
    /// interval doubles; peaks are kept.
    ///
    /// # Errors
    /// Those of the system where it starts no thread.
    pub fn watch(&self, interval: Duration) -> io::Result<()> {
        let watch = Watch::start(self.start, interval, Arc::clone(&self.probes))?;
        *lock(&self.watch) = Some(watch);
        Ok(())
    }

    /// Says which backend and device the run uses; the last word counts.
    pub fn ran_on(&self, backend: &str, device: &str) {
        let mut log = self.log();
        backend.clone_into(&mut log.backend);
        device.clone_into(&mut log.device);
    }

    /// Asks this device for its memory at every edge of a span from here on. A device that is
    /// named again is asked once.
    pub fn ask_device_memory(&self, device: &str, probe: DeviceMemoryProbe) {
        if self.measure == Measure::Off {
            return;
        }
        self.probes.add(device, probe);
    }

    /// A device's clock whose laps are told to this timeline, by when it was started: the same
    /// again for the same device and start, so that several who share a clock share its lane.
    pub fn device_clock(&self, device: &str, started: Instant) -> DeviceClock {
        let mut log = self.log();
        let is_it = |clock: &Clock| clock.device == device && clock.started == started;
        let known = log.clocks.iter().position(is_it);
        DeviceClock(known.unwrap_or_else(|| {
            let device = device.to_owned();
            log.clocks.push(Clock { device, started });
            log.clocks.len() - 1
        }))
    }

    /// Adds a stretch of a device's work that is known to have ended: by now.
    pub fn add_lap(&self, clock: DeviceClock, lap: DeviceLap) {
        let known_ns = self.nanoseconds(Instant::now());
        self.log().laps.push(LapRecord {
            clock: clock.0,
            phase: lap.phase,
            proof: lap.proof,
            lane: lap.lane,
            parts: lap.parts,
            asked_ns: self.nanoseconds(lap.asked),
            all_asked_ns: self.nanoseconds(lap.all_asked),
            known_ns,
            start_ns: nanoseconds(lap.start),
            elapsed_ns: nanoseconds(lap.elapsed),
        });
    }

    /// Opens a phase, which ends when the guard is dropped (also by a panic).
    ///
    /// The guard belongs to its thread, because it has entered a `tracing` span there.
    pub fn span(&self, phase: Phase) -> SpanGuard<'_> {
        let span = SpanGuard::open(self, phase, None);
        if let Some(stall) = self.stall.as_ref().filter(|stall| stall.phase == phase)
            && !stall.done.swap(true, Ordering::Relaxed)
        {
            std::thread::sleep(stall.time);
        }
        span
    }

    /// Runs `work` as one span of `phase`.
    pub fn measure<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let _span = self.span(phase);
        work()
    }

    /// Adds the stretch from `start` until now to a phase, for what no one thread saw from its
    /// beginning to its end, such as waiting in a queue.
    pub fn add_since(&self, phase: Phase, start: Instant) {
        if self.measure == Measure::Off {
            return;
        }
        self.add_span(SpanRecord {
            phase,
            part: None,
            proof: None,
            thread: 0,
            interval: Interval {
                start_ns: self.nanoseconds(start),
                end_ns: self.nanoseconds(Instant::now()),
            },
            counters: None,
            bytes: 0,
            peak_rss_bytes: None,
            memory_read_ns: None,
            place: None,
        });
    }

    /// Adds bytes moved to a phase, from any thread.
    pub fn add_bytes(&self, phase: Phase, bytes: u64) {
        if self.measure == Measure::Off {
            return;
        }
        self.log().bytes.push((phase, bytes));
    }

    /// Ends the run.
    #[must_use]
    pub fn finish(self) -> Report {
        self.report(std::mem::take)
    }

    /// The report of what has ended so far, with the time until now as the total.
    ///
    /// Phases that are still open are missing from it and so count as unaccounted.
    #[must_use]
    pub fn snapshot(&self) -> Report {
        self.report(|log| log.clone())
    }

    fn report(&self, read: impl FnOnce(&mut Log) -> Log) -> Report {
        let now = Counters::now();
        let counters = self.counters.and_then(|start| Some(now?.since(start)));
        let is_measured = self.measure > Measure::Off;
        let peak_rss_bytes = now.and_then(|now| peak_rss_with(now, is_measured));
        let samples = lock(&self.watch).as_ref().map(Watch::samples);
        let log = read(&mut self.log());
        let run = Run {
            // Read after the lock was held, so that no recorded interval ends after the total.
            total_ns: self.nanoseconds(Instant::now()),
            counters,
            peak_rss_bytes,
        };
        build(&log, run, samples.as_ref())
    }

    pub(crate) fn add_span(&self, span: SpanRecord) {
        let mut log = self.log();
        let thread = log.thread();
        log.spans.push(SpanRecord { thread, ..span });
    }

    /// The system's counters at this moment, or those of a moment before; `open_for` is how long a
    /// span that ends now was open.
    pub(crate) fn counters(&self, now: Instant, open_for: Duration) -> Option<Counters> {
        let mut read = lock(&self.read);
        if let Some((at, counters)) = *read
            && open_for < LONGEST
            && now.saturating_duration_since(at) < self.serves
        {
            return Some(counters);
        }
        let counters = Counters::now()?;
        *read = Some((now, counters));
        Some(counters)
    }

    /// Asks the devices, if there are any, and says when that was.
    pub(crate) fn read_device_memory(&self) -> Option<u64> {
        let bytes = self.probes.most_bytes()?;
        let at_ns = self.nanoseconds(Instant::now());
        self.log().device_memory.push((at_ns, bytes));
        Some(at_ns)
    }

    pub(crate) fn nanoseconds(&self, at: Instant) -> u64 {
        nanoseconds(at.saturating_duration_since(self.start))
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spans = self.log().spans.len();
        f.debug_struct("Timeline")
            .field("start", &self.start)
            .field("spans", &spans)
            .finish_non_exhaustive()
    }
}

impl Log {
    /// The index of this thread, which is added if it is new.
    fn thread(&mut self) -> usize {
        let current = std::thread::current();
        let known = self.threads.iter().position(|t| t.id == current.id());
        known.unwrap_or_else(|| {
            let name = current.name().unwrap_or("unnamed").to_owned();
            self.threads.push(Thread {
                id: current.id(),
                name,
            });
            self.threads.len() - 1
        })
    }
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A panic while a lock is held leaves at worst one record out, so poison is ignored.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
