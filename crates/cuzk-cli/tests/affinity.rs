//! The affinity that the system gives the process is the number of threads that work.
#![cfg(target_os = "linux")]

use std::{fs, process::Command};

use serde_json::Value;

/// The first processor that this process may run on, by the kernel's own list.
fn first_processor() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let list = list.expect("a line of the status").trim();
    list.split(['-', ',']).next().expect("a number").to_owned()
}

#[test]
fn a_process_bound_to_one_processor_proves_with_one_thread() {
    let output = Command::new("taskset")
        .args(["-c", &first_processor(), env!("CARGO_BIN_EXE_cuzk")])
        .args(["demo", "sapling-output", "--json"])
        .output()
        .expect("taskset of util-linux starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let device = report["device"].as_str().expect("a name");
    assert!(device.starts_with("1 threads, "), "{device}");
}
