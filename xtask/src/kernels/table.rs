//! `cuda-kernels/kernels.toml`: a row per entry point.

use std::path::Path;

use anyhow::{Context as _, ensure};

/// One entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub(crate) symbol: String,
    /// The file in `cuda-kernels/src`, without suffix.
    pub(crate) file: String,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Blocks that a multiprocessor must be able to hold at once.
    pub(crate) min_blocks: u32,
    /// Dynamic shared memory of a launch.
    pub(crate) shared_bytes: u32,
}

pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Kernel>> {
    let path = root.join("cuda-kernels/kernels.toml");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    parse(&text).with_context(|| format!("in {}", path.display()))
}

fn parse(text: &str) -> anyhow::Result<Vec<Kernel>> {
    let table: toml::Table = text.parse()?;
    let rows = table
        .get("kernels")
        .and_then(toml::Value::as_array)
        .context("no array `kernels`")?;
    let kernels = rows
        .iter()
        .enumerate()
        .map(|(i, row)| kernel(row).with_context(|| format!("row {}", i + 1)));
    let kernels = kernels.collect::<anyhow::Result<Vec<_>>>()?;
    for (i, kernel) in kernels.iter().enumerate() {
        let earlier = kernels[..i]
            .iter()
            .any(|other| other.symbol == kernel.symbol);
        ensure!(!earlier, "{} has two rows", kernel.symbol);
    }
    Ok(kernels)
}

fn kernel(row: &toml::Value) -> anyhow::Result<Kernel> {
    let row = row.as_table().context("not a table")?;
    let text = |key: &str| {
        let value = row.get(key).and_then(toml::Value::as_str);
        value
            .map(str::to_owned)
            .with_context(|| format!("no string `{key}`"))
    };
    let number = |key: &str| -> anyhow::Result<u32> {
        let value = row.get(key).and_then(toml::Value::as_integer);
        let value = value.with_context(|| format!("no number `{key}`"))?;
        u32::try_from(value).with_context(|| format!("`{key}` is {value}"))
    };
    let kernel = Kernel {
        symbol: text("symbol")?,
        file: text("file")?,
        threads: number("threads")?,
        min_blocks: number("min_blocks")?,
        shared_bytes: number("shared_bytes")?,
    };
    ensure!(
        row.len() == 5,
        "a key that is none of the five of {}",
        kernel.symbol
    );
    ensure!(
        kernel.symbol.starts_with("cuzk_"),
        "{} does not begin with cuzk_",
        kernel.symbol
    );
    ensure!(
        (1..=1024).contains(&kernel.threads),
        "{} has {} threads",
        kernel.symbol,
        kernel.threads
    );
    ensure!(
        kernel.threads.is_multiple_of(32),
        "{} has part of a warp",
        kernel.symbol
    );
    ensure!(kernel.min_blocks >= 1, "{} has no block", kernel.symbol);
    Ok(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str =
        r#"{ symbol = "cuzk_a", file = "f", threads = 128, min_blocks = 2, shared_bytes = 0 }"#;

    fn error(text: &str) -> String {
        parse(text).map_or_else(|e| format!("{e:#}"), |rows| panic!("accepted {rows:?}"))
    }

    #[test]
    fn a_row_has_five_keys_and_sensible_bounds() {
        let rows = parse(&format!("kernels = [{ROW}]")).expect("the row is right");
        assert_eq!((rows[0].threads, rows[0].min_blocks), (128, 2));
        for (from, to, reason) in [
            ("128", "100", "part of a warp"),
            ("128", "0", "0 threads"),
            ("128", "-1", "`threads` is -1"),
            ("= 2", "= 0", "no block"),
            ("cuzk_a", "a", "does not begin"),
            ("shared_bytes", "shared", "no number `shared_bytes`"),
            ("file", "more = 1, file", "none of the five"),
        ] {
            let text = error(&format!("kernels = [{}]", ROW.replacen(from, to, 1)));
            assert!(text.contains(reason), "{text}");
        }
    }

    #[test]
    fn a_symbol_has_one_row() {
        assert!(error(&format!("kernels = [{ROW}, {ROW}]")).contains("two rows"));
    }
}
