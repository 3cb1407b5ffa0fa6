//! `cargo xtask gpu-bundle` and `cargo xtask test-gpu`: device tests and benchmarks as programs
//! that need neither this checkout nor a Rust toolchain.
//!
//! ```text
//! gpu-bundle [FOLDER]     builds them into a folder, target/gpu-bundle if none is named
//! test-gpu [--sanitize]   builds them and runs the tests here; fails where no device is
//! ```
//!
//! Device tests stand in a package's library or in test targets of their own, because a stand-in for
//! the driver is that of a whole process; the benchmarks of a package that has some come along.

use std::collections::BTreeSet;
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
    tests: Vec<String>,
    benches: Vec<String>,
}

/// Every package of `crates/` with device tests.
fn packages(repository: &Repository) -> anyhow::Result<Vec<Package>> {
    let mut found: Vec<Package> = Vec::new();
    for (path, manifest) in repository.files("crates/", "/Cargo.toml") {
        let directory = path.trim_end_matches("Cargo.toml");
        let name = directory
            .trim_start_matches("crates/")
            .trim_end_matches('/');
        let mut targets = targets(repository, directory);
        if !targets.is_empty() && manifest.contains("\ncuda = [") {
            targets.extend(["--features".to_owned(), "cuda".to_owned()]);
        }
        if !targets.is_empty() {
            found.push(Package {
                name: name.to_owned(),
                tests: targets,
                benches: benches(manifest)?,
            });
        }
    }
    Ok(found)
}

/// Cargo's words for the targets of a package that have device tests.
fn targets(repository: &Repository, directory: &str) -> Vec<String> {
    let marked = |part: &str| {
        let prefix = format!("{directory}{part}");
        let files = repository.files(&prefix, ".rs");
        let marked = files.filter(|(_, text)| text.contains(MARK));
        let paths = marked.map(|(path, _)| path[prefix.len()..].to_owned());
        paths.collect::<Vec<_>>()
    };
    let mut words = Vec::new();
    if !marked("src/").is_empty() {
        words.push("--lib".to_owned());
    }
    // A target is a file of the folder, or a folder in it.
    let name = |path: &String| path.split(['/', '.']).next().map(str::to_owned);
    let names: BTreeSet<String> = marked("tests/").iter().filter_map(name).collect();
    for name in names {
        words.extend(["--test".to_owned(), name]);
    }
    words
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

/// Builds everything and copies it beside the script, in a folder that has its name only when it is
/// whole.
fn make(root: &Path, folder: &Path) -> anyhow::Result<()> {
    ensure_replaceable(folder)?;
    let mut part = folder.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    remove_bundle(&part)?;
    fill(root, &part)?;
    let bytes = bytes_of(&part)?;
    ensure!(
        bytes <= MAX_BYTES,
        "the bundle has {bytes} bytes, expected at most {MAX_BYTES}"
    );
    remove_bundle(folder)?;
    std::fs::rename(&part, folder).with_context(|| format!("naming {}", folder.display()))?;
    say(format_args!("{}: {bytes} bytes", folder.display()));
    Ok(())
}

/// An earlier bundle, or the part of one, is replaced, and nothing else.
fn ensure_replaceable(folder: &Path) -> anyhow::Result<()> {
    ensure!(
        !folder.exists() || folder.join("run.sh").is_file(),
        "{} is there and is no bundle",
        folder.display()
    );
    Ok(())
}

fn remove_bundle(folder: &Path) -> anyhow::Result<()> {
    ensure_replaceable(folder)?;
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("removing {}", folder.display()))?;
    }
    Ok(())
}

/// The script comes first: by it a folder is known as a bundle, also where a build fails.
fn fill(root: &Path, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let script = folder.join("run.sh");
    std::fs::write(&script, SCRIPT)?;
    std::fs::set_permissions(&script, Permissions::from_mode(0o755))?;
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
        test.extend(package.tests.iter().map(String::as_str));
        copy_stripped(&build(root, &test)?, &tests, &format!("{name}-"))?;
        if !package.benches.is_empty() {
            let mut bench = vec!["bench", "--no-run", "-p", name];
            bench.extend(package.benches.iter().flat_map(|b| ["--bench", b]));
            copy_stripped(&build(root, &bench)?, &benches, &format!("{name}-"))?;
        }
    }
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
        run(Command::new("xz").arg("-6").arg(&to))?;
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
            let is_bundled = matches!(&parts[..], ["crates", _, "src" | "tests", ..]);
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
    fn a_bundle_and_the_part_of_one_are_replaced_and_nothing_else() -> anyhow::Result<()> {
        let there = std::env::temp_dir().join(format!("cuzk-bundle-{}", std::process::id()));
        std::fs::create_dir_all(&there)?;
        ensure_replaceable(&there.join("absent"))?;
        let refused = remove_bundle(&there).expect_err("somebody's folder");
        assert!(refused.to_string().contains("is no bundle"), "{refused}");
        // Without a checkout there nothing can be built, which leaves a part behind.
        let folder = there.join("bundle");
        for _ in 0..2 {
            assert!(make(&there, &folder).is_err());
            assert!(!folder.exists());
            assert!(there.join("bundle.part/run.sh").is_file());
        }
        std::fs::remove_dir_all(&there)?;
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
            ("crates/b/tests/other.rs", MARK),
            ("crates/b/tests/third.rs", ""),
            ("crates/b/src/lib.rs", ""),
            ("crates/c/Cargo.toml", bench),
            ("crates/c/src/lib.rs", "#[test]"),
        ]);
        let package = |name: &str, tests: &[&str], benches: &[&str]| Package {
            name: name.to_owned(),
            tests: tests.iter().map(ToString::to_string).collect(),
            benches: benches.iter().map(ToString::to_string).collect(),
        };
        let expected = [
            package("a", &["--lib"], &["b"]),
            package("b", &["--test", "device", "--test", "other"], &[]),
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
