//! `bench prove` on recorded circuits, right and wrong ones, and streams that nobody reads.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use cuzk::{
    Circuit, ConstraintSystem, Fr, SynthesisError,
    layers::synth::{shape, witness},
};
use serde_json::Value;

/// Squares of a secret; the last one is public.
#[derive(Clone, Copy)]
struct Squares(usize);

impl Circuit for Squares {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut value = Fr::from(3);
        let mut variable = cs.alloc(|| "start", || Ok(value))?;
        for _ in 0..self.0 {
            value *= value;
            let square = cs.alloc(|| "square", || Ok(value))?;
            cs.enforce(
                || "squaring",
                |lc| lc + variable,
                |lc| lc + variable,
                |lc| lc + square,
            );
            variable = square;
        }
        let last = cs.alloc_input(|| "last", || Ok(value))?;
        cs.enforce(
            || "last",
            |lc| lc + variable,
            |lc| lc + CS::one(),
            |lc| lc + last,
        );
        Ok(())
    }
}

struct Files {
    dir: tempfile::TempDir,
    shape: PathBuf,
    witness: PathBuf,
}

impl Files {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let [shape_path, witness_path] = ["a.shape", "a.witness"].map(|name| dir.path().join(name));
        let bytes = shape(Squares(4)).expect("sound").to_bytes();
        fs::write(&shape_path, bytes).expect("written");
        let bytes = witness(Squares(4)).expect("values").to_bytes();
        fs::write(&witness_path, bytes).expect("written");
        Self {
            dir,
            shape: shape_path,
            witness: witness_path,
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    }
}

fn bench(shape: &Path, witness: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
    command
        .args(["bench", "prove", "--rounds", "1", "--circuits", "1"])
        .args(["--backend", "cpu", "--json", "--shape"])
        .arg(shape)
        .arg("--witness-file")
        .arg(witness);
    command
}

fn run(mut command: Command) -> Output {
    command.output().expect("the program starts")
}

/// The whole of standard output as one object.
fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else")
}

/// Bad input, said as an object that names a file.
fn refused(shape: &Path, witness: &Path, named: &Path, why: &str) {
    let output = run(bench(shape, witness));
    let error = object(&output)["error"].as_str().map(str::to_owned);
    let error = error.expect("a message");
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains(&named.display().to_string()), "{error}");
    assert!(error.contains(why), "{why:?} is not in {error}");
}

#[test]
fn a_recorded_circuit_is_measured_and_its_object_is_all_that_is_printed() {
    let files = Files::new();
    let mut command = bench(&files.shape, &files.witness);
    command.arg("-vvv");
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let object = object(&output);
    assert_eq!(object["constraints"], 5);
    assert_eq!(object["inputs"], 2);
    assert_eq!(object["single_ms"].as_array().map(Vec::len), Some(1));
    // One circuit is no batch.
    assert_eq!(object["batched_median_ms"], Value::Null);
    assert!(!output.stderr.is_empty(), "-vvv speaks on standard error");
}

#[test]
fn files_that_do_not_belong_together_are_refused_before_any_set_up() {
    let files = Files::new();
    let other = witness(Squares(5)).expect("values").to_bytes();
    let other = files.write("other.witness", &other);
    let why = "expected 2 inputs of 7 variables, got 2 of 8";
    refused(&files.shape, &other, &other, why);
    refused(
        &files.witness,
        &files.shape,
        &files.witness,
        "not a file of this kind",
    );
}

#[test]
fn damaged_files_and_streams_without_end_are_refused_with_their_names() {
    let files = Files::new();
    let (shape, witness) = (&files.shape, &files.witness);
    let bytes = fs::read(shape).expect("there");
    for len in [0, 7, 8, 20, bytes.len() / 2, bytes.len() - 1] {
        let cut = files.write("cut", &bytes[..len]);
        refused(&cut, witness, &cut, "");
    }
    let bytes = fs::read(witness).expect("there");
    for len in [0, 8, bytes.len() - 9, bytes.len() - 1] {
        let cut = files.write("cut", &bytes[..len]);
        refused(shape, &cut, &cut, "");
    }
    let mut flipped = bytes;
    flipped[60] ^= 1;
    let flipped = files.write("flipped", &flipped);
    refused(shape, &flipped, &flipped, "");
    let (zero, folder) = (Path::new("/dev/zero"), files.dir.path());
    refused(zero, witness, zero, "not a file of this kind");
    refused(shape, zero, zero, "not a file of this kind");
    refused(folder, witness, folder, "directory");
    refused(shape, folder, folder, "directory");
}

#[test]
fn nobody_who_reads_changes_no_exit_code() {
    let closed = || {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let files = Files::new();
    let status = |mut command: Command| {
        let status = command.stdout(closed()).stderr(Stdio::null()).status();
        status.expect("the program starts").code()
    };
    assert_eq!(status(bench(&files.shape, &files.witness)), Some(0));
    assert_eq!(status(bench(&files.witness, &files.witness)), Some(2));
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_cuzk"));
    doctor.args(["doctor", "--json"]);
    assert_eq!(status(doctor), Some(0));
}
