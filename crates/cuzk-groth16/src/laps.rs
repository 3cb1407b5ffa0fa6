use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use cuzk_backend::{Clock, Lane, Lap, Pending, ProverBackend, Stopwatch};
use cuzk_phase::{DeviceClock, DeviceLap, Phase, Timeline};

use crate::ProveError;

/// The clock of a machine, started with the first work of those who share it.
pub(crate) struct MachineClock<B: ProverBackend>(OnceLock<Option<Started<B>>>);

struct Started<B: ProverBackend> {
    clock: Clock<B::Error>,
    at: Instant,
}

/// The work of one proof by the machine's clock.
pub(crate) struct Laps<B: ProverBackend> {
    clock: Arc<MachineClock<B>>,
    /// Its place among the proofs of a call.
    proof: usize,
    running: Vec<RunningLap<B>>,
}

/// A stretch of work that is being enqueued.
pub(crate) struct OpenLap<B: ProverBackend> {
    watch: Stopwatch<B::Error>,
    clock: DeviceClock,
    /// Without its times by the machine's clock.
    lap: DeviceLap,
}

/// A stretch of work, perhaps still running.
struct RunningLap<B: ProverBackend> {
    times: Pending<Lap, B::Error>,
    clock: DeviceClock,
    lap: DeviceLap,
}

impl<B: ProverBackend> MachineClock<B> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(OnceLock::new()))
    }

    /// The clock, if the machine has one; where it could not be started, the next who asks tries
    /// again.
    fn get(&self, backend: &B) -> Result<Option<&Started<B>>, B::Error> {
        if self.0.get().is_none() {
            let clock = backend.clock()?;
            let at = Instant::now();
            self.0.get_or_init(|| Some(Started { clock: clock?, at }));
        }
        Ok(self.0.get().and_then(Option::as_ref))
    }
}

impl<B: ProverBackend> Laps<B> {
    pub(crate) fn new(clock: Arc<MachineClock<B>>, proof: usize) -> Self {
        Self {
            clock,
            proof,
            running: Vec::new(),
        }
    }

    pub(crate) fn proof(&self) -> usize {
        self.proof
    }

    /// Measures what is enqueued from here on, where the machine has a clock.
    pub(crate) fn begin(
        &self,
        phase: Phase,
        lane: Lane,
        backend: &B,
        timeline: &Timeline,
    ) -> Result<Option<OpenLap<B>>, B::Error> {
        let Some(Started { clock, at }) = self.clock.get(backend)? else {
            return Ok(None);
        };
        let now = Instant::now();
        Ok(Some(OpenLap {
            watch: clock.stopwatch(lane)?,
            clock: timeline.device_clock(&backend.device(), *at),
            lap: DeviceLap {
                phase,
                proof: self.proof,
                asked: now,
                all_asked: now,
                start: Duration::ZERO,
                elapsed: Duration::ZERO,
            },
        }))
    }

    /// Ends a stretch with what is enqueued by now.
    pub(crate) fn end(&mut self, open: OpenLap<B>) -> Result<(), B::Error> {
        let all_asked = Instant::now();
        self.running.push(RunningLap {
            times: open.watch.stop()?,
            clock: open.clock,
            lap: DeviceLap {
                all_asked,
                ..open.lap
            },
        });
        Ok(())
    }

    /// Waits for the end of each and tells the timeline of it.
    pub(crate) fn tell(&mut self, timeline: &Timeline) -> Result<(), ProveError> {
        for RunningLap { times, clock, lap } in self.running.drain(..) {
            let Lap { start, elapsed } = times.wait().map_err(ProveError::backend(lap.phase))?;
            let lap = DeviceLap {
                start,
                elapsed,
                ..lap
            };
            timeline.add_lap(clock, lap);
        }
        Ok(())
    }
}
