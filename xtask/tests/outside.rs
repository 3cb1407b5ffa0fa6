//! A crate of another workspace builds on the device layers by the way that the README of
//! `cuzk-device` tells for a machine without a CUDA toolkit, and starts without a driver.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Where a build script of the bindings would look for a toolkit.
const TOOLKIT: [&str; 4] = [
    "CUDA_LIBRARY_PATH",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_TOOLKIT_ROOT_DIR",
];

const MAIN: &str = r#"
use cuzk_device::{Device, DeviceError, DeviceOptions, DeviceSelector};
use cuzk_msm as _;
use cuzk_ntt::{NttEngine, NttError, Plan};

fn engine() -> Result<NttEngine, NttError> {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    NttEngine::open(&device)
}

fn main() {
    println!("plan: {}", Plan::new(26).expect("a plan"));
    match engine() {
        Ok(engine) => println!("device: {}", engine.device().info().name),
        Err(NttError::Device(error @ (DeviceError::NoDriver(_) | DeviceError::NoDevice))) => {
            println!("none: {error}");
        }
        Err(error) => panic!("{error}"),
    }
}
"#;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("the package stands in the workspace")
        .to_path_buf()
}

/// The workspace's `[patch.crates-io]`, as it is to be copied, with paths from anywhere.
fn patch() -> toml::Table {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("it is there");
    let manifest: toml::Table = manifest.parse().expect("it is TOML");
    let mut patch = manifest["patch"]["crates-io"]
        .as_table()
        .expect("a table")
        .clone();
    for (name, row) in &mut patch {
        let path = row["path"]
            .as_str()
            .unwrap_or_else(|| panic!("{name} has a path"));
        row["path"] = root().join(path).display().to_string().into();
    }
    patch
}

/// A package that depends by path on crates of this workspace, and is none of it.
fn write_package(directory: &Path) {
    let mut manifest = String::from(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[profile.dev]\ndebug = false\nincremental = false\n\n[dependencies]\n",
    );
    for name in ["cuzk-device", "cuzk-msm", "cuzk-ntt"] {
        let path = root().join("crates").join(name);
        manifest.push_str(&format!(
            "{name} = {{ path = {:?} }}\n",
            path.display().to_string()
        ));
    }
    manifest.push_str("\n[patch.crates-io]\n");
    for (name, row) in patch() {
        manifest.push_str(&format!("{name} = {row}\n"));
    }
    std::fs::create_dir_all(directory.join("src")).expect("a folder");
    std::fs::write(directory.join("Cargo.toml"), manifest).expect("written");
    std::fs::write(directory.join("src/main.rs"), MAIN).expect("written");
    // The same versions as here, all of which this build has fetched.
    std::fs::copy(root().join("Cargo.lock"), directory.join("Cargo.lock")).expect("copied");
}

fn cargo(directory: &Path, command: &str) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(directory)
        .args([command, "--offline", "--quiet"]);
    cargo.env("CARGO_TARGET_DIR", directory.join("target"));
    for name in TOOLKIT {
        cargo.env_remove(name);
    }
    cargo.output().expect("cargo starts")
}

#[test]
fn a_crate_outside_of_the_workspace_builds_without_a_toolkit_and_starts_without_a_driver() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    write_package(&directory);
    let output = cargo(&directory, "run");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complained}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "plan: 2^26 by 8 + 9 + 9 stages");
    let ended = lines[1].starts_with("device: ")
        || lines[1] == "none: there is no usable NVIDIA driver"
        || lines[1] == "none: the NVIDIA driver sees no device";
    assert!(ended && lines.len() == 2, "{said}");
}
