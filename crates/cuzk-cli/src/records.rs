//! `cuzk records`: what is kept against each other.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use cuzk_record::{AbResult, BenchResult, Interval, Record, Verdict, median};
use serde::Serialize;
use serde_json::Value;

use crate::{ab::statistics::ratio_of_two, args::CompareRecords, failure::Failure, output::Output};

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

/// What two records can have in common.
struct Kept {
    /// What differs rarely, in words.
    facts: Vec<(&'static str, String)>,
    seed: u64,
    series: Vec<Series>,
}

/// Times of runs, by what they are times of.
struct Series {
    name: String,
    /// The switches, and what else may explain a difference.
    settings: BTreeMap<String, String>,
    runs_ms: Vec<f64>,
}

pub(crate) fn compare(args: &CompareRecords, output: &mut Output) -> Result<(), Failure> {
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    let found = compared(&first, &second);
    if found.settings.is_empty() {
        return Err(
            Failure::bad_input("the records have no settings in common").with_hint(
                "what is compared is written alike in both: settings in results of cuzk ab, \
                 circuits and ways in those of cuzk bench",
            ),
        );
    }
    output.result(
        || serde_json::to_value(&found).unwrap_or_default(),
        || text(&found),
    )
}

fn read(path: &Path) -> Result<Kept, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::file("reading", path, &error))?;
    let none = |error| Failure::file("reading a result of cuzk ab or bench from", path, &error);
    let record: Value = serde_json::from_str(&text).map_err(none)?;
    match record.get("rows") {
        Some(_) => serde_json::from_value(record).map(of_bench),
        None => serde_json::from_value(record).map(of_ab),
    }
    .map_err(none)
}

fn of_ab(record: Record<AbResult>) -> Kept {
    let result = &record.result;
    let mut facts = facts(&record);
    facts.extend([
        ("circuit", result.circuit.clone()),
        ("constraints", result.constraints.to_string()),
        ("proofs in a run", result.circuits.to_string()),
    ]);
    let (seed, arms) = (result.seed, record.result.arms);
    let series = arms.into_iter().map(|arm| Series {
        name: arm.settings,
        settings: arm.tuning,
        runs_ms: arm.runs_ms,
    });
    Kept {
        facts,
        seed,
        series: series.collect(),
    }
}

fn of_bench(record: Record<BenchResult>) -> Kept {
    let facts = facts(&record);
    let series = record.result.rows.into_iter().flat_map(|row| {
        let mut settings = row.tuning;
        settings.insert("constraints".to_owned(), row.constraints.to_string());
        row.ways.into_iter().map(move |way| {
            let mut settings = settings.clone();
            settings.insert("proofs in a run".to_owned(), way.proofs.to_string());
            Series {
                name: format!("{}, {}", row.id, way.name),
                settings,
                runs_ms: way.runs_ms,
            }
        })
    });
    Kept {
        facts,
        seed: 1,
        series: series.collect(),
    }
}

fn facts<T>(record: &Record<T>) -> Vec<(&'static str, String)> {
    let machine = serde_json::to_string(&record.machine).unwrap_or_default();
    vec![("commit", record.commit.clone()), ("machine", machine)]
}

fn compared(first: &Kept, second: &Kept) -> Comparison {
    let mut differences = Vec::new();
    let mut differ = |what: &str, one: &str, other: &str| {
        if one != other {
            differences.push(format!("{what}: {one}, then {other}"));
        }
    };
    for ((what, one), (_, other)) in first.facts.iter().zip(&second.facts) {
        differ(what, one, other);
    }
    let mut rows = Vec::new();
    for one in &first.series {
        let Some(other) = second.series.iter().find(|other| other.name == one.name) else {
            continue;
        };
        for (switch, value) in &one.settings {
            let then = other.settings.get(switch).map_or("nothing", String::as_str);
            differ(&format!("{switch} of {:?}", one.name), value, then);
        }
        rows.push(row(one, other, first.seed));
    }
    Comparison {
        differences,
        settings: rows,
    }
}

fn row(first: &Series, second: &Series, seed: u64) -> Row {
    let found = ratio_of_two(&first.runs_ms, &second.runs_ms, seed);
    Row {
        settings: first.name.clone(),
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
