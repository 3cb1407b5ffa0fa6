//! `cargo xtask docs`: tables of the documents, made of the records under `benchmarks/record/`.
//!
//! A table stands below its template, a comment, and ends with another comment:
//!
//! ```text
//! <!-- records
//! spend = amd-epyc-2-cores/2026-11-30-compare-sapling-spend.json
//! | circuit | constraints |
//! | --- | --- |
//! | Sapling spend | {spend/constraints %,} |
//! -->
//! | circuit | constraints |
//! | --- | --- |
//! | Sapling spend | 98,777 |
//! <!-- end of records -->
//! ```

mod number;
mod records;
mod template;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;

use records::Records;

const BEGIN: &str = "<!-- records";
const BEGIN_END: &str = "-->";
const END: &str = "<!-- end of records -->";

/// Writes the tables, or with `--check` compares them.
pub(crate) fn run(root: &Path, arguments: &[String]) -> anyhow::Result<ExitCode> {
    let check = match arguments {
        [] => false,
        [word] if word == "--check" => true,
        other => anyhow::bail!("expected nothing or --check, got {other:?}"),
    };
    let mut records = Records::new(root.join("benchmarks/record"));
    let mut stale = 0;
    for path in documents(root)? {
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        let text = fs::read_to_string(&path).with_context(|| format!("reading {shown}"))?;
        let made = tables(&text, &mut records).with_context(|| format!("the tables of {shown}"))?;
        if made == text {
            continue;
        }
        stale += 1;
        if check {
            let line = text.lines().zip(made.lines()).take_while(|(a, b)| a == b);
            crate::say(format_args!(
                "{shown}:{}: not what the records say: run cargo xtask docs",
                line.count() + 1
            ));
        } else {
            fs::write(&path, made).with_context(|| format!("writing {shown}"))?;
            crate::say(format_args!("{shown}: written"));
        }
    }
    Ok(match check && stale > 0 {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn documents(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = vec![root.join("README.md"), root.join("benchmarks/README.md")];
    for entry in fs::read_dir(root.join("docs")).context("reading docs")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// A document with its tables made anew.
fn tables(text: &str, records: &mut Records) -> anyhow::Result<String> {
    let mut made = String::with_capacity(text.len());
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        push(&mut made, line);
        if line != BEGIN {
            anyhow::ensure!(line != END, "line {}: ends no table", number + 1);
            continue;
        }
        let mut template = Vec::new();
        loop {
            let (_, line) = lines.next().with_context(|| {
                format!("line {}: the template has no end {BEGIN_END:?}", number + 1)
            })?;
            push(&mut made, line);
            if line == BEGIN_END {
                break;
            }
            template.push(line);
        }
        for row in template::fill(&template, records)
            .with_context(|| format!("the table of line {}", number + 1))?
        {
            push(&mut made, &row);
        }
        // What stood there goes.
        let old = lines.by_ref().find(|(_, line)| *line == END);
        old.with_context(|| format!("line {}: the table has no end {END:?}", number + 1))?;
        push(&mut made, END);
    }
    Ok(made)
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests;
