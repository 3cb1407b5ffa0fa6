//! Some libraries are spoken to by named crates only, and only programs read the environment.

use super::{
    manifests::{Kind, Package},
    source::{Source, Token},
};
use crate::finding::Finding;

/// A library, the packages that may depend on it, and why no other may.
struct Confined {
    library: &'static str,
    packages: &'static [&'static str],
    /// Whether the tests of any crate may use it besides, for comparison.
    in_tests: bool,
    reason: &'static str,
}

/// Libraries that read and prove foreign circuits: an oracle, or the other side of an adapter.
const FOREIGN: &[&str] = &["cuzk-synth", "cuzk-sapling", "cuzk-tests"];
const FOREIGN_REASON: &str = "foreign circuits and provers meet ours in an adapter or in a test";

const CONFINED: &[Confined] = &[
    Confined {
        library: "cust",
        packages: &["cuzk-device"],
        in_tests: false,
        reason: "one crate speaks CUDA",
    },
    Confined {
        library: "cust_raw",
        packages: &["cuzk-device", "cuzk-driver", "cuzk-mock-driver"],
        in_tests: false,
        reason: "one crate speaks CUDA",
    },
    Confined {
        library: "blst",
        packages: &["cuzk-curve", "cuzk-lanes"],
        in_tests: true,
        reason: "its functions are unsafe and are wrapped once",
    },
    Confined {
        library: "memmap2",
        packages: &["cuzk-params", "cuzk-hostmem"],
        in_tests: false,
        reason: "a mapping is unsafe and is wrapped once",
    },
    Confined {
        library: "bellman",
        packages: FOREIGN,
        in_tests: true,
        reason: FOREIGN_REASON,
    },
    Confined {
        library: "bellperson",
        packages: FOREIGN,
        in_tests: true,
        reason: FOREIGN_REASON,
    },
    Confined {
        library: "bellpepper-core",
        packages: FOREIGN,
        in_tests: true,
        reason: FOREIGN_REASON,
    },
    Confined {
        library: "bls12_381",
        packages: FOREIGN,
        in_tests: true,
        reason: FOREIGN_REASON,
    },
    Confined {
        library: "sapling-crypto",
        packages: FOREIGN,
        in_tests: false,
        reason: FOREIGN_REASON,
    },
    Confined {
        library: "wagyu-zcash-parameters",
        packages: &["cuzk-sapling", "cuzk-tests"],
        in_tests: true,
        reason: "48 MB of parameters must not come with the library",
    },
    Confined {
        library: "clap",
        packages: &["cuzk-cli"],
        in_tests: false,
        reason: "arguments belong to the program",
    },
    Confined {
        library: "indicatif",
        packages: &["cuzk-cli"],
        in_tests: false,
        reason: "the terminal belongs to the program",
    },
    Confined {
        library: "anyhow",
        packages: &["xtask"],
        in_tests: false,
        reason: "a library's error is a type of its own",
    },
];

/// Packages whose code may read environment variables.
const READS_ENVIRONMENT: &[&str] = &["crates/cuzk-cli/", "tests/", "xtask/", "bench/"];

pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| !package.is_bench()) {
        for dependency in &package.dependencies {
            let Some(row) = CONFINED.iter().find(|row| row.library == dependency.name) else {
                continue;
            };
            let in_test = row.in_tests && dependency.kind == Kind::Dev;
            if !row.packages.contains(&package.name.as_str()) && !in_test {
                let advice = format!(
                    "leave {} to {}: {}",
                    row.library,
                    row.packages.join(", "),
                    row.reason
                );
                findings.push(Finding::error(
                    package.manifest(),
                    dependency.line,
                    "confined",
                    advice,
                ));
            }
        }
    }
    findings
}

/// Finds `env::var…` in the code of libraries.
pub(crate) fn check_sources(sources: &[Source<'_>]) -> Vec<Finding> {
    let libraries = sources.iter().filter(|source| {
        !source.is_test()
            && !READS_ENVIRONMENT
                .iter()
                .any(|prefix| source.path.starts_with(prefix))
    });
    libraries
        .flat_map(|source| {
            let reads = |window: &[Token]| {
                window[0].text == "env"
                    && window[1].text == ":"
                    && window[2].text == ":"
                    && window[3].text.starts_with("var")
            };
            let places = source.tokens.windows(4).filter(move |window| reads(window));
            places.map(|window| {
                let advice = "take the setting as a value: only a program reads the environment";
                Finding::error(source.path, window[0].line, "environment", advice)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
