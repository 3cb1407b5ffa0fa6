//! `cuzk records`: what is kept against each other.

use std::{fmt::Write as _, fs, path::Path};

use cuzk_record::{AbResult, ArmResult, Interval, Record, Verdict};
use serde::Serialize;

use crate::{
    ab::statistics::{median, ratio_of_two},
    args::CompareRecords,
    failure::Failure,
    output::Output,
};

/// One of the settings in both records.
#[derive(Debug, Serialize)]
struct Row {
    settings: String,
    first_ms: Option<f64>,
    second_ms: Option<f64>,
    /// The second record's times over the first's.
    ratio: Option<Interval>,
    verdict: Verdict,
}

#[derive(Debug, Serialize)]
struct Comparison {
    /// What differs beside the times, and may explain them.
    differences: Vec<String>,
    settings: Vec<Row>,
}

pub(crate) fn compare(args: &CompareRecords, output: &mut Output) -> Result<(), Failure> {
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    let found = compared(&first, &second);
    if found.settings.is_empty() {
        return Err(Failure::bad_input("the records have no settings in common")
            .with_hint("settings are compared that are written alike, in results of cuzk ab"));
    }
    output.result(
        || serde_json::to_value(&found).unwrap_or_default(),
        || text(&found),
    )
}

fn read(path: &Path) -> Result<Record<AbResult>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::file("reading", path, &error))?;
    let none = |error| Failure::file("reading a result of cuzk ab from", path, &error);
    serde_json::from_str(&text).map_err(none)
}

fn compared(first: &Record<AbResult>, second: &Record<AbResult>) -> Comparison {
    let mut differences = Vec::new();
    let mut differ = |what: &str, one: &str, other: &str| {
        if one != other {
            differences.push(format!("{what}: {one}, then {other}"));
        }
    };
    differ("commit", &first.commit, &second.commit);
    let machines = [&first.machine, &second.machine]
        .map(|machine| serde_json::to_string(machine).unwrap_or_default());
    differ("machine", &machines[0], &machines[1]);
    let (one, other) = (&first.result, &second.result);
    differ("circuit", &one.circuit, &other.circuit);
    for (what, a, b) in [
        ("constraints", one.constraints, other.constraints),
        ("proofs in a run", one.circuits, other.circuits),
    ] {
        differ(what, &a.to_string(), &b.to_string());
    }
    let named = |arm: &&ArmResult, settings: &str| arm.settings == settings;
    let rows = one.arms.iter().filter_map(|arm| {
        let there = other.arms.iter().find(|a| named(a, &arm.settings))?;
        for (switch, value) in &arm.tuning {
            let then = there.tuning.get(switch).map_or("nothing", String::as_str);
            differ(&format!("{switch} of {:?}", arm.settings), value, then);
        }
        Some(row(arm, there, one.seed))
    });
    let settings = rows.collect();
    Comparison {
        differences,
        settings,
    }
}

fn row(first: &ArmResult, second: &ArmResult, seed: u64) -> Row {
    let found = ratio_of_two(&first.runs_ms, &second.runs_ms, seed);
    Row {
        settings: first.settings.clone(),
        first_ms: median(&first.runs_ms),
        second_ms: median(&second.runs_ms),
        ratio: found.map(|(ratio, _)| ratio),
        verdict: found.map_or(Verdict::TooFewRuns, |(_, verdict)| verdict),
    }
}

fn text(found: &Comparison) -> String {
    let mut text = String::new();
    for difference in &found.differences {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{difference}");
    }
    for row in &found.settings {
        let ratio = row.ratio.map_or_else(String::new, |ratio| {
            format!("{:.3} ({:.3} to {:.3})", ratio.value, ratio.low, ratio.high)
        });
        let settings = match row.settings.as_str() {
            "" => "as every command",
            settings => settings,
        };
        let _ = writeln!(
            text,
            "{settings}: {:.2} ms, then {:.2} ms; {ratio} {}",
            row.first_ms.unwrap_or(f64::NAN),
            row.second_ms.unwrap_or(f64::NAN),
            row.verdict.name()
        );
    }
    text
}
