use super::*;
use crate::{
    repository::Repository,
    tidy::{manifests::packages, source::sources},
};

fn findings(path: &str, manifest: &str) -> Vec<Finding> {
    check(&packages(&Repository::of(&[(path, manifest)])).0)
}

#[test]
fn a_confined_library_in_another_crate_is_refused() {
    let manifest = "[package]\nname = \"cuzk-cpu\"\n[dependencies]\nblst.workspace = true\n";
    let found = findings("crates/cuzk-cpu/Cargo.toml", manifest);
    assert_eq!(
        found[0].to_string(),
        "crates/cuzk-cpu/Cargo.toml:4: confined: leave blst to cuzk-curve, cuzk-lanes: \
         its functions are unsafe and are wrapped once"
    );
}

#[test]
fn a_confined_library_in_its_own_crate_is_allowed() {
    let manifest = "[package]\nname = \"cuzk-curve\"\n[dependencies]\nblst.workspace = true\n";
    assert!(findings("crates/cuzk-curve/Cargo.toml", manifest).is_empty());
}

#[test]
fn a_foreign_prover_is_allowed_as_an_oracle_only() {
    let as_oracle = "[package]\nname = \"cuzk-groth16\"\n[dev-dependencies]\nbellman = \"1\"\n";
    let in_code = as_oracle.replace("dev-", "");
    assert!(findings("crates/cuzk-groth16/Cargo.toml", as_oracle).is_empty());
    assert_eq!(
        findings("crates/cuzk-groth16/Cargo.toml", &in_code).len(),
        1
    );
}

#[test]
fn a_bench_program_may_use_anything() {
    let manifest = "[package]\nname = \"bench-peers\"\n[dependencies]\nbellman = \"1\"\n";
    assert!(findings("bench/Cargo.toml", manifest).is_empty());
}

#[test]
fn a_library_that_reads_the_environment_is_refused() {
    let code = "/// Not std::env::var here.\nfn f() {\n    std::env::var_os(\"X\");\n}\n";
    let repository = Repository::of(&[
        ("crates/cuzk-cpu/src/threads.rs", code),
        ("crates/cuzk-cli/src/main.rs", code),
    ]);
    let found = check_sources(&sources(&repository).0);
    assert_eq!(found.len(), 1);
    assert!(
        found[0]
            .to_string()
            .starts_with("crates/cuzk-cpu/src/threads.rs:3: environment:")
    );
}
