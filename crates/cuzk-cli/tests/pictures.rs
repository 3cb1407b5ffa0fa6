//! The files that a run leaves.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn cuzk(args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_cuzk");
    Command::new(program)
        .args(args)
        .output()
        .expect("the program runs")
}

fn path(path: &Path) -> String {
    path.to_str().expect("a name in UTF-8").to_owned()
}

#[test]
fn a_benchmark_leaves_a_page_and_a_trace_and_its_memory() {
    let dir = tempfile::tempdir().expect("a directory");
    let (html, trace) = (dir.path().join("run.html"), dir.path().join("run.json"));
    let output = cuzk(&[
        "bench",
        "prove",
        "--backend",
        "cpu",
        "--constraints",
        "2^6",
        "--rounds",
        "1",
        "--circuits",
        "2",
        "--watch=1ms",
        "--html",
        &path(&html),
        "--trace",
        &path(&trace),
        "--json",
    ]);
    assert!(output.status.success(), "{output:?}");
    let printed: Value = serde_json::from_slice(&output.stdout).expect("one object");
    for report in [&printed, &printed["batch_report"]] {
        let samples = report["memory"]["samples"].as_array().expect("watched");
        assert!(samples[0]["rss_bytes"].as_u64() > Some(0));
        assert!(
            report["spans"]
                .as_array()
                .is_some_and(|spans| spans.len() > 10)
        );
        assert!(report["outer_ms"].as_f64() >= report["total_ms"].as_f64().map(|ms| ms - 1.0));
    }
    assert_eq!(printed["proofs"].as_array().map(Vec::len), Some(0));
    let proofs = printed["batch_report"]["proofs"].as_array();
    assert_eq!(proofs.map(Vec::len), Some(2));
    let page = fs::read_to_string(html).expect("it was written");
    assert!(page.contains("<h2>one proof</h2>") && page.contains("<h2>a batch</h2>"));
    let trace = fs::read(trace).expect("it was written");
    let trace: Value = serde_json::from_slice(&trace).expect("JSON");
    assert!(
        trace["traceEvents"]
            .as_array()
            .is_some_and(|events| events.len() > 10)
    );
}

#[test]
fn a_comparison_leaves_a_page() {
    let dir = tempfile::tempdir().expect("a directory");
    let html = dir.path().join("ab.html");
    let output = cuzk(&[
        "ab",
        "--backend",
        "cpu",
        "--b",
        "lanes=portable",
        "--circuit",
        "bits90",
        "--constraints",
        "2^4",
        "--budget",
        "100ms",
        "--html",
        &path(&html),
    ]);
    assert!(output.status.success(), "{output:?}");
    let page = fs::read_to_string(html).expect("it was written");
    assert!(page.contains("b against a") && page.contains("lanes=portable"));
}

#[test]
fn files_that_would_overwrite_each_other_are_refused_before_work() {
    let dir = tempfile::tempdir().expect("a directory");
    let same = path(&dir.path().join("one"));
    let args = ["bench", "prove", "--html", &same, "--trace", &same];
    let output = cuzk(&args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!Path::new(&same).exists());
    let output = cuzk(&["bench", "prove", "--watch=0ms"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("expected 1ms to 10s"), "{said}");
}
