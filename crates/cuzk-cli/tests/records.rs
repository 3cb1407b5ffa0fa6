//! Records: what `cuzk ab --record` keeps, and `cuzk records compare` of two of them.

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn cuzk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .args(["--backend", "cpu"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn record(folder: &Path, name: &str) -> Output {
    let arguments = "ab --circuit uniform --constraints 2^5 --budget 300ms --b lanes=portable";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    cuzk(folder, &[&arguments[..], &["--record", name]].concat())
}

/// The one file below a folder of the name given.
fn find(folder: &Path, name: &str) -> std::path::PathBuf {
    let machines = std::fs::read_dir(folder.join("benchmarks/record")).expect("there");
    let files = machines.flat_map(|machine| {
        let machine = machine.expect("readable").path();
        std::fs::read_dir(machine).expect("a folder")
    });
    let mut files = files.map(|file| file.expect("readable").path());
    files
        .find(|file| file.to_string_lossy().ends_with(&format!("-{name}.json")))
        .expect("recorded")
}

#[test]
fn two_results_are_kept_with_where_they_were_made_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("benchmarks/record")).expect("a folder");
    for name in ["one", "other"] {
        let output = record(folder.path(), name);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(text.contains("recorded in benchmarks/record/"), "{text}");
    }
    let [one, other] = ["one", "other"].map(|name| find(folder.path(), name));
    let text = std::fs::read_to_string(&one).expect("written");
    let object: Value = serde_json::from_str(&text).expect("an object");
    assert_eq!(object["arms"][1]["settings"], "lanes=portable");
    assert!(object["machine"]["cores"].as_u64() >= Some(1));
    assert!(
        object["program"]
            .as_str()
            .expect("text")
            .contains("--record one")
    );
    let paths = [&one, &other].map(|path| path.to_str().expect("UTF-8"));
    let output = cuzk(
        folder.path(),
        &["records", "compare", paths[0], paths[1], "--json"],
    );
    let found: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(found["settings"].as_array().map(Vec::len), Some(2));
    assert!(found["settings"][0]["ratio"]["value"].as_f64() > Some(0.0));
    assert_eq!(found["differences"], Value::Array(Vec::new()));
    let output = cuzk(folder.path(), &["records", "compare", paths[0], paths[1]]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("lanes=portable: "), "{text}");
}

#[test]
fn a_record_that_has_no_place_and_a_file_that_is_none_are_refused_before_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = record(folder.path(), "one");
    assert_eq!(refused.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(
        stderr.contains("there is no folder benchmarks/record"),
        "{stderr}"
    );
    std::fs::create_dir_all(folder.path().join("benchmarks/record")).expect("a folder");
    assert_eq!(record(folder.path(), "../one").status.code(), Some(2));
    let path = folder.path().join("none.json");
    std::fs::write(&path, "{}").expect("written");
    let path = path.to_str().expect("UTF-8");
    let output = cuzk(folder.path(), &["records", "compare", path, path]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn benches_are_kept_in_a_folder_of_choice_and_compared_by_circuit_and_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &str, name: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let record = ["--record", name, "--records", "benchmarks/record"];
        let output = cuzk(folder.path(), &[&arguments[..], &record].concat());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert!(text.contains("recorded in benchmarks/record/"), "{text}");
        let text = std::fs::read_to_string(find(folder.path(), name)).expect("written");
        serde_json::from_str::<Value>(&text).expect("an object")
    };
    std::fs::create_dir_all(folder.path().join("benchmarks/record")).expect("a folder");
    let prove = "bench prove --constraints 2^5,100 --rounds 2 --circuits 2";
    let one = run(prove, "one");
    assert_eq!(one["rows"][0]["id"], "bits90 2^5");
    assert_eq!(one["rows"][1]["id"], "bits90 100");
    let ways = one["rows"][1]["ways"].as_array().expect("ways");
    assert_eq!(ways.len(), 2);
    for way in ways {
        assert_eq!(way["runs_ms"].as_array().map(Vec::len), Some(2));
        let phases = way["phases"].as_array().expect("phases");
        assert!(phases.iter().any(|phase| phase["name"] == "msm_h"));
    }
    assert_eq!(one["rows"][0]["tuning"]["measure"], "full");
    // That of the build, wherever the program is started.
    let commit = one["commit"].as_str().expect("a text");
    assert!(commit == "unknown" || commit.len() == 40, "{commit}");
    let other = run(&format!("{prove} --set measure=off"), "other");
    assert!(other["rows"][0]["ways"][0].get("phases").is_none());
    let [one, other] = ["one", "other"].map(|name| find(folder.path(), name));
    let paths = [&one, &other].map(|path| path.to_str().expect("UTF-8"));
    let output = cuzk(
        folder.path(),
        &["records", "compare", paths[0], paths[1], "--json"],
    );
    let found: Value = serde_json::from_slice(&output.stdout).expect("an object");
    let rows = found["settings"].as_array().expect("rows").iter();
    let names: Vec<_> = rows.map(|row| row["settings"].clone()).collect();
    assert_eq!(names[0], "bits90 2^5, one by one");
    assert_eq!(names.len(), 4);
    let differs = found["differences"].to_string();
    assert!(differs.contains("measure of"), "{differs}");
    let pipeline = "bench pipeline --constraints 2^5 --rounds 2 --proofs 2";
    let ways = run(pipeline, "three")["rows"][0]["ways"].clone();
    let ways = ways.as_array().expect("ways").iter();
    let names: Vec<Value> = ways.map(|way| way["name"].clone()).collect();
    assert_eq!(names, ["one by one", "a batch", "a pipeline"]);
}
