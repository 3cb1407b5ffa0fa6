//! `cargo xtask build-kernels`: the CUDA sources to PTX, which is committed.
//!
//! ```text
//! build-kernels            compiles what is stale with the nvcc that is found
//!   --all                  compiles everything
//!   --fetch                installs the compiler below target/ first, from the package index
//! build-kernels --check    fails when PTX or manifest are stale; needs no compiler
//! ```

mod manifest;
mod ptx;
mod report;
mod source;
mod table;
mod toolkit;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::say;
use source::Source;
use table::Kernel;
use toolkit::Toolkit;

pub(crate) const USAGE: &str = "cargo xtask build-kernels [--check | [--fetch] [--all]]";

/// The architecture of the PTX: what every later one runs too.
const ARCHITECTURE: &str = "compute_75";
/// The PTX version written into the result, and the driver that first takes it. The compiler
/// writes its own version, though it uses no later feature; `ptxas` finds out if it does.
const PTX_VERSION: &str = "7.0";
/// The cards that are tried.
const TRIED: [&str; 7] = ["75", "80", "86", "89", "90", "100", "120"];

pub(crate) fn run(root: &Path, arguments: &[String]) -> anyhow::Result<ExitCode> {
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let known = ["--check", "--fetch", "--all"];
    if arguments.iter().any(|a| !known.contains(&a.as_str()))
        || has("--check") && arguments.len() > 1
    {
        say(format_args!("usage: {USAGE}"));
        return Ok(ExitCode::from(2));
    }
    if has("--check") {
        let stale = stale(root)?;
        for reason in &stale {
            say(reason);
        }
        let code = if stale.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
        return Ok(code);
    }
    build(root, has("--fetch"), has("--all"))?;
    Ok(ExitCode::SUCCESS)
}

/// The kernel files with their rows and the digest of all that their PTX depends on.
struct Unit {
    source: Source,
    kernels: Vec<Kernel>,
    digest: String,
}

fn units(root: &Path) -> anyhow::Result<Vec<Unit>> {
    let kernels = table::read(root)?;
    let sources = source::all(root)?;
    for kernel in &kernels {
        if !sources.iter().any(|source| source.name == kernel.file) {
            bail!(
                "{}: there is no cuda-kernels/src/{}.cu",
                kernel.symbol,
                kernel.file
            );
        }
    }
    let units = sources.into_iter().map(|source| {
        let kernels: Vec<Kernel> = kernels
            .iter()
            .filter(|k| k.file == source.name)
            .cloned()
            .collect();
        let digest = source.digest(&toolkit::flags(&kernels));
        Unit {
            source,
            kernels,
            digest,
        }
    });
    Ok(units.collect())
}

/// What is not as it would be written, a line each.
fn stale(root: &Path) -> anyhow::Result<Vec<String>> {
    let units = units(root)?;
    let mut found = Vec::new();
    for unit in &units {
        let path = ptx::path(root, &unit.source.name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = format!("cuda-kernels/ptx/{}.ptx", unit.source.name);
        if ptx::digest(&text) != Some(unit.digest.as_str()) {
            found.push(format!(
                "{name} is older than its sources: run `cargo xtask build-kernels`"
            ));
            continue;
        }
        let rows: Vec<&str> = unit.kernels.iter().map(|k| k.symbol.as_str()).collect();
        found.extend(
            ptx::differences(&text, &rows)
                .into_iter()
                .map(|d| format!("{name}: {d}")),
        );
    }
    let committed = std::fs::read_to_string(manifest::path(root)).unwrap_or_default();
    if committed != manifest::text(root, &units)? {
        let path = manifest::PATH;
        found.push(format!(
            "{path} is older than kernels.toml: run `cargo xtask build-kernels`"
        ));
    }
    for name in ptx::names(root)? {
        if !units.iter().any(|unit| unit.source.name == name) {
            found.push(format!(
                "cuda-kernels/ptx/{name}.ptx has no source: remove it"
            ));
        }
    }
    Ok(found)
}

fn build(root: &Path, fetch: bool, all: bool) -> anyhow::Result<()> {
    let units = units(root)?;
    let is_stale = |unit: &&Unit| {
        let text = std::fs::read_to_string(ptx::path(root, &unit.source.name)).unwrap_or_default();
        all || ptx::digest(&text) != Some(unit.digest.as_str())
    };
    let to_build: Vec<&Unit> = units.iter().filter(is_stale).collect();
    if !to_build.is_empty() || fetch {
        let toolkit = if fetch {
            Toolkit::fetch(root)?
        } else {
            Toolkit::find(root)?
        };
        say(format_args!("with {}", toolkit.nvcc().display()));
        for unit in to_build {
            build_one(root, &toolkit, unit)?;
        }
    }
    let path = manifest::path(root);
    std::fs::write(&path, manifest::text(root, &units)?)
        .with_context(|| format!("writing {}", path.display()))?;
    let stale = stale(root)?;
    if !stale.is_empty() {
        bail!("{}", stale.join("\n"));
    }
    Ok(())
}

fn build_one(root: &Path, toolkit: &Toolkit, unit: &Unit) -> anyhow::Result<()> {
    let raw = toolkit.compile(root, &unit.source.name, &toolkit::flags(&unit.kernels))?;
    let text = ptx::finish(&raw, &unit.source.name, &unit.digest)?;
    let path = ptx::path(root, &unit.source.name);
    let shown = format!("writing {}", path.display());
    std::fs::create_dir_all(path.parent().context("the file has a folder")?)?;
    std::fs::write(&path, &text).context(shown)?;
    let trials = TRIED
        .iter()
        .map(|architecture| Ok((*architecture, toolkit.assemble(root, &path, architecture)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    say(report::table(
        &unit.source.name,
        text.len(),
        &unit.kernels,
        &trials,
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_kernels_are_those_of_the_sources() -> anyhow::Result<()> {
        let stale = super::stale(&crate::repository::root())?;
        assert!(stale.is_empty(), "{}", stale.join("\n"));
        Ok(())
    }
}
