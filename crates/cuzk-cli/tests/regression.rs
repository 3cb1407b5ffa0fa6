//! A proof got slower when several changes landed together: `cuzk ab --ablate` says by which.
//!
//! Compared is the processor time: how much work there is decides, not what else the machine does.
//!
//! The case, scaled down: ten circuits in parallel, vectors reserved in advance, terms of linear
//! combinations inline, the G2 sum beside the others, and narrow windows, all at once.

use std::process::Command;

use serde_json::Value;

/// By how many times the guilty switch has to stand above every other one: it makes several times
/// the work, the others move a few percent of it.
const ABOVE: f64 = 3.0;

fn ablate(settings: &str) -> Value {
    let arguments = "ab --backend cpu --threads 2 --circuit uniform --constraints 2^8 \
                     --circuits 10 --a synthesis=direct,inline-terms=off --width 100% \
                     --clock processor --budget 120s --json --ablate";
    let output = Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .args(arguments.split_whitespace())
        .arg(settings)
        .output()
        .expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("an object")
}

fn more(effect: &Value) -> f64 {
    effect["difference_ms"]["value"].as_f64().expect("a time")
}

#[test]
fn of_changes_that_landed_together_the_guilty_one_is_named() {
    let found = ablate("inline-terms=on, capacity-hints=on, parallel-b-g2=on, window-bits=2");
    let ablation = &found["ablation"];
    let alone = ablation["alone"].as_array().expect("a list");
    assert_eq!(alone.len(), 4);
    let (guilty, others) = alone.split_first().expect("four");
    assert_eq!(guilty["settings"], "window-bits=2", "{ablation}");
    assert_eq!(guilty["verdict"], "worse", "{ablation}");
    for other in others {
        assert!(more(guilty) > ABOVE * more(other), "{ablation}");
    }
    let phase = guilty["mostly"].as_str().expect("a phase");
    let sums = [
        "msm_h",
        "msm_b_g2",
        "tail_msm_a",
        "tail_msm_b_g1",
        "tail_msm_l",
    ];
    assert!(sums.contains(&phase), "{ablation}");
    assert_eq!(ablation["together"]["verdict"], "worse", "{ablation}");
    let row = |comparison: &Value| comparison["name"] == "b5";
    let comparisons = found["comparisons"].as_array().expect("a list");
    assert!(comparisons.iter().any(row), "{found}");
}
