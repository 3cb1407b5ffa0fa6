//! `cargo xtask ci`: the parts of `.ci/run`, which is the only place that says what they are.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Context;

pub(crate) fn run(root: &Path, parts: &[String]) -> anyhow::Result<ExitCode> {
    let status = Command::new("bash")
        .arg(root.join(".ci/run"))
        .args(parts)
        .current_dir(root)
        .status()
        .context("starting bash on .ci/run")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
