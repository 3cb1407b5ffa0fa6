//! Pairs of clocks that should agree.

use super::{ClockReport, PhaseReport, percent};
use serde::Serialize;
use std::{fmt, time::Duration};

use super::json::milliseconds;

/// A smaller gap between two clocks, in percent of the longer time, is none.
const GAP_PERCENT: f64 = 2.0;
/// A gap that is a smaller part of the whole run, in percent, explains nothing of it.
const GAP_OF_RUN_PERCENT: f64 = 0.1;

/// Two clocks that should agree and do not; neither is corrected by the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What both have measured.
    pub what: String,
    /// What the one clock counts.
    pub outer: String,
    /// Its time.
    #[serde(rename = "outer_ms", serialize_with = "milliseconds")]
    pub outer_time: Duration,
    /// What the other clock counts.
    pub inner: String,
    /// Its time.
    #[serde(rename = "inner_ms", serialize_with = "milliseconds")]
    pub inner_time: Duration,
    /// Their difference, in percent of the longer time.
    pub gap_percent: f64,
}

impl Finding {
    /// The difference of the two.
    #[must_use]
    pub fn gap(&self) -> Duration {
        self.outer_time.abs_diff(self.inner_time)
    }

    fn of(what: &str, outer: (&str, Duration), inner: (&str, Duration)) -> Self {
        let gap = outer.1.abs_diff(inner.1);
        Self {
            what: what.to_owned(),
            outer: outer.0.to_owned(),
            outer_time: outer.1,
            inner: inner.0.to_owned(),
            inner_time: inner.1,
            gap_percent: percent(gap, outer.1.max(inner.1)),
        }
    }

    fn matters(&self, run: Duration) -> bool {
        self.gap_percent > GAP_PERCENT && percent(self.gap(), run) > GAP_OF_RUN_PERCENT
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            f,
            "{}: {:.2} ms {}, {:.2} ms {}: {:.2} ms between them, {:.1} %",
            self.what,
            ms(self.outer_time),
            self.outer,
            ms(self.inner_time),
            self.inner,
            ms(self.gap()),
            self.gap_percent
        )
    }
}

/// A timer of the caller's and that of the run.
pub(super) fn outside(outer: Duration, total: Duration) -> Option<Finding> {
    let finding = Finding::of(
        "the run",
        ("by the caller's timer", outer),
        ("by its own", total),
    );
    finding.matters(outer.max(total)).then_some(finding)
}

/// A device's stretch of work that one span on the host waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    pub(super) phase: &'static str,
    pub(super) host: Duration,
    pub(super) device: Duration,
}

/// What the clocks of a run say of each other.
pub(super) fn findings(
    total: Duration,
    covered: Duration,
    phases: &[PhaseReport],
    clocks: &[ClockReport],
    waited: &[Waited],
) -> Vec<Finding> {
    let mut found = vec![Finding::of(
        "the run",
        ("in all", total),
        ("in its phases", covered),
    )];
    for row in phases {
        found.extend(of_parts(row));
    }
    for clock in clocks {
        found.push(Finding::of(
            &clock.name,
            ("on the host, from first call to last answer", clock.host),
            ("by the device's clock", clock.device),
        ));
        found.push(Finding::of(
            &clock.name,
            ("by the device's clock", clock.device),
            ("of work", clock.busy),
        ));
    }
    for row in waited {
        found.push(Finding::of(
            row.phase,
            ("on the host, which waited", row.host),
            ("by the device's clock", row.device),
        ));
    }
    found.retain(|finding| finding.matters(total));
    found
}

/// What the parts of a phase leave of it, on the host and on the device; what other lanes of the
/// device do meanwhile is no part of its time.
fn of_parts(row: &PhaseReport) -> Vec<Finding> {
    let sum = |times: Vec<Duration>| times.into_iter().reduce(Duration::saturating_add);
    let name = row.phase.name();
    let on_host = row.parts.iter().filter(|part| part.device.is_none());
    let on_host = sum(on_host.map(|part| part.host).collect());
    let on_device = row.parts.iter().filter(|part| part.beside.is_none());
    let on_device = sum(on_device.filter_map(|part| part.device).collect());
    let host =
        on_host.map(|parts| Finding::of(name, ("on the host", row.host), ("in its parts", parts)));
    let device = row.device.zip(on_device).map(|(device, parts)| {
        let whole = ("by the device's clock", device);
        Finding::of(name, whole, ("in its parts", parts))
    });
    host.into_iter().chain(device).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(tenths: u64) -> Duration {
        Duration::from_millis(100 * tenths)
    }

    #[test]
    fn an_inner_and_an_outer_timer_that_disagree_give_both_numbers() {
        let finding = outside(s(442), s(356)).expect("8.6 s are not to be lost");
        assert_eq!(finding.gap(), s(86));
        assert_eq!(
            finding.to_string(),
            "the run: 44200.00 ms by the caller's timer, 35600.00 ms by its own: 8600.00 ms \
             between them, 19.5 %"
        );
        // Whichever of them is longer.
        assert_eq!(outside(s(356), s(442)).map(|f| f.gap()), Some(s(86)));
        assert_eq!(outside(s(1000), s(981)), None);
        assert_eq!(outside(Duration::ZERO, Duration::ZERO), None);
    }

    #[test]
    fn a_gap_that_is_nothing_in_the_run_is_no_finding() {
        let waited = |ms| Waited {
            phase: "upload",
            host: Duration::from_millis(2 * ms),
            device: Duration::from_millis(ms),
        };
        let all = |ms| findings(s(100), s(100), &[], &[], &[waited(ms)]);
        assert_eq!(all(1), []);
        assert_eq!(all(100).len(), 1);
    }
}
