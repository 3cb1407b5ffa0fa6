//! The table of modules and entry points that `cuzk-kernels` compiles in.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Unit;

pub(crate) const PATH: &str = "crates/cuzk-kernels/src/manifest.rs";

pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(PATH)
}

/// The text of the file, in the layout that rustfmt keeps.
pub(crate) fn text(root: &Path, units: &[Unit]) -> anyhow::Result<String> {
    let mut out = String::from(
        "//! Written by `cargo xtask build-kernels` from `cuda-kernels/kernels.toml`; not to be edited.\n\n\
         use crate::{EntryPoint, Module};\n\n\
         pub(crate) const MODULES: &[Module] = &[\n",
    );
    for unit in units {
        let name = &unit.source.name;
        let ptx = std::fs::read_to_string(super::ptx::path(root, name)).unwrap_or_default();
        let param_bytes = super::ptx::param_bytes(&ptx);
        writeln!(out, "    Module {{")?;
        writeln!(out, "        name: \"{name}\",")?;
        writeln!(out, "        digest: \"{}\",", unit.digest)?;
        writeln!(
            out,
            "        ptx: include_str!(\"../../../cuda-kernels/ptx/{name}.ptx\"),"
        )?;
        writeln!(out, "        entry_points: &[")?;
        for kernel in &unit.kernels {
            writeln!(out, "            EntryPoint {{")?;
            writeln!(out, "                symbol: \"{}\",", kernel.symbol)?;
            writeln!(out, "                threads: {},", kernel.threads)?;
            writeln!(out, "                min_blocks: {},", kernel.min_blocks)?;
            writeln!(
                out,
                "                shared_bytes: {},",
                kernel.shared_bytes
            )?;
            let bytes = param_bytes
                .get(kernel.symbol.as_str())
                .copied()
                .unwrap_or(0);
            writeln!(out, "                param_bytes: {bytes},")?;
            writeln!(out, "            }},")?;
        }
        writeln!(out, "        ],\n    }},")?;
    }
    out.push_str("];\n");
    Ok(out)
}
