use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Times of proofs, each row with circumstances of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchResult {
    /// What was measured, in the order in which it was.
    pub rows: Vec<BenchRow>,
}

/// Proofs of one circuit, in one way or in several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// What tells it from the other rows of a record.
    pub id: String,
    /// What was proved.
    pub circuit: String,
    /// Its constraints, with a row for each input.
    pub constraints: usize,
    /// Its variables.
    pub variables: usize,
    /// Where the proofs were made.
    pub device: String,
    /// Every switch with its value.
    pub tuning: BTreeMap<String, String>,
    /// What was done once before the proofs, in milliseconds.
    pub once_ms: BTreeMap<String, f64>,
    /// The ways in which proofs were made.
    pub ways: Vec<Way>,
}

/// A way to make proofs, and how long it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// The way.
    pub name: String,
    /// Proofs in each run.
    pub proofs: usize,
    /// The time of every run, in milliseconds.
    pub runs_ms: Vec<f64>,
    /// Their median.
    pub median_ms: f64,
    /// The same for each of the proofs of a run.
    pub each_ms: f64,
    /// The least of them.
    pub minimum_ms: f64,
    /// The largest part of a run that no phase explains, in percent, where reports tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unaccounted_percent: Option<f64>,
    /// The phases of the runs, where there are reports of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseTimes>,
}

/// A phase, or a part of one, over the runs: medians, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// The name; that of a part on another lane of a device has the lane in brackets.
    pub name: String,
    /// On the host; nothing for a part on a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_ms: Option<f64>,
    /// By the device's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_ms: Option<f64>,
    /// Bytes moved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// What it is made of, where that was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PhaseTimes>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

impl Way {
    /// A way with its medians; nothing without a run, or without a proof.
    #[must_use]
    pub fn of(name: &str, proofs: usize, runs_ms: Vec<f64>) -> Option<Self> {
        let median_ms = median(&runs_ms).filter(|_| proofs > 0)?;
        Some(Self {
            name: name.to_owned(),
            proofs,
            median_ms,
            each_ms: median_ms / proofs as f64,
            minimum_ms: runs_ms.iter().copied().fold(f64::INFINITY, f64::min),
            runs_ms,
            unaccounted_percent: None,
            phases: Vec::new(),
        })
    }
}

/// The middle of some numbers, or of the two in the middle; nothing of none.
#[must_use]
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    let (low, high) = (numbers.len().checked_sub(1)? / 2, numbers.len() / 2);
    Some(f64::midpoint(numbers[low], numbers[high]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_has_its_medians_and_reads_back() {
        let way = Way::of("a batch", 4, vec![30.0, 10.0, 20.0, 41.0]).expect("runs");
        assert_eq!(
            (way.median_ms, way.each_ms, way.minimum_ms),
            (25.0, 6.25, 10.0)
        );
        let result = BenchResult {
            rows: vec![BenchRow {
                id: "bits90 2^18".to_owned(),
                circuit: "bits90".to_owned(),
                constraints: 1 << 18,
                variables: 1 << 18,
                device: "cpu, 2 threads".to_owned(),
                tuning: [("measure".to_owned(), "full".to_owned())].into(),
                once_ms: [("setup".to_owned(), 12.5)].into(),
                ways: vec![Way {
                    unaccounted_percent: Some(0.5),
                    phases: vec![PhaseTimes {
                        name: "msm_h".to_owned(),
                        host_ms: Some(3.0),
                        device_ms: Some(2.5),
                        bytes: 32,
                        parts: vec![PhaseTimes {
                            name: "sort".to_owned(),
                            host_ms: None,
                            device_ms: Some(0.5),
                            bytes: 0,
                            parts: Vec::new(),
                        }],
                    }],
                    ..way
                }],
            }],
        };
        let text = serde_json::to_string(&result).expect("writable");
        assert_eq!(
            serde_json::from_str::<BenchResult>(&text).ok(),
            Some(result)
        );
        assert_eq!(Way::of("no run", 1, Vec::new()), None);
        assert_eq!(Way::of("no proof", 0, vec![1.0]), None);
    }
}
