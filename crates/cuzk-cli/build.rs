//! Says to the program from which commit it is built, for its records.

use std::{path::Path, process::Command};

/// What the program is made of, from this folder on.
const SOURCES: [&str; 4] = [
    "../../crates",
    "../../cuda-kernels/ptx",
    "../../Cargo.toml",
    "../../Cargo.lock",
];

fn main() {
    for path in SOURCES {
        watch(path);
    }
    // What names the commit that is checked out, wherever this checkout keeps it.
    let head = git(&["rev-parse", "--symbolic-full-name", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", head.as_str()] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            watch(&path);
        }
    }
    let commit = git(&["rev-parse", "HEAD"]).unwrap_or_default();
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let modified = changed.map_or(String::new(), |changed| (!changed.is_empty()).to_string());
    println!("cargo::rustc-env=CUZK_COMMIT={commit}");
    println!("cargo::rustc-env=CUZK_MODIFIED={modified}");
}

/// A path that is not there would have the program built every time.
fn watch(path: &str) {
    if Path::new(path).exists() {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// Nothing where there is no checkout, or no git.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
