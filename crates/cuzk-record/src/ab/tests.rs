use super::*;
use crate::{Effect, Interval, Verdict};

fn interval(value: f64) -> Interval {
    Interval {
        low: value - 1.0,
        value,
        high: value + 0.5,
    }
}

fn compared(ratio: Option<f64>, difference: f64) -> Compared {
    Compared {
        a_median_ms: 20.0,
        b_median_ms: 20.0 + difference,
        ratio: ratio.map(interval),
        difference_ms: interval(difference),
        verdict: Verdict::Worse,
    }
}

fn result() -> AbResult {
    let row = |name: &str, share| PhaseRow {
        name: name.to_owned(),
        share,
        found: compared(None, 3.0),
    };
    let effect = Effect {
        settings: "window-bits=4".to_owned(),
        difference_ms: interval(3.0),
        verdict: Verdict::NoDifference,
        mostly: Some("msm_h".to_owned()),
    };
    AbResult {
        circuit: "uniform".to_owned(),
        constraints: 14,
        circuits: 1,
        clock: Clock::Processor,
        seed: 1,
        rounds: 8,
        seconds: 1.5,
        width_asked: 0.02,
        stopped_by: StoppedBy::Budget,
        arms: vec![ArmResult {
            name: "a".to_owned(),
            settings: String::new(),
            device: "cpu, 2 threads".to_owned(),
            tuning: BTreeMap::from([("lanes".to_owned(), "detect".to_owned())]),
            prepare_ms: 7.25,
            runs_ms: vec![20.0; 8],
        }],
        comparisons: vec![Comparison {
            name: "b".to_owned(),
            total: compared(Some(1.15), 3.0),
            phases: vec![row("msm_h", Some(0.75)), row("unaccounted", None)],
            device_phases: vec![row("msm_h", Some(1.0))],
        }],
        ablation: Some(Ablation {
            alone: vec![effect.clone()],
            together: effect,
            interaction_ms: interval(0.25),
            interaction: Verdict::TooFewRuns,
        }),
        warnings: vec!["too noisy to tell".to_owned()],
        verified: true,
    }
}

#[test]
fn a_result_reads_back_as_itself() {
    let whole = result();
    let mut least = result();
    least.ablation = None;
    least.comparisons[0].device_phases.clear();
    for result in [whole, least] {
        let text = serde_json::to_string(&result).expect("writable");
        assert_eq!(
            serde_json::from_str::<AbResult>(&text).expect("readable"),
            result
        );
    }
}

#[test]
fn the_names_in_a_file_are_those_of_records_that_are_kept() {
    let object = serde_json::to_value(result()).expect("writable");
    let comparison = &object["comparisons"][0];
    assert_eq!(comparison["total"]["verdict"], Verdict::Worse.name());
    assert_eq!(comparison["phases"][0]["a_ms"], 20.0);
    assert_eq!(comparison["phases"][0]["difference_ms"]["value"], 3.0);
    assert_eq!(object["stopped_by"], "budget");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/record");
    let path = format!("{root}/amd-epyc-2-cores/2026-11-30-ab-synthesis.json");
    let kept = std::fs::read_to_string(path).expect("kept");
    let kept: AbResult = serde_json::from_str(&kept).expect("of the same form");
    assert_eq!(kept.comparisons[0].total.verdict, Verdict::Worse);
}
