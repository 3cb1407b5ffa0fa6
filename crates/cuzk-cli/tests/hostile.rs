//! What goes wrong around the program: files that are no files, places that cannot be written,
//! streams that are closed, threads that do not start.
#![cfg(target_os = "linux")]

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cuzk"))
}

fn cuzk<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    program().args(args).output().expect("the program starts")
}

#[track_caller]
fn exits(output: &Output, code: i32, message: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(message), "{message:?} is not in {stderr:?}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one object")
}

/// A circuit of circom's with its witness and parameters, in a folder of its own.
struct Case {
    dir: tempfile::TempDir,
    r1cs: String,
    wtns: String,
    params: String,
    vk: String,
}

impl Case {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuzk-iden3/tests/data");
        let copied = |name: &str| {
            let to = dir.path().join(name);
            fs::copy(data.join(name), &to).expect("copied");
            text(&to)
        };
        let case = Self {
            r1cs: copied("bounded_product.r1cs"),
            wtns: copied("bounded_product.wtns"),
            params: text(&dir.path().join("c.params")),
            vk: text(&dir.path().join("c.vk")),
            dir,
        };
        let made = case.setup(&["--params", &case.params, "--vk", &case.vk]);
        exits(&made, 0, "");
        case
    }

    fn at(&self, name: &str) -> String {
        text(&self.dir.path().join(name))
    }

    fn setup(&self, args: &[&str]) -> Output {
        cuzk(&[&["setup", "--r1cs", &self.r1cs], args].concat())
    }

    fn prove(&self, args: &[&str]) -> Output {
        self.prove_command(args)
            .output()
            .expect("the program starts")
    }

    fn prove_command(&self, args: &[&str]) -> Command {
        let mut command = program();
        command.args(["prove", "--r1cs", &self.r1cs, "--witness", &self.wtns]);
        command.args(["--params", &self.params]).args(args);
        command
    }

    /// The names in the folder.
    fn names(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.dir.path()).expect("readable");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("readable").path())
            .collect();
        names.sort();
        names
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_set_up_that_fails_leaves_everything_as_it_was() {
    let case = Case::new();
    let (names, params) = (case.names(), fs::read(&case.params).expect("readable"));
    let new = case.at("new.params");
    let nowhere = case.at("missing/c.vk");
    exits(
        &case.setup(&["--params", &new, "--vk", &nowhere]),
        2,
        "creating",
    );
    exits(
        &case.setup(&["--params", &case.at("missing/p")]),
        2,
        "creating",
    );
    exits(
        &case.setup(&["--params", &text(case.dir.path())]),
        2,
        "directory",
    );
    let forced = ["--force", "--params", &case.params, "--vk", &nowhere];
    exits(&case.setup(&forced), 2, "creating");
    // Of a circuit that cannot be set up, and on a device that is full.
    let broken = case.at("bounded_product.wtns");
    let refused = cuzk(&[
        "setup",
        "--force",
        "--r1cs",
        &broken,
        "--params",
        &case.params,
    ]);
    exits(&refused, 2, "no r1cs file");
    let full = ["--force", "--params", &case.params, "--vk", "/dev/full"];
    exits(&case.setup(&full), 2, "No space left");
    assert_eq!(case.names(), names);
    assert_eq!(fs::read(&case.params).expect("readable"), params);
}

#[test]
fn no_file_is_read_and_written_or_written_twice() {
    let case = Case::new();
    let r1cs = fs::read(&case.r1cs).expect("readable");
    let wtns = fs::read(&case.wtns).expect("readable");
    let names = case.names();
    let same = "is the same file";
    let new = case.at("new");
    let other_words = case.at("./new");
    exits(
        &case.setup(&["--params", &new, "--vk", &other_words]),
        2,
        same,
    );
    exits(
        &case.setup(&["--force", "--params", &case.vk, "--vk", &case.vk]),
        2,
        same,
    );
    exits(&case.setup(&["--force", "--params", &case.r1cs]), 2, same);
    for input in [&case.r1cs, &case.wtns, &case.params] {
        exits(&case.prove(&["--out", input]), 2, same);
    }
    let link = case.at("link");
    symlink(&case.wtns, &link).expect("linked");
    exits(&case.prove(&["--out", &link]), 2, same);
    fs::remove_file(&link).expect("removed");
    assert_eq!(case.names(), names);
    assert_eq!(fs::read(&case.r1cs).expect("readable"), r1cs);
    assert_eq!(fs::read(&case.wtns).expect("readable"), wtns);
}

#[test]
fn a_proof_replaces_what_was_there_through_links_and_goes_to_devices() {
    let case = Case::new();
    let (proof, link) = (case.at("proof.json"), case.at("link.json"));
    fs::write(&proof, "long ago ".repeat(10_000)).expect("written");
    symlink(&proof, &link).expect("linked");
    exits(&case.prove(&["--out", &link]), 0, "");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    exits(
        &cuzk(&["verify", "--key", &case.vk, "--proof", &proof]),
        0,
        "",
    );
    exits(&case.prove(&["--out", "/dev/null"]), 0, "");
    assert!(!fs::metadata("/dev/null").expect("there").is_file());

    let missing = case.prove(&["--json", "--out", &case.at("missing/proof.json")]);
    exits(&missing, 2, "creating");
    // The proof is not lost with the place for it.
    let full = case.prove(&["--json", "--out", "/dev/full"]);
    exits(&full, 2, "No space left");
    assert_eq!(object(&full)["verified"], true);
}

#[test]
fn streams_without_end_and_folders_are_refused_at_once() {
    let case = Case::new();
    let folder = text(case.dir.path());
    for (file, why) in [("/dev/zero", "no r1cs file"), (&folder, "directory")] {
        exits(
            &case.prove(&["--r1cs", file]),
            2,
            "cannot be used multiple times",
        );
        let args = [
            "--witness",
            &case.wtns,
            "--params",
            &case.params,
            "--r1cs",
            file,
        ];
        exits(&cuzk(&[&["prove"], &args[..]].concat()), 2, why);
    }
    for (file, why) in [("/dev/zero", "no wtns file"), (&folder, "directory")] {
        let args = [
            "--r1cs",
            &case.r1cs,
            "--params",
            &case.params,
            "--witness",
            file,
        ];
        exits(&cuzk(&[&["prove"], &args[..]].concat()), 2, why);
    }
    for file in ["/dev/zero", "/dev/null", &folder] {
        let args = [
            "--r1cs",
            &case.r1cs,
            "--witness",
            &case.wtns,
            "--params",
            file,
        ];
        exits(
            &cuzk(&[&["prove"], &args[..]].concat()),
            2,
            "no regular file",
        );
        exits(&cuzk(&["inspect", file]), 2, "no regular file");
        exits(&cuzk(&["verify", "--key", file, "--proof", file]), 2, file);
        exits(
            &cuzk(&["verify", "--key", &case.vk, "--proof", file]),
            2,
            file,
        );
    }
}

#[test]
fn circuits_come_through_pipes() {
    let case = Case::new();
    let circuit = fs::File::open(&case.r1cs).expect("readable");
    let mut cat = Command::new("cat");
    let mut cat = cat
        .stdin(circuit)
        .stdout(Stdio::piped())
        .spawn()
        .expect("cat starts");
    let piped = program()
        .args(["prove", "--r1cs", "/dev/stdin", "--witness", &case.wtns])
        .args(["--params", &case.params])
        .stdin(cat.stdout.take().expect("piped"))
        .output()
        .expect("the program starts");
    cat.wait().expect("cat ends");
    exits(&piped, 0, "");
}

#[test]
fn closed_streams_change_no_exit_code() {
    let case = Case::new();
    let closed = || {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let status = |command: &mut Command| command.status().expect("the program starts").code();
    let quiet = || case.prove_command(&["-vvv", "--host-memory", "registered"]);
    assert_eq!(
        status(quiet().stderr(closed()).stdout(Stdio::null())),
        Some(0)
    );
    assert_eq!(
        status(quiet().stderr(Stdio::null()).stdout(closed())),
        Some(0)
    );
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("there");
    assert_eq!(status(quiet().stderr(full).stdout(Stdio::null())), Some(0));
    assert_eq!(
        status(program().arg("frobnicate").stderr(closed())),
        Some(2)
    );
}

#[test]
fn numbers_of_threads_that_cannot_be_had_are_errors() {
    let case = Case::new();
    let with = |number: &str, args: &[&str]| {
        let mut command = case.prove_command(args);
        let command = command.env("RAYON_NUM_THREADS", number);
        command.output().expect("the program starts")
    };
    let device = |output: &Output| {
        object(output)["device"]
            .as_str()
            .expect("a name")
            .to_owned()
    };
    exits(&with("70000", &[]), 2, "expected at most 1024, got 70000");
    assert!(device(&with("3", &["--json"])).starts_with("3 threads, "));
    assert!(device(&with("70000", &["--json", "--threads", "2"])).starts_with("2 threads, "));
    exits(&with("none", &[]), 0, "");

    // A thousand stacks do not fit.
    let mut limited = Command::new("sh");
    let script = "ulimit -v 400000; exec \"$@\"";
    limited.args(["-c", script, "sh", env!("CARGO_BIN_EXE_cuzk")]);
    limited.args([
        "verify",
        "--threads",
        "1024",
        "--key",
        &case.vk,
        "--proof",
        &case.vk,
    ]);
    let refused = limited.output().expect("sh starts");
    exits(&refused, 2, "starting threads failed");
}

#[test]
fn every_file_that_is_refused_is_named() {
    let case = Case::new();
    let files = [&case.at("first"), &case.vk, &case.at("second")];
    let output = cuzk(&["inspect", files[0], files[1], files[2]]);
    exits(&output, 2, "first");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for (file, kind) in files.iter().zip(["unusable", "verifying key", "unusable"]) {
        assert!(text.contains(&format!("{file}: {kind}")), "{text}");
    }
}

#[test]
fn a_refused_proof_is_an_object_that_says_so() {
    let case = Case::new();
    let proof = case.at("proof.json");
    exits(&case.prove(&["--out", &proof]), 0, "");
    let args = ["verify", "--json", "--key", &case.vk, "--proof", &proof];
    let refused = cuzk(&[&args[..], &["--inputs", "1,2,3"]].concat());
    exits(&refused, 1, "the proof does not verify");
    assert_eq!(object(&refused)["verified"], false);
    assert_eq!(object(&cuzk(&args))["verified"], true);
}

#[test]
fn a_key_with_something_else_behind_it_is_refused() {
    let case = Case::new();
    let proof = case.at("proof.json");
    exits(&case.prove(&["--out", &proof]), 0, "");
    let verify = |key: &str| cuzk(&["verify", "--key", key, "--proof", &proof]);
    let longer = case.at("longer.vk");
    let mut bytes = fs::read(&case.vk).expect("readable");
    bytes.push(0);
    fs::write(&longer, &bytes).expect("written");
    exits(&verify(&longer), 2, "more than a verifying key");
    exits(&verify(&case.params), 0, "");
    // A ceremony's transcript stands behind parameters.
    let mut bytes = fs::read(&case.params).expect("readable");
    bytes.extend([7; 100]);
    fs::write(&longer, &bytes).expect("written");
    exits(&verify(&longer), 0, "");
}

#[test]
fn a_wire_in_no_constraint_is_named_as_the_circuit_numbers_it() {
    let case = Case::new();
    let circuit = cuzk_iden3::R1csFile::from_bytes(&fs::read(&case.r1cs).expect("readable"));
    let circuit = circuit.expect("of circom's");
    // One wire more, which no constraint names.
    let (wires, constraints) = (circuit.header.wires, circuit.header.constraints);
    let mut matrices = [(); 3].map(|()| cuzk::layers::r1cs::CsrBuilder::new());
    let shape = &circuit.shape;
    for row in 0..shape.num_rows() {
        for (builder, matrix) in matrices.iter_mut().zip([shape.a(), shape.b(), shape.c()]) {
            let mut terms: Vec<_> = matrix.row_terms(row).collect();
            builder.push_row(&mut terms).expect("columns fit");
        }
    }
    let [a, b, c] = matrices.map(|matrix| matrix.finish(wires as usize + 1).expect("in range"));
    let wider = cuzk::Shape::new(shape.num_inputs(), a, b, c).expect("of one size");
    assert_eq!(wider.num_constraints(), constraints as usize);
    fs::write(&case.r1cs, cuzk_iden3::write_r1cs(&wider).expect("small")).expect("written");
    let refused = case.setup(&["--params", &case.at("new.params")]);
    exits(&refused, 2, &format!("it is wire {wires} of {}", case.r1cs));
    assert!(!Path::new(&case.at("new.params")).exists());
}
