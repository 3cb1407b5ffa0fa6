use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Ablation, Compared};

/// Settings of the switches against each other, by proofs made in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbResult {
    /// What was proved.
    pub circuit: String,
    /// Its constraints, with a row for each input.
    pub constraints: usize,
    /// Proofs in each run, made together.
    pub circuits: usize,
    /// What the times are.
    #[serde(default)]
    pub clock: Clock,
    /// The seed of the statement and of the resampling.
    pub seed: u64,
    /// Runs of each arm that count.
    pub rounds: usize,
    /// Seconds that they took together.
    pub seconds: f64,
    /// The width of the intervals of ratios that was asked for, as a part of one.
    pub width_asked: f64,
    /// What ended the runs.
    pub stopped_by: StoppedBy,
    /// The settings; the first is what the others are compared with.
    pub arms: Vec<ArmResult>,
    /// One for each arm after the first.
    pub comparisons: Vec<Comparison>,
    /// Where each switch of a set was tried alone and all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ablation: Option<Ablation>,
    /// When not to trust it.
    pub warnings: Vec<String>,
    /// Whether every proof was verified; a run with one that was not gives no result.
    pub verified: bool,
}

/// What the times of runs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Wall time.
    #[default]
    Wall,
    /// Processor time of all threads: what other programs take does not count.
    Processor,
}

/// What ended the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoppedBy {
    /// Every interval was narrow enough.
    Width,
    /// The time was over.
    Budget,
}

/// One of the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// `a`, `b`, or `b1`, `b2` and so on.
    pub name: String,
    /// The settings as they were written.
    pub settings: String,
    /// Where its proofs were made.
    pub device: String,
    /// Every switch with its value.
    pub tuning: BTreeMap<String, String>,
    /// To read the parameters and to prepare the key, in milliseconds.
    pub prepare_ms: f64,
    /// The wall time of every run, in milliseconds.
    pub runs_ms: Vec<f64>,
}

/// One of the settings against the first ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The arm.
    pub name: String,
    /// Whole runs.
    pub total: Compared,
    /// The host's time of the phases and what is unaccounted, by the size of their difference,
    /// the largest first.
    pub phases: Vec<PhaseRow>,
    /// The device's time of the phases, in the same order of theirs; none where there is no
    /// device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_phases: Vec<PhaseRow>,
}

/// One phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseRow {
    /// The phase's name, or `unaccounted`.
    pub name: String,
    /// The part of its difference in the sum of the sizes of all differences.
    pub share: Option<f64>,
    /// Its times.
    #[serde(flatten)]
    pub found: Compared,
}

#[cfg(test)]
mod tests;
