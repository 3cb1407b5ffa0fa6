//! `cuzk ab` as a user runs it.

use std::process::{Command, Output};

use serde_json::Value;

fn cuzk(arguments: &str, settings: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .arg("ab")
        .args(["--backend", "cpu"])
        .args(arguments.split_whitespace())
        .args(settings)
        .output()
        .expect("the program starts")
}

fn object(output: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("an object")
}

fn rows(comparison: &Value) -> &Vec<Value> {
    comparison["phases"].as_array().expect("a list")
}

#[test]
fn a_setting_that_is_far_slower_is_worse_and_the_phases_that_say_so_come_first() {
    // Windows of two bits: half as many bucket sums as bits, in the phases of sums.
    let arguments = "--circuit uniform --constraints 2^10 --budget 20s --width 100% --json";
    let settings = ["--a", "threads=1", "--b", "threads=1, window-bits=2"];
    let found = object(&cuzk(arguments, &settings));
    assert_eq!(found["constraints"], 1022);
    assert_eq!(found["arms"][0]["tuning"]["window-bits"], "auto");
    assert_eq!(found["arms"][1]["tuning"]["window-bits"], "2");
    let device = found["arms"][1]["device"].as_str().expect("text");
    assert!(device.starts_with("cpu, 1 threads"), "{device}");
    let rounds = found["rounds"].as_u64().expect("a count") as usize;
    assert!(rounds >= 8, "{found}");
    for arm in found["arms"].as_array().expect("a list") {
        assert_eq!(arm["runs_ms"].as_array().map(Vec::len), Some(rounds));
    }
    let comparison = &found["comparisons"][0];
    assert_eq!(comparison["total"]["verdict"], "worse");
    assert!(
        comparison["total"]["ratio"]["low"].as_f64() > Some(1.2),
        "{comparison}"
    );
    let rows = rows(comparison);
    let first = rows[0]["name"].as_str().expect("a name");
    let sums = [
        "msm_h",
        "tail_msm_l",
        "tail_msm_a",
        "tail_msm_b_g1",
        "msm_b_g2",
    ];
    assert!(sums.contains(&first), "{comparison}");
    assert_eq!(rows[0]["verdict"], "worse");
    let shares: Vec<f64> = rows
        .iter()
        .filter_map(|row| row["share"].as_f64())
        .collect();
    assert_eq!(shares.len(), rows.len());
    assert!(shares.is_sorted_by(|one, next| one >= next), "{shares:?}");
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn another_synthesis_moves_time_from_evaluate_to_synthesize_in_text_and_in_batches() {
    let arguments = "--circuit bits90 --constraints 2^8 --circuits 3 --budget 2s";
    let settings = [
        "--b",
        "synthesis=direct",
        "--b",
        "synthesis=direct,capacity-hints=on",
    ];
    let output = cuzk(arguments, &settings);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for expected in [
        "254 constraints, 3 in a run",
        "every proof verified",
        "b1 against a",
        "b2 against a",
        "synthesize",
        "unaccounted",
        "a   as every command",
        "b2  synthesis=direct,capacity-hints=on",
    ] {
        assert!(text.contains(expected), "{expected} is missing from {text}");
    }
}

#[test]
fn a_budget_that_ends_at_once_allows_no_verdict_and_says_so() {
    let arguments = "--circuit uniform --constraints 2^6 --budget 1ms --json";
    let found = object(&cuzk(arguments, &["--b", "lanes=portable"]));
    assert_eq!(found["stopped_by"], "budget");
    assert_eq!(found["comparisons"][0]["total"]["verdict"], "too few runs");
    let warnings = found["warnings"].as_array().expect("a list");
    let said = warnings.iter().filter_map(Value::as_str);
    assert!(
        said.into_iter()
            .any(|warning| warning.contains("no verdict")),
        "{found}"
    );
}

#[test]
fn settings_and_limits_that_are_none_exit_with_two() {
    for (arguments, settings) in [
        ("", &[][..]),
        ("", &["--b", "lane=portable"]),
        ("", &["--b", "lanes"]),
        ("--width 0%", &["--b", ""]),
        ("--budget soon", &["--b", ""]),
        ("--circuit bitcoin", &["--b", ""]),
        ("", &["--b="; 17]),
        ("", &["--ablate", "lanes=portable"]),
        ("--ablate lanes=portable,threads=1", &["--b", ""]),
        (
            "--constraints 2^6 --circuit uniform",
            &["--b", "", "--stall", "c:ntt:1s"],
        ),
        ("", &["--b", "", "--stall", "b:nothing:1s"]),
    ] {
        let output = cuzk(arguments, settings);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments} {settings:?}: {stderr}"
        );
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_phase_that_waits_a_tenth_of_a_second_is_named_with_that_time() {
    let arguments = "--circuit uniform --constraints 2^6 --budget 60s --width 100% --json";
    for phase in ["assemble", "evaluate"] {
        let stall = format!("b:{phase}:100ms");
        let found = object(&cuzk(arguments, &["--b", "", "--stall", &stall]));
        let comparison = &found["comparisons"][0];
        assert_eq!(comparison["total"]["verdict"], "worse", "{comparison}");
        let first = &rows(comparison)[0];
        assert_eq!(first["name"], phase, "{comparison}");
        let more = first["difference_ms"]["value"].as_f64().expect("a time");
        assert!((90.0..=110.0).contains(&more), "{first}");
    }
    let help = cuzk("--help", &[]);
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    assert!(
        help.contains("--width") && !help.contains("stall"),
        "{help}"
    );
}

#[test]
fn an_ablation_tries_each_setting_alone_and_names_the_one_that_hurts() {
    let arguments = "--circuit uniform --constraints 2^9 --budget 60s --width 100% --json";
    let settings = [
        "--a",
        "threads=1",
        "--ablate",
        "capacity-hints=on, window-bits=2",
    ];
    let found = object(&cuzk(arguments, &settings));
    let written: Vec<_> = found["arms"].as_array().expect("a list").iter().collect();
    assert_eq!(written.len(), 4);
    assert_eq!(written[1]["settings"], "threads=1,capacity-hints=on");
    assert_eq!(written[3]["tuning"]["window-bits"], "2");
    let ablation = &found["ablation"];
    let worst = &ablation["alone"][0];
    assert_eq!(worst["settings"], "window-bits=2", "{ablation}");
    assert_eq!(worst["verdict"], "worse");
    assert_eq!(ablation["together"]["verdict"], "worse");
    assert!(ablation["interaction_ms"]["low"].is_number());
    let text = cuzk(
        "--circuit uniform --constraints 2^6 --budget 1s",
        &["--ablate", "window-bits=2,lanes=portable"],
    );
    let text = String::from_utf8(text.stdout).expect("UTF-8");
    for expected in [
        "each switch alone",
        "together",
        "interaction",
        "window-bits=2",
    ] {
        assert!(text.contains(expected), "{expected} is missing from {text}");
    }
}
