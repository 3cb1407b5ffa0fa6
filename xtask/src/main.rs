//! Chores of the repository.
//!
//! ```text
//! cargo xtask tidy        checks of structure that no compiler makes
//! cargo xtask ci [PART…]  the parts of .ci/run, all or some
//! cargo xtask docs [--check]   tables of the documents from the records
//! cargo xtask constants   writes the constants of the device code
//! cargo xtask build-kernels [--check | [--fetch] [--all]]   the device code to PTX
//! cargo xtask gpu-bundle [FOLDER]      device tests and benchmarks as one folder of programs
//! cargo xtask test-gpu [--sanitize]    the same, run here
//! cargo xtask look-at PAGE…            pages that cuzk wrote, in a browser
//! ```

#![forbid(unsafe_code)]

mod ci;
mod constants;
mod docs;
mod finding;
mod gpu;
mod kernels;
mod look_at;
mod repository;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy | cargo xtask ci [fmt|tidy|clippy|doc|test|look|bench|filecoin]… | cargo xtask docs [--check] | cargo xtask constants | cargo xtask build-kernels [--check | [--fetch] [--all]] | cargo xtask gpu-bundle [FOLDER] | cargo xtask test-gpu [--sanitize] | cargo xtask look-at PAGE…";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = repository::root();
    match arguments.first().map(String::as_str) {
        Some("tidy") if arguments.len() == 1 => report(&tidy::check_directory(&root)?),
        Some("constants") if arguments.len() == 1 => {
            constants::write(&root)?;
            Ok(ExitCode::SUCCESS)
        }
        Some("docs") => docs::run(&root, &arguments[1..]),
        Some("build-kernels") => kernels::run(&root, &arguments[1..]),
        Some("gpu-bundle") => gpu::bundle(&root, &arguments[1..]),
        Some("test-gpu") => gpu::test(&root, &arguments[1..]),
        Some("look-at") => look_at::run(&root, &arguments[1..]),
        Some("ci") => ci::run(&root, &arguments[1..]),
        _ => {
            say(USAGE);
            Ok(ExitCode::from(2))
        }
    }
}

/// Prints the findings; the run fails if any of them is more than a note.
fn report(findings: &[finding::Finding]) -> anyhow::Result<ExitCode> {
    for finding in findings {
        say(finding);
    }
    let errors = findings.iter().filter(|f| f.is_error()).count();
    let notes = findings.len() - errors;
    say(format_args!("tidy: {errors} to mend, {notes} to note"));
    Ok(if errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[expect(clippy::print_stdout, reason = "a chore reports on the terminal")]
fn say(line: impl std::fmt::Display) {
    println!("{line}");
}
