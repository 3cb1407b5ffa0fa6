//! Rows of records, of what the commands have measured.

use std::{collections::BTreeMap, time::Duration};

use cuzk::{Phase, Report, Tuning, layers::phase::PartReport};
use cuzk_record::{PhaseTimes, Way, median};

use super::milliseconds;
use crate::args::{Constraints, WitnessKind};

/// A circuit in one word or two.
pub(crate) fn id(witness: WitnessKind, constraints: Constraints) -> String {
    // A power is one with the rows of the inputs.
    let rows = constraints.0 + 2;
    match rows.is_power_of_two() {
        true => format!("{} 2^{}", witness.word(), rows.trailing_zeros()),
        false => format!("{} {}", witness.word(), constraints.0),
    }
}

/// Every switch with its value.
pub(crate) fn tuning(tuning: &Tuning) -> BTreeMap<String, String> {
    let switches = Tuning::SWITCHES.iter();
    switches
        .map(|switch| (switch.name.to_owned(), switch.value(tuning)))
        .collect()
}

/// Where a report says that the work ran.
pub(crate) fn place(report: &Report) -> String {
    format!("{}, {}", report.backend, report.device)
}

/// A way whose runs have reports; nothing without a run.
pub(crate) fn way(name: &str, proofs: usize, reports: &[Report]) -> Option<Way> {
    let whole = |report: &Report| milliseconds(report.outer.unwrap_or(report.total));
    let unaccounted = reports.iter().map(|report| report.unaccounted_percent);
    let way = Way::of(name, proofs, reports.iter().map(whole).collect())?;
    Some(Way {
        unaccounted_percent: Some(unaccounted.fold(0.0, f64::max)),
        phases: phases(reports),
        ..way
    })
}

/// The phases that any of the runs had, each with its medians over the runs.
fn phases(reports: &[Report]) -> Vec<PhaseTimes> {
    let times = |phase: &Phase| {
        let rows = reports.iter().filter_map(|report| report.phase(*phase));
        let last = rows.clone().next_back()?;
        let parts = last.parts.iter().map(|part| {
            let is_it = |other: &&PartReport| {
                (other.name, other.beside, other.device.is_some())
                    == (part.name, part.beside, part.device.is_some())
            };
            let of = rows.clone().filter_map(|row| row.parts.iter().find(is_it));
            PhaseTimes {
                name: match part.beside {
                    Some(lane) => format!("{} ({lane})", part.name),
                    None => part.name.to_owned(),
                },
                host_ms: middle(of.clone().filter(|p| p.device.is_none()).map(|p| p.host)),
                device_ms: middle(of.filter_map(|part| part.device)),
                bytes: 0,
                parts: Vec::new(),
            }
        });
        Some(PhaseTimes {
            name: phase.name().to_owned(),
            host_ms: middle(rows.clone().map(|row| row.host)),
            device_ms: middle(rows.clone().filter_map(|row| row.device)),
            bytes: last.bytes,
            parts: parts.collect(),
        })
    };
    Phase::ALL.iter().filter_map(times).collect()
}

fn middle(times: impl Iterator<Item = Duration>) -> Option<f64> {
    median(&times.map(milliseconds).collect::<Vec<_>>())
}
