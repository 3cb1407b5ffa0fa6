//! The compiler: where it is found or how it is fetched, its flags, and running it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};

use super::table::Kernel;

/// The release that all use, so that the same source gives the same bytes everywhere.
pub(crate) const RELEASE: &str = "13.0";
/// The package of that release, with its parts pinned by it.
const PACKAGE: &str = "cuda-toolkit[nvcc,nvvm,crt,cudart]==13.0.2";
const FETCHED: &str = "target/cuda-toolkit";

/// The flags of the compiler for the kernels of one file.
pub(crate) fn flags(kernels: &[Kernel]) -> Vec<String> {
    let mut flags = vec![
        "--ptx".to_owned(),
        format!("-arch={}", super::ARCHITECTURE),
        "-std=c++17".to_owned(),
        "-Werror=all-warnings".to_owned(),
    ];
    for Kernel {
        symbol,
        threads,
        min_blocks,
        ..
    } in kernels
    {
        flags.push(format!("-DCUZK_THREADS_{symbol}={threads}"));
        flags.push(format!("-DCUZK_MIN_BLOCKS_{symbol}={min_blocks}"));
    }
    flags
}

/// A folder with `nvcc` and `ptxas` of the right release.
pub(crate) struct Toolkit {
    bin: PathBuf,
}

impl Toolkit {
    /// Looks at `$NVCC`, `$CUDA_PATH`, the search path and what was fetched before.
    pub(crate) fn find(root: &Path) -> anyhow::Result<Self> {
        let mut refused = Vec::new();
        for bin in candidates(root)? {
            match Self::at(bin) {
                Ok(toolkit) => return Ok(toolkit),
                Err(reason) => refused.push(format!("\n  {reason:#}")),
            }
        }
        bail!(
            "no nvcc of release {RELEASE}: set NVCC or CUDA_PATH, or run with --fetch{}",
            refused.concat()
        )
    }

    /// Installs the compiler below `target/`, which takes 250 MB there.
    pub(crate) fn fetch(root: &Path) -> anyhow::Result<Self> {
        let directory = root.join(FETCHED);
        if let Some(bin) = fetched(&directory)? {
            return Self::at(bin);
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(&directory))?;
        let pip = directory.join("bin/pip");
        run(Command::new(pip).args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            PACKAGE,
        ]))?;
        let bin = fetched(&directory)?.context("the package has no nvcc")?;
        Self::at(bin)
    }

    fn at(bin: PathBuf) -> anyhow::Result<Self> {
        let toolkit = Self { bin };
        let version = run(Command::new(toolkit.nvcc()).arg("--version"))?;
        let release = version
            .split("release ")
            .nth(1)
            .and_then(|rest| rest.split(',').next());
        ensure!(
            release == Some(RELEASE),
            "{} is of release {}, not {RELEASE}",
            toolkit.nvcc().display(),
            release.unwrap_or("unknown")
        );
        Ok(toolkit)
    }

    pub(crate) fn nvcc(&self) -> PathBuf {
        self.bin.join("nvcc")
    }

    /// The PTX of one file, as the compiler writes it.
    pub(crate) fn compile(
        &self,
        root: &Path,
        name: &str,
        flags: &[String],
    ) -> anyhow::Result<String> {
        let out = scratch(root)?.join(format!("{name}.ptx"));
        run(Command::new(self.nvcc())
            .current_dir(root.join("cuda-kernels"))
            .args(flags)
            .args(["-Iinclude", "-o"])
            .arg(&out)
            .arg(format!("src/{name}.cu")))?;
        std::fs::read_to_string(&out).with_context(|| format!("reading {}", out.display()))
    }

    /// What the assembler reports on the PTX for one architecture.
    pub(crate) fn assemble(&self, root: &Path, ptx: &Path, sm: &str) -> anyhow::Result<String> {
        let out = scratch(root)?.join(format!("sm_{sm}.cubin"));
        run(Command::new(self.bin.join("ptxas"))
            .arg("-v")
            .arg(format!("-arch=sm_{sm}"))
            .arg(ptx)
            .arg("-o")
            .arg(out))
    }
}

fn scratch(root: &Path) -> anyhow::Result<PathBuf> {
    let directory = root.join("target/kernels");
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a chore takes the compiler from the environment"
)]
fn candidates(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut bins = Vec::new();
    if let Some(nvcc) = std::env::var_os("NVCC") {
        bins.extend(PathBuf::from(nvcc).parent().map(Path::to_path_buf));
    }
    if let Some(toolkit) = std::env::var_os("CUDA_PATH") {
        bins.push(PathBuf::from(toolkit).join("bin"));
    }
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&search_path).filter(|bin| bin.join("nvcc").is_file());
    bins.extend(on_path);
    bins.extend(fetched(&root.join(FETCHED))?);
    Ok(bins)
}

/// The folder of programs inside a fetched environment.
fn fetched(environment: &Path) -> anyhow::Result<Option<PathBuf>> {
    let Ok(versions) = std::fs::read_dir(environment.join("lib")) else {
        return Ok(None);
    };
    for version in versions {
        let bin = version?.path().join("site-packages/nvidia/cu13/bin");
        if bin.join("nvcc").is_file() {
            return Ok(Some(bin));
        }
    }
    Ok(None)
}

/// Runs to the end; gives what it printed, and fails with that.
fn run(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("starting {program}"))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    ensure!(
        output.status.success(),
        "{program} failed, {}:\n{text}",
        output.status
    );
    Ok(text)
}
