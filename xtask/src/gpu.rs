//! `cargo xtask gpu-bundle` and `cargo xtask test-gpu`: device tests and benchmarks as programs
//! that need neither this checkout nor a Rust toolchain.
//!
//! ```text
//! gpu-bundle [FOLDER]     builds them into a folder, target/gpu-bundle if none is named
//! test-gpu [--sanitize]   builds them and runs the tests here; fails where no device is
//! ```
//!
//! Device tests stand in a package's library or in its test target `device`; the benchmarks of a
//! package that has some come along.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, ensure};

use crate::{repository::Repository, say};

pub(crate) const USAGE: &str = "cargo xtask gpu-bundle [FOLDER] | test-gpu [--sanitize]";

/// The script of the folder.
const SCRIPT: &str = include_str!("gpu/run.sh");
/// What a folder may weigh, so that it travels.
const MAX_BYTES: u64 = 60_000_000;

pub(crate) fn bundle(root: &Path, arguments: &[String]) -> anyhow::Result<ExitCode> {
    match arguments {
        [] => make(root, &default_folder(root))?,
        [folder] if !folder.starts_with('-') => make(root, Path::new(folder))?,
        _ => return Ok(misused()),
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn test(root: &Path, arguments: &[String]) -> anyhow::Result<ExitCode> {
    if arguments.len() > 1 || arguments.iter().any(|a| a != "--sanitize") {
        return Ok(misused());
    }
    let folder = default_folder(root);
    make(root, &folder)?;
    let mut script = Command::new("bash");
    let status = script.arg(folder.join("run.sh")).args(arguments).status();
    Ok(if status.context("starting bash")?.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn misused() -> ExitCode {
    say(format_args!("usage: {USAGE}"));
    ExitCode::from(2)
}

fn default_folder(root: &Path) -> PathBuf {
    root.join("target/gpu-bundle")
}

/// How a device test is marked.
const MARK: &str = "#[ignore = \"needs a CUDA device\"]";

/// A package with device tests.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    name: String,
    /// Cargo's words for the targets that have them.
    tests: Vec<&'static str>,
    benches: Vec<String>,
}

/// Every package of `crates/` with device tests: in its library, or in a test target `device`.
fn packages(repository: &Repository) -> anyhow::Result<Vec<Package>> {
    let mut found: Vec<Package> = Vec::new();
    for (path, manifest) in repository.files("crates/", "/Cargo.toml") {
        let directory = path.trim_end_matches("Cargo.toml");
        let name = directory
            .trim_start_matches("crates/")
            .trim_end_matches('/');
        let marked = |part: &str| {
            let prefix = format!("{directory}{part}");
            let mut files = repository.files(&prefix, ".rs");
            files.any(|(_, text)| text.contains(MARK))
        };
        let mut tests = Vec::new();
        if marked("src/") {
            tests.push("--lib");
        }
        if marked("tests/device") {
            tests.extend(["--test", "device"]);
        }
        if !tests.is_empty() && manifest.contains("\ncuda = [") {
            tests.extend(["--features", "cuda"]);
        }
        if !tests.is_empty() {
            found.push(Package {
                name: name.to_owned(),
                tests,
                benches: benches(manifest)?,
            });
        }
    }
    Ok(found)
}

/// The names of the benchmarks of a manifest.
fn benches(manifest: &str) -> anyhow::Result<Vec<String>> {
    let manifest: toml::Table = manifest.parse()?;
    let rows = manifest.get("bench").and_then(toml::Value::as_array);
    let names = rows.into_iter().flatten().map(|row| {
        let name = row.get("name").and_then(toml::Value::as_str);
        name.map(str::to_owned)
            .context("a benchmark without a name")
    });
    names.collect()
}

/// Builds everything and copies it beside the script.
fn make(root: &Path, folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        // An earlier bundle, and nothing else, is replaced.
        ensure!(
            folder.join("run.sh").is_file(),
            "{} is there and is no bundle",
            folder.display()
        );
        std::fs::remove_dir_all(folder)?;
    }
    let [tests, benches] = ["tests", "benches"].map(|part| folder.join(part));
    for part in [&tests, &benches] {
        std::fs::create_dir_all(part).with_context(|| format!("making {}", part.display()))?;
    }
    let example = [
        "build",
        "--release",
        "-p",
        "cuzk-device",
        "--example",
        "devices",
    ];
    copy_stripped(&build(root, &example)?, folder, "")?;
    for package in packages(&Repository::read(root)?)? {
        let name = package.name.as_str();
        let mut test = vec!["test", "--release", "--no-run", "-p", name];
        test.extend(&package.tests);
        copy_stripped(&build(root, &test)?, &tests, &format!("{name}-"))?;
        if !package.benches.is_empty() {
            let mut bench = vec!["bench", "--no-run", "-p", name];
            bench.extend(package.benches.iter().flat_map(|b| ["--bench", b]));
            copy_stripped(&build(root, &bench)?, &benches, &format!("{name}-"))?;
        }
    }
    let script = folder.join("run.sh");
    std::fs::write(&script, SCRIPT)?;
    std::fs::set_permissions(&script, Permissions::from_mode(0o755))?;
    let bytes = bytes_of(folder)?;
    ensure!(
        bytes <= MAX_BYTES,
        "the bundle has {bytes} bytes, expected at most {MAX_BYTES}"
    );
    say(format_args!("{}: {bytes} bytes", folder.display()));
    Ok(())
}

/// Runs cargo; gives the programs that it made with the names of their targets.
fn build(root: &Path, arguments: &[&str]) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(arguments);
    cargo.args(["--locked", "--message-format=json-render-diagnostics"]);
    cargo.stderr(std::process::Stdio::inherit());
    let output = cargo.output().context("starting cargo")?;
    ensure!(
        output.status.success(),
        "cargo {} failed",
        arguments.join(" ")
    );
    let programs = programs(&String::from_utf8_lossy(&output.stdout))?;
    ensure!(
        !programs.is_empty(),
        "cargo {} made nothing",
        arguments.join(" ")
    );
    Ok(programs)
}

/// The programs among cargo's messages, a JSON object a line.
fn programs(messages: &str) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: serde_json::Value = serde_json::from_str(line)?;
        let name = message["target"]["name"].as_str();
        if let (Some(name), Some(path)) = (name, message["executable"].as_str()) {
            found.push((name.to_owned(), PathBuf::from(path)));
        }
    }
    Ok(found)
}

/// Copies programs without their debug information, packed: the kernels in each of them are text.
fn copy_stripped(
    programs: &[(String, PathBuf)],
    folder: &Path,
    prefix: &str,
) -> anyhow::Result<()> {
    for (name, path) in programs {
        let to = folder.join(format!("{prefix}{name}"));
        run(Command::new("strip").arg("-o").arg(&to).arg(path))?;
        run(Command::new("gzip").arg("-9").arg(&to))?;
    }
    Ok(())
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .with_context(|| format!("starting {program}"))?;
    ensure!(status.success(), "{program} failed, {status}");
    Ok(())
}

fn bytes_of(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            bytes_of(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::root;

    #[test]
    fn every_device_test_stands_in_a_target_of_the_bundle() -> anyhow::Result<()> {
        let repository = Repository::read(&root())?;
        let packages = packages(&repository)?;
        assert!(
            packages.iter().any(|p| p.name == "cuzk-device"),
            "{packages:?}"
        );
        let elsewhere = repository.files("", ".rs").filter(|(path, text)| {
            let parts: Vec<&str> = path.split('/').collect();
            let is_bundled = matches!(
                &parts[..],
                ["crates", _, "src", ..] | ["crates", _, "tests", "device" | "device.rs", ..]
            );
            text.contains(MARK) && !is_bundled && !path.starts_with("xtask/")
        });
        let elsewhere: Vec<&str> = elsewhere.map(|(path, _)| path).collect();
        assert!(
            elsewhere.is_empty(),
            "out of the bundle's reach: {elsewhere:?}"
        );
        Ok(())
    }

    #[test]
    fn packages_are_found_by_their_marked_tests() -> anyhow::Result<()> {
        let bench = "[[bench]]\nname = \"b\"\n";
        let repository = Repository::of(&[
            ("crates/a/Cargo.toml", bench),
            ("crates/a/src/x/tests.rs", MARK),
            ("crates/b/Cargo.toml", ""),
            ("crates/b/tests/device/main.rs", MARK),
            ("crates/b/src/lib.rs", ""),
            ("crates/c/Cargo.toml", bench),
            ("crates/c/src/lib.rs", "#[test]"),
        ]);
        let package = |name: &str, tests, benches: &[&str]| Package {
            name: name.to_owned(),
            tests,
            benches: benches.iter().map(ToString::to_string).collect(),
        };
        let expected = [
            package("a", vec!["--lib"], &["b"]),
            package("b", vec!["--test", "device"], &[]),
        ];
        assert_eq!(packages(&repository)?, expected);
        Ok(())
    }

    #[test]
    fn benchmarks_are_read_from_the_manifest() -> anyhow::Result<()> {
        let manifest = "[[bench]]\nname = \"a\"\nharness = false\n[[bench]]\nname = \"b\"\n";
        assert_eq!(benches(manifest)?, ["a", "b"]);
        assert!(benches("[package]\nname = \"p\"\n")?.is_empty());
        assert!(benches("[[bench]]\nharness = false\n").is_err());
        Ok(())
    }

    #[test]
    fn programs_are_read_from_the_messages() -> anyhow::Result<()> {
        let messages = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"l\"},\"executable\":null}\n\
                        {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"t\"},\"executable\":\"/x/t-1\"}\n\
                        {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(
            programs(messages)?,
            [("t".to_owned(), PathBuf::from("/x/t-1"))]
        );
        Ok(())
    }
}
