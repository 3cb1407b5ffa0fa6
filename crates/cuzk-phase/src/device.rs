//! Work by a device's own clock, and the place of that clock beside the host's.

use crate::phase::Phase;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The most bytes that a device's buffers have held since it was last asked.
pub type DeviceMemoryProbe = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A device's clock, to which the laps of one call or of one batch belong; see
/// [`Timeline::device_clock`](crate::Timeline::device_clock).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceClock(pub(crate) usize);

/// A stretch of a device's work that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceLap {
    /// The phase.
    pub phase: Phase,
    /// The proof of a batch, counted from 0.
    pub proof: usize,
    /// Which of the device's work it is a part of, in one word.
    pub lane: &'static str,
    /// On the host: before the first of it was enqueued.
    pub asked: Instant,
    /// On the host: when the last of it was enqueued, and not yet its end.
    pub all_asked: Instant,
    /// From the start of the device's clock to that of the work.
    pub start: Duration,
    /// How long the work took, by the device's clock.
    pub elapsed: Duration,
    /// What it was made of; may leave some of it out.
    pub parts: Vec<DevicePart>,
}

/// A named part of a device's stretch of work: a detail, whose time is that of the stretch too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DevicePart {
    /// What was done.
    pub name: &'static str,
    /// The lane that did it beside the stretch's own; nothing for that one.
    pub beside: Option<&'static str>,
    /// From the start of the device's clock to that of the part.
    pub start: Duration,
    /// How long it took, by the device's clock.
    pub elapsed: Duration,
}

/// A lap as it is kept; host times are nanoseconds since the start of the timeline.
#[derive(Debug, Clone)]
pub(crate) struct LapRecord {
    pub(crate) clock: usize,
    pub(crate) phase: Phase,
    pub(crate) proof: usize,
    pub(crate) lane: &'static str,
    pub(crate) parts: Vec<DevicePart>,
    pub(crate) asked_ns: u64,
    pub(crate) all_asked_ns: u64,
    pub(crate) known_ns: u64,
    /// By the device's clock.
    pub(crate) start_ns: u64,
    pub(crate) elapsed_ns: u64,
}

impl LapRecord {
    pub(crate) fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.elapsed_ns)
    }
}

/// What must be added to a device's time for the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    /// With less, some work would have begun before it was asked for.
    pub(crate) low_ns: i64,
    /// With more, some work would have ended after it was known to have.
    pub(crate) high_ns: i64,
}

impl Offset {
    /// The tightest bounds that the laps of one clock give; nothing without a lap.
    ///
    /// Work starts no sooner than it is asked for and ends no sooner than the last of it is, which
    /// bounds the offset from below: tightly where the device stood idle then. It has ended when
    /// the host knows of it, which bounds the offset from above: tightly where the host was waiting.
    pub(crate) fn of<'a>(laps: impl IntoIterator<Item = &'a LapRecord>) -> Option<Self> {
        let signed = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
        laps.into_iter()
            .map(|lap| Self {
                low_ns: (signed(lap.asked_ns) - signed(lap.start_ns))
                    .max(signed(lap.all_asked_ns) - signed(lap.end_ns())),
                high_ns: signed(lap.known_ns) - signed(lap.end_ns()),
            })
            .reduce(|one, other| Self {
                low_ns: one.low_ns.max(other.low_ns),
                high_ns: one.high_ns.min(other.high_ns),
            })
    }

    /// A time of the device's clock by the host's, as late as the bounds allow: a host that waits
    /// is a better witness than a device that may have stood behind the work of others.
    pub(crate) fn host_ns(self, device_ns: u64) -> u64 {
        let device_ns = i64::try_from(device_ns).unwrap_or(i64::MAX);
        u64::try_from(device_ns.saturating_add(self.high_ns)).unwrap_or(0)
    }

    /// How far the bounds are apart; below zero where no offset fits both clocks.
    pub(crate) fn slack_ns(self) -> i64 {
        self.high_ns - self.low_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lap(asked: [u64; 3], device: [u64; 2]) -> LapRecord {
        let [asked_ns, all_asked_ns, known_ns] = asked;
        let [start_ns, end_ns] = device;
        LapRecord {
            clock: 0,
            phase: Phase::Ntt,
            proof: 0,
            lane: "work",
            parts: Vec::new(),
            asked_ns,
            all_asked_ns,
            known_ns,
            start_ns,
            elapsed_ns: end_ns - start_ns,
        }
    }

    #[test]
    fn the_idle_device_and_the_waiting_host_bound_the_offset() {
        // The device's clock starts at 1000 of the host's.
        let laps = [
            // Begins at once, known late.
            lap([1010, 1020, 9000], [10, 500]),
            // Waits behind the first, known as it ends.
            lap([1020, 1030, 1905], [500, 900]),
        ];
        let offset = Offset::of(&laps).expect("two laps");
        assert_eq!((offset.low_ns, offset.high_ns), (1000, 1005));
        assert_eq!(offset.host_ns(500), 1505);
        assert_eq!(offset.slack_ns(), 5);
        assert_eq!(Offset::of(&[]), None);
    }

    #[test]
    fn clocks_that_do_not_agree_leave_no_offset() {
        // 100 ns of the host hold 200 ns of the device.
        let laps = [lap([0, 0, 100], [0, 200])];
        assert_eq!(Offset::of(&laps).map(Offset::slack_ns), Some(-100));
    }
}
