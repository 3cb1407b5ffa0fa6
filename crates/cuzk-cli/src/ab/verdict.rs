//! What the runs of all settings say together, as text and as an object.

use std::{fmt::Write as _, time::Duration};

use cuzk::{Phase, Tuning};
use serde_json::{Map, Value, json};

use super::{
    args::Ab,
    arm::Arm,
    seconds,
    statistics::{Comparison, Interval, MIN_PAIRS, NOISY_SPREAD, Verdict, compare, shares, spread},
};

/// The runs, compared.
pub(crate) struct Outcome {
    circuit: String,
    constraints: usize,
    circuits: usize,
    width: f64,
    seed: u64,
    narrow: bool,
    elapsed: Duration,
    arms: Vec<Arm>,
    /// One for each arm after the first.
    comparisons: Vec<ArmComparison>,
    warnings: Vec<String>,
}

/// One of the settings against the first ones.
struct ArmComparison {
    name: String,
    total: Comparison,
    /// The phases by the size of their difference, the largest first.
    phases: Vec<Row>,
}

struct Row {
    name: &'static str,
    found: Comparison,
    /// Of the sum of the sizes of all differences.
    share: Option<f64>,
}

impl Outcome {
    pub(crate) fn new(
        circuit: String,
        args: &Ab,
        arms: Vec<Arm>,
        narrow: bool,
        elapsed: Duration,
    ) -> Self {
        let a = &arms[0];
        let comparisons: Vec<_> = arms[1..]
            .iter()
            .filter_map(|arm| compare_arms(a, arm, args.seed))
            .collect();
        Self {
            constraints: a.compiled().shape().num_constraints(),
            warnings: warnings(&arms, &comparisons, narrow, args.width.0),
            circuit,
            circuits: args.circuits,
            width: args.width.0,
            seed: args.seed,
            narrow,
            elapsed,
            arms,
            comparisons,
        }
    }

    fn rounds(&self) -> usize {
        self.arms[0].reports.len()
    }

    pub(crate) fn object(&self) -> Value {
        let arms = self.arms.iter().map(|arm| {
            let switches = Tuning::SWITCHES.iter();
            let tuning: Map<String, Value> = switches
                .map(|switch| (switch.name.to_owned(), switch.value(&arm.tuning).into()))
                .collect();
            json!({
                "name": arm.name,
                "settings": arm.settings,
                "device": arm.device(),
                "tuning": tuning,
                "prepare_ms": arm.prepare_ms,
                "runs_ms": arm.totals(),
            })
        });
        let comparisons = self.comparisons.iter().map(|arm| {
            let phases = arm.phases.iter().map(Row::object);
            json!({
                "name": arm.name,
                "total": comparison_object(&arm.total),
                "phases": phases.collect::<Vec<_>>(),
            })
        });
        json!({
            "circuit": self.circuit,
            "constraints": self.constraints,
            "circuits": self.circuits,
            "seed": self.seed,
            "rounds": self.rounds(),
            "seconds": seconds(self.elapsed),
            "width_asked": self.width,
            "stopped_by": if self.narrow { "width" } else { "budget" },
            "arms": arms.collect::<Vec<_>>(),
            "comparisons": comparisons.collect::<Vec<_>>(),
            "warnings": self.warnings,
            "verified": true,
        })
    }

    pub(crate) fn text(&self) -> String {
        let stopped = match self.narrow {
            true => "until the intervals were narrower than",
            false => "until the budget ended, with an interval wider than",
        };
        let mut text = format!(
            "{}, {} constraints, {} in a run\n{} runs of each in {:.1} s, {stopped} {:.1} %; \
             every proof verified\n",
            self.circuit,
            self.constraints,
            self.circuits,
            self.rounds(),
            seconds(self.elapsed),
            100.0 * self.width,
        );
        for arm in &self.arms {
            let settings = match arm.settings.as_str() {
                "" => "as every command",
                settings => settings,
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:3} {settings}; {}; made ready once, in {:.0} ms",
                arm.name,
                arm.device(),
                arm.prepare_ms
            );
        }
        for arm in &self.comparisons {
            let _ = write!(
                text,
                "\n{:14}  {:>9}  {:>9}  {:>7}  {:17}  {:>9}  {:>6}  verdict\n{}",
                format!("{} against a", arm.name),
                "a ms",
                format!("{} ms", arm.name),
                "ratio",
                "95 % interval",
                "more ms",
                "share",
                line("total", &arm.total, None),
            );
            arm.phases.iter().for_each(|row| {
                text += &line(row.name, &row.found, row.share);
            });
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "warning: {warning}");
        }
        text
    }
}

impl Row {
    fn object(&self) -> Value {
        let mut object = comparison_object(&self.found);
        object["name"] = self.name.into();
        object["share"] = self.share.into();
        object
    }
}

fn compare_arms(a: &Arm, b: &Arm, seed: u64) -> Option<ArmComparison> {
    let phases = Phase::ALL.iter().copied().map(Some).chain([None]);
    let mut rows = Vec::new();
    for phase in phases {
        let ran = |arm: &Arm| {
            let phase = phase.map(|phase| arm.reports.iter().any(|r| r.phase(phase).is_some()));
            phase.unwrap_or(true)
        };
        if ran(a) || ran(b) {
            rows.push(Row {
                name: phase.map_or("unaccounted", Phase::name),
                found: compare(&a.times(phase), &b.times(phase), seed)?,
                share: None,
            });
        }
    }
    let differences: Vec<f64> = rows.iter().map(|row| row.found.difference.value).collect();
    for (row, share) in rows
        .iter_mut()
        .zip(shares(&differences).into_iter().flatten())
    {
        row.share = Some(share);
    }
    let size = |row: &Row| row.found.difference.value.abs();
    rows.sort_by(|one, other| size(other).total_cmp(&size(one)));
    Some(ArmComparison {
        name: b.name.clone(),
        total: compare(&a.totals(), &b.totals(), seed)?,
        phases: rows,
    })
}

/// When the machine is too noisy to tell.
///
/// - The budget ended before an interval that holds equal times was as narrow as asked: an effect
///   inside it cannot be told from none.
/// - The middle half of an arm's runs spreads over more than [`NOISY_SPREAD`] of their median.
fn warnings(arms: &[Arm], comparisons: &[ArmComparison], narrow: bool, width: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    for ArmComparison { name, total, .. } in comparisons {
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

fn line(name: &str, found: &Comparison, share: Option<f64>) -> String {
    let (ratio, interval) = match found.ratio {
        Some(Interval { low, value, high }) => {
            (format!("{value:.3}"), format!("{low:.3} to {high:.3}"))
        }
        None => (String::new(), String::new()),
    };
    let share = share.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share));
    let line = format!(
        "{name:14}  {:>9.2}  {:>9.2}  {ratio:>7}  {interval:17}  {:>+9.2}  {share:>6}  {}",
        found.a_median,
        found.b_median,
        found.difference.value,
        found.verdict.name(),
    );
    format!("{}\n", line.trim_end())
}

fn comparison_object(found: &Comparison) -> Value {
    let interval = |interval: Interval| json!({ "value": interval.value, "low": interval.low, "high": interval.high });
    json!({
        "a_ms": found.a_median,
        "b_ms": found.b_median,
        "ratio": found.ratio.map(interval),
        "difference_ms": interval(found.difference),
        "verdict": found.verdict.name(),
    })
}
