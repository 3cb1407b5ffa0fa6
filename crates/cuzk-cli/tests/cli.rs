//! The program as a user runs it: arguments in, text or JSON and an exit code out.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

fn cuzk<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn object(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn path(text: &Path) -> String {
    text.display().to_string()
}

/// A verifying key of the real Output circuit, as the ceremony made it.
fn sapling_output_key() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/sapling-output.vk")
}

/// A proof file of the demonstration, made once for each test that asks.
fn demo_proof(dir: &Path) -> (PathBuf, Value) {
    let out = dir.join("proof.json");
    let args = [
        "demo",
        "sapling-output",
        "--seed",
        "7",
        "--json",
        "--out",
        &path(&out),
    ];
    let output = cuzk(&args);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    (out, object(&output))
}

#[test]
fn demo_keeps_the_json_contract_and_verify_takes_its_proof() {
    let dir = tempfile::tempdir().expect("a directory");
    let (proof, printed) = demo_proof(dir.path());
    for key in [
        "circuit",
        "constraints",
        "inputs",
        "aux",
        "backend",
        "device",
        "verified",
        "proof",
        "public_inputs",
        "phases",
        "total_ms",
        "unaccounted_percent",
        "peak_rss_bytes",
    ] {
        assert!(!printed[key].is_null(), "{key} is missing from {printed}");
    }
    assert_eq!(printed["circuit"], "sapling-output");
    assert_eq!(printed["constraints"], 7827);
    assert_eq!(printed["inputs"], 6);
    assert_eq!(printed["aux"], 7821);
    assert_eq!(printed["verified"], true);
    assert_eq!(printed["seed"], 7);
    assert_eq!(printed["proof"].as_str().map(str::len), Some(384));
    assert_eq!(printed["public_inputs"].as_array().map(Vec::len), Some(5));
    for phase in printed["phases"].as_array().expect("a list") {
        for key in ["name", "host_ms", "device_ms", "bytes"] {
            assert!(phase.get(key).is_some(), "{key} is missing from {phase}");
        }
    }
    let key = path(&sapling_output_key());
    let verified = cuzk(&["verify", "--json", "--key", &key, "--proof", &path(&proof)]);
    assert_eq!(code(&verified), Some(0), "{}", stderr(&verified));
    assert_eq!(object(&verified)["verified"], true);
}

#[test]
fn a_changed_proof_or_input_exits_with_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let (proof, printed) = demo_proof(dir.path());
    let key = path(&sapling_output_key());
    let check = |object: &Value| {
        fs::write(&proof, object.to_string()).expect("the file is ours");
        cuzk(&["verify", "--key", &key, "--proof", &path(&proof)])
    };
    let mut changed = printed.clone();
    changed["public_inputs"][2] = "12345".into();
    let refused = check(&changed);
    assert_eq!(code(&refused), Some(1), "{}", stderr(&refused));

    let mut changed = printed.clone();
    let digits = printed["proof"].as_str().expect("text");
    changed["proof"] = format!("{}{}", &digits[96..], &digits[..96]).into();
    assert_eq!(code(&check(&changed)), Some(1));

    let mut changed = printed.clone();
    changed["public_inputs"]
        .as_array_mut()
        .expect("a list")
        .pop();
    let refused = check(&changed);
    assert_eq!(code(&refused), Some(2));
    assert!(
        stderr(&refused).contains("expected 5, got 4"),
        "{}",
        stderr(&refused)
    );

    let mut changed = printed;
    changed["public_inputs"][0] = "0xzz".into();
    assert_eq!(code(&check(&changed)), Some(2));
}

#[test]
fn a_bare_proof_needs_its_inputs_on_the_command_line() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_, printed) = demo_proof(dir.path());
    let digits = printed["proof"].as_str().expect("text");
    let bytes: Vec<u8> = (0..192)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("digits"))
        .collect();
    let raw = dir.path().join("proof.bin");
    fs::write(&raw, bytes).expect("written");
    let text = dir.path().join("proof.hex");
    fs::write(&text, format!("{digits}\n")).expect("written");
    let inputs: Vec<&str> = printed["public_inputs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let key = path(&sapling_output_key());
    for file in [raw, text] {
        let bare = cuzk(&["verify", "--key", &key, "--proof", &path(&file)]);
        assert_eq!(code(&bare), Some(2));
        assert!(stderr(&bare).contains("--inputs"), "{}", stderr(&bare));
        let list = inputs.join(",");
        let whole = cuzk(&[
            "verify",
            "--key",
            &key,
            "--proof",
            &path(&file),
            "--inputs",
            &list,
        ]);
        assert_eq!(code(&whole), Some(0), "{}", stderr(&whole));
    }
}

#[test]
fn usage_errors_and_missing_files_exit_with_two() {
    for args in [
        &["frobnicate"][..],
        &["demo", "bitcoin"],
        &["demo", "sapling-output", "--threads", "0"],
        &["demo", "sapling-output", "--backend", "gpu"],
        &[
            "demo",
            "sapling-output",
            "--params",
            "/nonexistent/file.params",
        ],
        &["verify", "--key", "/nonexistent", "--proof", "/nonexistent"],
        &["inspect", "/nonexistent"],
        &["inspect"],
    ] {
        let output = cuzk(args);
        assert_eq!(code(&output), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    assert_eq!(code(&cuzk(&["--help"])), Some(0));
    assert_eq!(code(&cuzk(&["--version"])), Some(0));
}

#[test]
fn failures_are_objects_too_where_json_is_asked_for() {
    let failed = cuzk(&["inspect", "--json", "/nonexistent"]);
    assert_eq!(code(&failed), Some(2));
    let text = String::from_utf8(failed.stdout).expect("UTF-8");
    let mut objects = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let first = objects.next().expect("an object").expect("well-formed");
    assert_eq!(first["good"], false);
    assert!(objects.next().is_none(), "one object alone: {text}");
}

#[test]
fn inspect_tells_kinds_apart_and_refuses_broken_content_with_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let (proof, _) = demo_proof(dir.path());
    let key = sapling_output_key();
    let output = cuzk(&["inspect", "--json", &path(&key), &path(&proof)]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let files = object(&output)["files"].clone();
    assert_eq!(files[0]["kind"], "verifying key");
    assert_eq!(files[0]["public_inputs"], 5);
    assert_eq!(files[1]["kind"], "proof");

    let mut broken = fs::read(&key).expect("readable");
    broken[100] ^= 1;
    let file = dir.path().join("broken.vk");
    fs::write(&file, broken).expect("written");
    let output = cuzk(&["inspect", &path(&file)]);
    assert_eq!(code(&output), Some(1));
    assert!(stderr(&output).contains("beta_g1"), "{}", stderr(&output));

    let junk = dir.path().join("junk");
    fs::write(&junk, b"neither this nor that").expect("written");
    assert_eq!(code(&cuzk(&["inspect", &path(&junk)])), Some(1));
}

/// A circuit and a witness of circom's.
fn circom(name: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuzk-iden3/tests/data");
    path(&data.join(name))
}

/// Parameters and verifying key of the circuit, made in a folder.
fn set_up(dir: &Path) -> (String, String) {
    let params = path(&dir.join("c.params"));
    let vk = path(&dir.join("c.vk"));
    let r1cs = circom("bounded_product.r1cs");
    let output = cuzk(&[
        "setup", "--r1cs", &r1cs, "--params", &params, "--vk", &vk, "--json",
    ]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert_eq!(object(&output)["constraints"], 39);
    (params, vk)
}

#[test]
fn a_circuit_of_circom_is_set_up_proved_verified_and_inspected() {
    let dir = tempfile::tempdir().expect("a directory");
    let (params, vk) = set_up(dir.path());
    let (r1cs, wtns) = (
        circom("bounded_product.r1cs"),
        circom("bounded_product.wtns"),
    );
    let proof = path(&dir.path().join("proof.json"));
    let inputs = ["--r1cs", &r1cs, "--witness", &wtns, "--params", &params];
    let output = cuzk(&[&["prove", "--json", "--out", &proof], &inputs[..]].concat());
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let printed = object(&output);
    assert_eq!(printed["circuit"], "bounded_product");
    assert_eq!(
        printed["public_inputs"][0],
        format!("0x{:064x}", 1009 * 40961)
    );

    // The parameters begin with the key, and serve as one.
    for key in [&vk, &params] {
        let verified = cuzk(&["verify", "--key", key, "--proof", &proof]);
        assert_eq!(code(&verified), Some(0), "{}", stderr(&verified));
    }
    let inspected = cuzk(&[
        "inspect", "--json", "--check", "subgroup", &r1cs, &wtns, &params,
    ]);
    assert_eq!(code(&inspected), Some(0), "{}", stderr(&inspected));
    let files = object(&inspected)["files"].clone();
    assert_eq!(files[0]["constraints"], 39);
    assert_eq!(files[1]["values"], 41);
    assert_eq!(files[2]["points"], "in the subgroup");

    let digest = files[2]["digest"].as_str().expect("checked").to_owned();
    let pinned = [
        &["prove", "--check", "digest", "--digest", &digest],
        &inputs[..],
    ]
    .concat();
    assert_eq!(code(&cuzk(&pinned)), Some(0));
    let other = digest.chars().rev().collect::<String>();
    let pinned = [
        &["prove", "--check", "digest", "--digest", &other],
        &inputs[..],
    ]
    .concat();
    assert_eq!(code(&cuzk(&pinned)), Some(2));
}

#[test]
fn existing_parameters_are_kept_and_missing_ones_are_not_made() {
    let dir = tempfile::tempdir().expect("a directory");
    let (params, _) = set_up(dir.path());
    let before = fs::read(&params).expect("readable");
    let r1cs = circom("bounded_product.r1cs");
    let again = cuzk(&["setup", "--r1cs", &r1cs, "--params", &params]);
    assert_eq!(code(&again), Some(2));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
    assert_eq!(fs::read(&params).expect("readable"), before);

    let missing = path(&dir.path().join("missing.params"));
    let wtns = circom("bounded_product.wtns");
    let output = cuzk(&[
        "prove",
        "--r1cs",
        &r1cs,
        "--witness",
        &wtns,
        "--params",
        &missing,
    ]);
    assert_eq!(code(&output), Some(2));
    assert!(
        stderr(&output).contains("cuzk setup"),
        "{}",
        stderr(&output)
    );
    assert!(!Path::new(&missing).exists());
}

#[test]
fn a_witness_that_breaks_a_constraint_exits_with_one_and_a_damaged_file_with_two() {
    let dir = tempfile::tempdir().expect("a directory");
    let (params, _) = set_up(dir.path());
    let r1cs = circom("bounded_product.r1cs");
    let prove = |wtns: &str| {
        cuzk(&[
            "prove",
            "--r1cs",
            &r1cs,
            "--witness",
            wtns,
            "--params",
            &params,
        ])
    };
    let good = fs::read(circom("bounded_product.wtns")).expect("readable");
    let changed = dir.path().join("changed.wtns");
    // The lowest byte of the last value.
    let mut bytes = good.clone();
    let at = bytes.len() - 32;
    bytes[at] ^= 1;
    fs::write(&changed, &bytes).expect("written");
    let refused = prove(&path(&changed));
    assert_eq!(code(&refused), Some(1), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("constraint"),
        "{}",
        stderr(&refused)
    );

    fs::write(&changed, &good[..good.len() - 1]).expect("written");
    assert_eq!(code(&prove(&path(&changed))), Some(2));
    assert_eq!(code(&cuzk(&["inspect", &path(&changed)])), Some(1));

    let mut long = fs::read(&params).expect("readable");
    long.push(0);
    fs::write(&params, long).expect("written");
    let trailing = prove(&circom("bounded_product.wtns"));
    assert_eq!(code(&trailing), Some(2));
    assert!(
        stderr(&trailing).contains("--allow-trailing"),
        "{}",
        stderr(&trailing)
    );
}

#[test]
fn bench_prove_times_proofs_and_refuses_sizes_that_are_none() {
    let options = "--constraints 2^7 --rounds 2 --circuits 3 --json --backend cpu";
    let args: Vec<&str> = ["bench", "prove"]
        .into_iter()
        .chain(options.split(' '))
        .collect();
    let output = cuzk(&args);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let object = object(&output);
    assert_eq!(object["constraints"], 126);
    assert_eq!(object["backend"], "cpu");
    assert_eq!(object["single_ms"].as_array().map(Vec::len), Some(2));
    assert_eq!(object["batched_ms"].as_array().map(Vec::len), Some(2));
    assert!(
        object["single_median_ms"]
            .as_f64()
            .is_some_and(|ms| ms > 0.0)
    );
    let rest = object["neither_0_nor_1"].as_u64().expect("a count");
    assert!((1..60).contains(&rest), "{rest} of 127, nine of ten bits");

    for size in ["0", "2^29", "2^1", "many", "-1"] {
        let output = cuzk(&["bench", "prove", &format!("--constraints={size}")]);
        assert_eq!(code(&output), Some(2), "{size}: {}", stderr(&output));
    }
    let output = cuzk(&["bench", "prove", "--shape", "nowhere"]);
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
}

#[test]
fn bench_pipeline_times_three_ways_and_reports_a_proof_of_its_own() {
    let options = "--constraints 2^7 --rounds 2 --proofs 3 --synthesis-threads 2 --json";
    let args = ["bench", "pipeline", "--backend", "cpu"];
    let args: Vec<&str> = args.into_iter().chain(options.split(' ')).collect();
    let output = cuzk(&args);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let object = object(&output);
    for way in ["one_by_one_ms", "batch_ms", "pipeline_ms"] {
        assert_eq!(object[way].as_array().map(Vec::len), Some(2), "{way}");
    }
    let phases = object["phases"].as_array().expect("a report");
    let calls = |name: &str| {
        let row = phases.iter().find(|row| row["name"] == name);
        row.map(|row| row["calls"].clone())
    };
    assert_eq!(calls("synthesize"), Some(1.into()));
    assert!(calls("queue").is_some());
    // A budget in which no witness has room is bad input.
    let args = [
        "bench",
        "pipeline",
        "--constraints=2^7",
        "--witness-budget=1",
    ];
    let output = cuzk(&args);
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
}

#[test]
fn a_device_that_is_not_there_is_bad_input_and_auto_does_without() {
    let output = cuzk(&[
        "demo",
        "sapling-output",
        "--backend",
        "cuda",
        "--device",
        "999",
    ]);
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("the CUDA device cannot be used"));
    let output = cuzk(&["demo", "sapling-output", "--device", "gtx"]);
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
}

#[test]
fn doctor_says_what_there_is_with_and_without_a_device() {
    let output = cuzk(&["doctor", "--threads", "2", "--json"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let object = object(&output);
    assert_eq!(object["threads"], 2);
    let devices = object["devices"].as_array().expect("a list");
    assert_eq!(devices.is_empty(), object["no_device"].is_string());
    for device in devices {
        assert_eq!(
            device["usable"] == true,
            device["why_not"].is_null(),
            "{device}"
        );
    }
    let output = cuzk(&["doctor"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("processor"), "{text}");
    assert_ne!(
        text.contains("no device"),
        text.contains("device 0"),
        "{text}"
    );
}

#[test]
fn doctor_plans_the_memory_of_a_key_within_a_budget() {
    let plan = |budget: &str| {
        let arguments = ["doctor", "--constraints", "2^20", "--memory-budget", budget];
        let output = cuzk(&[&arguments[..], &["--json"]].concat());
        assert_eq!(code(&output), Some(0), "{}", stderr(&output));
        object(&output)["plans"][0].clone()
    };
    let fits = plan("2GiB");
    let bytes = |name: &str| fits["plan"][name].as_u64().expect("bytes");
    assert_eq!(bytes("budget_bytes"), 2 << 30);
    assert!(bytes("peak_bytes") <= 2 << 30, "{fits}");
    let why_not = plan("64MiB")["why_not"].to_string();
    assert!(why_not.contains("expected a memory budget of"), "{why_not}");
    let output = cuzk(&["doctor", "--constraints", "2^20", "--memory-budget", "2GiB"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for word in ["plan of the key", "matrices", "twiddles", "b_g2", "msm_h"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let refused = cuzk(&["doctor", "--memory-budget", "2GB"]);
    assert_eq!(code(&refused), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("auto or bytes, such as 8GiB"), "{said}");
}
