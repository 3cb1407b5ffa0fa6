//! The switches as a user sets them.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;

fn cuzk(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The value of each switch, as doctor prints it.
fn values(args: &[&str]) -> Vec<(String, String)> {
    let output = cuzk(&[&["doctor", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
    let switches = object["tuning"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    switches
        .map(|switch| (text(&switch["name"]), text(&switch["value"])))
        .collect()
}

fn value(args: &[&str], name: &str) -> String {
    let found = values(args).into_iter().find(|(found, _)| found == name);
    found.expect(name).1
}

#[test]
fn doctor_prints_every_switch_with_its_value_in_text_and_json() {
    let output = cuzk(&["doctor"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let defaults = values(&[]);
    assert!(defaults.len() >= 6, "{defaults:?}");
    for (name, value) in &defaults {
        let line = text.lines().find(|line| line.starts_with(name.as_str()));
        let words: Vec<_> = line.expect(name).split_whitespace().collect();
        assert_eq!(words[1], value, "{name}");
    }
}

#[test]
fn the_command_line_stands_above_the_file_and_set_above_the_short_forms() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("tuning.toml");
    fs::write(
        &file,
        "window-bits = 9\nlanes = \"portable\"\nthreads = 1\n",
    )
    .expect("written");
    let file = file.display().to_string();
    let file = ["--tuning", &file];
    assert_eq!(value(&file, "window-bits"), "9");
    assert_eq!(value(&file, "lanes"), "portable");
    let with = |rest: &[&'static str], name| value(&[&file[..], rest].concat(), name);
    assert_eq!(with(&["--lanes", "detect"], "lanes"), "detect");
    assert_eq!(with(&["--threads", "2"], "threads"), "2");
    assert_eq!(
        with(&["--host-memory", "registered"], "host-memory"),
        "registered"
    );
    let both = [
        "--threads",
        "2",
        "--set",
        "threads=3",
        "--set",
        "window-bits=auto",
    ];
    assert_eq!(with(&both, "threads"), "3");
    assert_eq!(with(&both, "window-bits"), "auto");
}

#[test]
fn settings_that_are_none_exit_with_two_and_name_the_nearest() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("tuning.toml");
    fs::write(&file, "window-bit = 9\n").expect("written");
    let file = file.display().to_string();
    for (args, expected) in [
        (["--set", "lane=detect"], "the nearest is lanes"),
        (["--set", "window-bits=40"], "the nearest is 20"),
        (["--set", "lanes"], "expected name=value"),
        (["--tuning", &file], "the nearest is window-bits"),
        (["--tuning", "/nonexistent"], "reading /nonexistent failed"),
        (["--tuning", "/dev/zero"], "is too long"),
    ] {
        // Also a command that makes no prover refuses them.
        for command in [&["doctor"][..], &["inspect", "/nonexistent"]] {
            let output = cuzk(&[command, &args].concat());
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            assert!(
                stderr(&output).contains(expected),
                "{args:?}: {}",
                stderr(&output)
            );
        }
    }
}

#[test]
fn switches_of_the_command_line_reach_the_proof() {
    let device = |args: &[&str]| {
        let command = [
            "demo",
            "sapling-output",
            "--seed",
            "3",
            "--json",
            "--backend",
            "cpu",
        ];
        let output = cuzk(&[&command[..], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
        let phases = object["phases"].as_array().expect("a list").clone();
        let upload = phases.iter().find(|phase| phase["name"] == "upload");
        let bytes = upload.expect("it ran")["bytes"].as_u64();
        (object["device"].as_str().expect("text").to_owned(), bytes)
    };
    let (portable, packed) = device(&["--set", "threads=3", "--set", "lanes=portable"]);
    assert_eq!(portable, "3 threads, portable");
    let (_, full) = device(&["--set", "synthesis=direct"]);
    assert!(full > packed, "{full:?} {packed:?}");
}
