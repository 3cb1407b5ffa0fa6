//! What the runs of all settings say together.

use std::time::Duration;

use cuzk::{Measure, Phase, Report};
use cuzk_record::{AbResult, ArmResult, Clock, Comparison, PhaseRow, StoppedBy, Verdict};

use super::{
    ablation::ablation,
    args::Ab,
    arm::Arm,
    statistics::{MIN_PAIRS, NOISY_SPREAD, compare, shares, spread},
};
use crate::bench::rows;

/// The result of the runs.
pub(crate) fn outcome(
    circuit: &str,
    args: &Ab,
    arms: &[Arm],
    narrow: bool,
    elapsed: Duration,
) -> AbResult {
    let a = &arms[0];
    let comparisons: Vec<_> = arms[1..]
        .iter()
        .filter_map(|arm| compare_arms(a, arm, args.seed))
        .collect();
    AbResult {
        circuit: circuit.to_owned(),
        constraints: a.compiled().shape().num_constraints(),
        circuits: args.circuits,
        clock: args.clock.into(),
        seed: args.seed,
        rounds: a.reports.len(),
        seconds: elapsed.as_secs_f64(),
        width_asked: args.width.0,
        stopped_by: match narrow {
            true => StoppedBy::Width,
            false => StoppedBy::Budget,
        },
        ablation: args
            .ablate
            .as_ref()
            .and_then(|list| ablation(list, arms, &comparisons, args.seed)),
        warnings: warnings(arms, &comparisons, narrow, args.width.0),
        arms: arms.iter().map(arm_result).collect(),
        comparisons,
        verified: true,
    }
}

fn arm_result(arm: &Arm) -> ArmResult {
    ArmResult {
        name: arm.name.clone(),
        settings: arm.settings.clone(),
        device: arm.device(),
        tuning: rows::tuning(&arm.tuning),
        prepare_ms: arm.prepare_ms,
        runs_ms: arm.totals(),
    }
}

fn compare_arms(a: &Arm, b: &Arm, seed: u64) -> Option<Comparison> {
    let total = compare(&a.totals(), &b.totals(), seed)?;
    // Phases that nobody measured took no less time.
    if a.tuning.measure == Measure::Off || b.tuning.measure == Measure::Off {
        return Some(Comparison {
            name: b.name.clone(),
            total,
            phases: Vec::new(),
            device_phases: Vec::new(),
        });
    }
    Some(Comparison {
        name: b.name.clone(),
        total,
        phases: match a.clock {
            Clock::Wall => rows(a, b, seed, &host, Some("unaccounted"))?,
            Clock::Processor => rows(a, b, seed, &processor, None)?,
        },
        device_phases: rows(a, b, seed, &device, None)?,
    })
}

/// The time of a phase in a run, or that of no phase; nothing where the run had none of it.
type TimeOf<'a> = &'a dyn Fn(&Report, Option<Phase>) -> Option<Duration>;

fn host(report: &Report, phase: Option<Phase>) -> Option<Duration> {
    match phase {
        Some(phase) => report.phase(phase).map(|row| row.host),
        None => Some(report.unaccounted),
    }
}

fn processor(report: &Report, phase: Option<Phase>) -> Option<Duration> {
    report.phase(phase?)?.cpu
}

fn device(report: &Report, phase: Option<Phase>) -> Option<Duration> {
    report.phase(phase?)?.device
}

/// The phases that one of the two had, and `rest` for no phase, by the size of their difference.
fn rows(
    a: &Arm,
    b: &Arm,
    seed: u64,
    time_of: TimeOf<'_>,
    rest: Option<&str>,
) -> Option<Vec<PhaseRow>> {
    let phases = Phase::ALL.iter().map(|&phase| (Some(phase), phase.name()));
    let phases = phases.chain(rest.map(|rest| (None, rest)));
    let mut rows = Vec::new();
    for (phase, name) in phases {
        let ran = |arm: &Arm| arm.reports.iter().any(|r| time_of(r, phase).is_some());
        if ran(a) || ran(b) {
            let times = |arm: &Arm| arm.times(|report| time_of(report, phase).unwrap_or_default());
            rows.push(PhaseRow {
                name: name.to_owned(),
                found: compare(&times(a), &times(b), seed)?,
                share: None,
            });
        }
    }
    let size = |row: &PhaseRow| row.found.difference_ms.value.abs();
    let differences: Vec<f64> = rows.iter().map(size).collect();
    for (row, share) in rows
        .iter_mut()
        .zip(shares(&differences).into_iter().flatten())
    {
        row.share = Some(share);
    }
    rows.sort_by(|one, other| size(other).total_cmp(&size(one)));
    Some(rows)
}

/// When the machine is too noisy to tell.
///
/// - The budget ended before an interval that holds equal times was as narrow as asked: an effect
///   inside it cannot be told from none.
/// - The middle half of an arm's runs spreads over more than [`NOISY_SPREAD`] of their median.
fn warnings(arms: &[Arm], comparisons: &[Comparison], narrow: bool, width: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    for Comparison { name, total, .. } in comparisons {
        match (total.verdict, total.ratio) {
            (Verdict::TooFewRuns, _) => warnings.push(format!(
                "the budget ended before {MIN_PAIRS} runs of each: no verdict on {name}"
            )),
            (Verdict::NoDifference, Some(ratio)) if !narrow && ratio.width() >= width => {
                warnings.push(format!(
                    "too noisy to tell {name} from a: any ratio from {:.3} to {:.3} is possible; \
                     give a larger --budget",
                    ratio.low, ratio.high
                ));
            }
            _ => {}
        }
    }
    for arm in arms {
        let spread = spread(&arm.totals()).unwrap_or(0.0);
        if spread > NOISY_SPREAD {
            warnings.push(format!(
                "the machine is noisy: the middle half of the runs of {} spreads over {:.0} % of \
                 their median",
                arm.name,
                100.0 * spread
            ));
        }
    }
    warnings
}
