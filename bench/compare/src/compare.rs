use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use cuzk_measure::{Provenance, median, minimum, write_record};
use cuzk_record::Record;
use serde::Serialize;

use crate::{child::Outcome, circuits::CircuitName, provers::Prover, setup};

/// Proves with every prover in turn and compares.
#[derive(Debug, Clone, Args)]
pub(crate) struct Compare {
    /// The circuits: sapling-spend, sapling-output, sha256x9, mimcx262000, mimcx1048000, or
    /// other lengths of the chains.
    #[arg(long = "circuit", required = true)]
    circuits: Vec<CircuitName>,
    /// The provers, in the order in which they take turns.
    #[arg(long = "prover", default_values_t = Prover::DEFAULT)]
    provers: Vec<Prover>,
    /// Threads of each prover; its process is confined to as many processors.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Times that the provers take turns, there and back: A B C D D C B A.
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Proofs of each turn that are not counted.
    #[arg(long, default_value_t = 1)]
    warm_up: usize,
    /// Proofs of each turn that are counted.
    #[arg(long, default_value_t = 3)]
    proofs: usize,
    /// Decides statements and blinding.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where parameter files are kept.
    #[arg(long, default_value = setup::DIRECTORY)]
    params_dir: PathBuf,
    /// Keeps the result under benchmarks/record/.
    #[arg(long)]
    record: bool,
}

/// What one prover needed on one circuit, over all its turns.
#[derive(Debug, Clone, Serialize)]
struct Standing {
    prover: Prover,
    version: String,
    wall_median_ms: f64,
    wall_min_ms: f64,
    cpu_median_ms: f64,
    cpu_min_ms: f64,
    loaded_rss_bytes: u64,
    peak_rss_bytes: u64,
    load_ms: f64,
    prepare_ms: f64,
    /// This prover's over cuzk's: above one, cuzk is ahead.
    ratio_wall_median: Option<f64>,
    ratio_wall_min: Option<f64>,
    ratio_cpu_median: Option<f64>,
    turns: Vec<Outcome>,
}

#[derive(Debug, Clone, Serialize)]
struct Comparison {
    circuit: String,
    constraints: Option<usize>,
    parameters_sha256: String,
    proof: String,
    /// The least median of the others over cuzk's median.
    best_other_over_cuzk: Option<f64>,
    standings: Vec<Standing>,
}

impl Compare {
    pub(crate) fn run(&self) -> Result<()> {
        for &circuit in &self.circuits {
            let record = self.circuit(circuit)?;
            print(&record);
            if self.record {
                let what = format!("compare-{circuit}");
                let path = write_record(&what, &record)?;
                println!("recorded in {}", path.display());
            }
        }
        Ok(())
    }

    fn circuit(&self, circuit: CircuitName) -> Result<Record<Comparison>> {
        let parameters = setup::parameters(&self.params_dir, circuit)?;
        let parameters_sha256 = setup::digest(&parameters)?;
        let provenance = Provenance::begin(self.threads)?;
        let mut outcomes = Vec::new();
        for _ in 0..self.rounds {
            for &prover in self.provers.iter().chain(self.provers.iter().rev()) {
                outcomes.push(self.turn(prover, circuit, &parameters)?);
            }
        }
        let first = outcomes.first().context("no prover took a turn")?;
        for other in &outcomes {
            ensure!(
                other.proof == first.proof,
                "{} and {} made different proofs of {circuit} with the same blinding: {} and {}",
                first.prover.name(),
                other.prover.name(),
                first.proof,
                other.proof,
            );
        }
        let standings = standings(&self.provers, &outcomes);
        let own = [Prover::Cuzk, Prover::CuzkPortable];
        let others = standings.iter().filter(|s| !own.contains(&s.prover));
        let best = minimum(others.filter_map(|s| s.ratio_wall_median));
        let comparison = Comparison {
            circuit: circuit.to_string(),
            constraints: outcomes.iter().find_map(|outcome| outcome.constraints),
            parameters_sha256,
            proof: first.proof.clone(),
            best_other_over_cuzk: best.is_finite().then_some(best),
            standings,
        };
        Ok(provenance.of("provers in turn on one circuit", comparison))
    }

    /// One prover, in a process of its own.
    fn turn(&self, prover: Prover, circuit: CircuitName, parameters: &Path) -> Result<Outcome> {
        let argument = |name: &str, value: String| [format!("--{name}"), value];
        let threads = self.threads.to_string();
        let output = Command::new(std::env::current_exe()?)
            .arg("child")
            .args(argument("prover", prover.name().to_owned()))
            .args(argument("circuit", circuit.to_string()))
            .args(argument("parameters", parameters.display().to_string()))
            .args(argument("threads", threads.clone()))
            .args(argument("seed", self.seed.to_string()))
            .args(argument("warm-up", self.warm_up.to_string()))
            .args(argument("proofs", self.proofs.to_string()))
            .env("RAYON_NUM_THREADS", threads)
            .stderr(Stdio::inherit())
            .output()?;
        ensure!(
            output.status.success(),
            "{} failed on {circuit}: {}",
            prover.name(),
            output.status
        );
        let outcome: Outcome = serde_json::from_slice(&output.stdout)?;
        for cost in &outcome.proofs {
            eprintln!(
                "{circuit:<14} {:<13} {:>9.0} ms wall, {:>9.0} ms cpu",
                prover.name(),
                cost.wall_ms,
                cost.cpu_ms
            );
        }
        Ok(outcome)
    }
}

fn standings(provers: &[Prover], outcomes: &[Outcome]) -> Vec<Standing> {
    let mut standings: Vec<Standing> = provers
        .iter()
        .map(|&prover| {
            let turns = outcomes.iter().filter(|turn| turn.prover == prover);
            standing(prover, turns.cloned().collect())
        })
        .collect();
    let own = standings.iter().find(|s| s.prover == Prover::Cuzk).cloned();
    if let Some(own) = own {
        for standing in &mut standings {
            standing.ratio_wall_median = Some(standing.wall_median_ms / own.wall_median_ms);
            standing.ratio_wall_min = Some(standing.wall_min_ms / own.wall_min_ms);
            standing.ratio_cpu_median = Some(standing.cpu_median_ms / own.cpu_median_ms);
        }
    }
    standings
}

fn standing(prover: Prover, turns: Vec<Outcome>) -> Standing {
    let proofs = || turns.iter().flat_map(|turn| &turn.proofs);
    let largest = |of: fn(&Outcome) -> u64| turns.iter().map(of).max().unwrap_or(0);
    Standing {
        prover,
        version: prover.version().to_owned(),
        wall_median_ms: median(proofs().map(|cost| cost.wall_ms)),
        wall_min_ms: minimum(proofs().map(|cost| cost.wall_ms)),
        cpu_median_ms: median(proofs().map(|cost| cost.cpu_ms)),
        cpu_min_ms: minimum(proofs().map(|cost| cost.cpu_ms)),
        loaded_rss_bytes: largest(|turn| turn.loaded_rss_bytes),
        peak_rss_bytes: largest(|turn| turn.peak_rss_bytes),
        load_ms: median(turns.iter().map(|turn| turn.load_ms)),
        prepare_ms: median(turns.iter().map(|turn| turn.prepare_ms)),
        ratio_wall_median: None,
        ratio_wall_min: None,
        ratio_cpu_median: None,
        turns,
    }
}

fn print(record: &Record<Comparison>) {
    let found = &record.result;
    let constraints = found.constraints.unwrap_or(0);
    println!(
        "\n{}: {constraints} constraints, {} threads, {}; the provers made the same proof",
        found.circuit,
        record.machine.threads.unwrap_or(0),
        record.machine.processor.as_deref().unwrap_or("?")
    );
    println!(
        "{:<13} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7}",
        "",
        "wall ms",
        "min",
        "cpu ms",
        "peak MiB",
        "load ms",
        "prepare",
        "x wall",
        "x min",
        "x cpu"
    );
    for s in &found.standings {
        let ratio = |r: Option<f64>| r.map_or_else(String::new, |r| format!("{r:.2}"));
        println!(
            "{:<13} {:>10.1} {:>10.1} {:>10.1} {:>9} {:>9.0} {:>9.0} {:>7} {:>7} {:>7}",
            s.prover.name(),
            s.wall_median_ms,
            s.wall_min_ms,
            s.cpu_median_ms,
            s.peak_rss_bytes >> 20,
            s.load_ms,
            s.prepare_ms,
            ratio(s.ratio_wall_median),
            ratio(s.ratio_wall_min),
            ratio(s.ratio_cpu_median),
        );
    }
    if let Some(best) = found.best_other_over_cuzk {
        println!("the best of the others takes {best:.2} times as long as cuzk");
    }
    println!(
        "load average {:?} before, {:?} after",
        record.load_before, record.load_after
    );
}
