use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use cuzk_backend::{Backend, Clock, Detail, Lane, Lap, LapPart, Pending, Stopwatch};
use cuzk_phase::{DeviceClock, DeviceLap, DevicePart, Measure, Phase, Timeline};

/// The clock of a machine, started with the first work of those who share it.
pub(crate) struct MachineClock<B: Backend>(OnceLock<Option<Started<B>>>);

struct Started<B: Backend> {
    clock: Clock<B::Error>,
    at: Instant,
}

/// The work of one proof by the machine's clock.
pub(crate) struct Laps<B: Backend> {
    clock: Arc<MachineClock<B>>,
    /// Its place among the proofs of a call.
    proof: usize,
    running: Vec<RunningLap<B>>,
    /// How many there were.
    ended: usize,
}

/// A stretch of work that is being enqueued.
pub(crate) struct OpenLap<B: Backend> {
    lane: Lane,
    watch: Stopwatch<B::Error>,
    clock: DeviceClock,
    /// Without its times by the machine's clock.
    lap: DeviceLap,
}

/// A stretch of work, perhaps still running.
struct RunningLap<B: Backend> {
    /// Its number among those of the proof.
    index: usize,
    lane: Lane,
    times: Pending<Lap, B::Error>,
    clock: DeviceClock,
    lap: DeviceLap,
}

impl<B: Backend> MachineClock<B> {
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

impl<B: Backend> Laps<B> {
    pub(crate) fn new(clock: Arc<MachineClock<B>>, proof: usize) -> Self {
        Self {
            clock,
            proof,
            running: Vec::new(),
            ended: 0,
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
        let detail = match timeline.measures() {
            Measure::Off => return Ok(None),
            Measure::Phases => Detail::Whole,
            Measure::Full => Detail::Parts,
        };
        let Some(Started { clock, at }) = self.clock.get(backend)? else {
            return Ok(None);
        };
        let now = Instant::now();
        Ok(Some(OpenLap {
            lane,
            watch: clock.stopwatch(lane, detail)?,
            clock: timeline.device_clock(&backend.device(), *at),
            lap: DeviceLap {
                phase,
                proof: self.proof,
                lane: lane.name(),
                parts: Vec::new(),
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
            index: self.ended,
            lane: open.lane,
            times: open.watch.stop()?,
            clock: open.clock,
            lap: DeviceLap {
                all_asked,
                ..open.lap
            },
        });
        self.ended += 1;
        Ok(())
    }

    /// How many stretches have ended on the host.
    pub(crate) fn ended(&self) -> usize {
        self.ended
    }

    /// Waits for the end of each and tells the timeline of it; an error comes with the phase.
    pub(crate) fn tell(&mut self, timeline: &Timeline) -> Result<(), (Phase, B::Error)> {
        self.running
            .drain(..)
            .try_for_each(|lap| lap.tell(timeline))
    }

    /// The same of those among the first `n` that are of a lane: the rest may still be running.
    pub(crate) fn tell_lane(
        &mut self,
        lane: Lane,
        n: usize,
        timeline: &Timeline,
    ) -> Result<(), (Phase, B::Error)> {
        let is_told = |lap: &mut RunningLap<B>| lap.lane == lane && lap.index < n;
        let mut told = self.running.extract_if(.., is_told);
        told.try_for_each(|lap| lap.tell(timeline))
    }
}

impl<B: Backend> RunningLap<B> {
    fn tell(self, timeline: &Timeline) -> Result<(), (Phase, B::Error)> {
        let Lap {
            start,
            elapsed,
            parts,
        } = self.times.wait().map_err(|error| (self.lap.phase, error))?;
        let lap = DeviceLap {
            start,
            elapsed,
            parts: parts.into_iter().map(part).collect(),
            ..self.lap
        };
        timeline.add_lap(self.clock, lap);
        Ok(())
    }
}

fn part(part: LapPart) -> DevicePart {
    let LapPart {
        name,
        beside,
        start,
        elapsed,
    } = part;
    DevicePart {
        name,
        beside,
        start,
        elapsed,
    }
}
