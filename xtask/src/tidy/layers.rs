//! A crate depends only on crates of lower layers.

use super::manifests::{Dependency, Kind, Package};
use crate::finding::Finding;

/// Where a package stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Vocabulary,
    Data,
    Interfaces,
    Algorithms,
    Adapters,
    Facade,
    Apps,
    /// Tests, oracles and chores: these may use everything, and nothing that ships may use them.
    Dev,
}

/// The layer of every package; `ARCHITECTURE.md` says what each of them does.
const LAYERS: &[(&str, Layer)] = &[
    ("cuzk-curve", Layer::Vocabulary),
    ("cuzk-phase", Layer::Vocabulary),
    ("cuzk-record", Layer::Vocabulary),
    ("cuzk-hostmem", Layer::Vocabulary),
    ("cuzk-kernels", Layer::Vocabulary),
    ("cuzk-driver", Layer::Vocabulary),
    ("find_cuda_helper", Layer::Vocabulary),
    ("cuzk-r1cs", Layer::Data),
    ("cuzk-lanes", Layer::Data),
    ("cuzk-picture", Layer::Data),
    ("cuzk-backend", Layer::Interfaces),
    ("cuzk-iden3", Layer::Interfaces),
    ("cuzk-synth", Layer::Interfaces),
    ("cuzk-params", Layer::Interfaces),
    ("cuzk-device", Layer::Interfaces),
    ("cuzk-cpu", Layer::Algorithms),
    ("cuzk-groth16", Layer::Algorithms),
    ("cuzk-fold", Layer::Algorithms),
    ("cuzk-ntt", Layer::Algorithms),
    ("cuzk-msm", Layer::Algorithms),
    ("cuzk-spmv", Layer::Algorithms),
    ("cuzk-cuda", Layer::Adapters),
    ("cuzk-sapling", Layer::Adapters),
    ("cuzk", Layer::Facade),
    ("cuzk-cli", Layer::Apps),
    ("cuzk-testkit", Layer::Dev),
    ("cuzk-kernel-host", Layer::Dev),
    ("cuzk-mock-driver", Layer::Dev),
    ("cuzk-tests", Layer::Dev),
    ("xtask", Layer::Dev),
];

/// The crates of the dev layer that a test of a crate may use.
const IN_TESTS: [&str; 3] = ["cuzk-testkit", "cuzk-kernel-host", "cuzk-mock-driver"];

pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| !package.is_bench()) {
        let Some(layer) = layer_of(&package.name) else {
            findings.push(Finding::error(
                package.manifest(),
                1,
                "layers",
                format!("give {} a row in xtask/src/tidy/layers.rs", package.name),
            ));
            continue;
        };
        if package.name != "xtask"
            && package.name != "cuzk-tests"
            && package.directory != format!("crates/{}", package.name)
        {
            let advice = format!(
                "move {} to crates/{0}: a directory is its crate's name",
                package.name
            );
            findings.push(Finding::error(package.manifest(), 1, "layers", advice));
        }
        let faults = package
            .dependencies
            .iter()
            .filter_map(|d| fault(package, layer, d));
        findings.extend(faults);
    }
    findings
}

fn layer_of(name: &str) -> Option<Layer> {
    LAYERS
        .iter()
        .find(|(row, _)| *row == name)
        .map(|(_, layer)| *layer)
}

/// What is wrong with one dependency, if it is on a package of ours.
fn fault(package: &Package, layer: Layer, dependency: &Dependency) -> Option<Finding> {
    let below = layer_of(&dependency.name)?;
    let allowed = match dependency.kind {
        _ if layer == Layer::Dev => true,
        Kind::Normal | Kind::Build => below < layer,
        // A test may compare peers, but a test that looks up belongs into the package cuzk-tests.
        Kind::Dev => below <= layer || IN_TESTS.contains(&dependency.name.as_str()),
    };
    (!allowed).then(|| {
        let advice = format!(
            "{} ({layer:?}) may not depend on {} ({below:?}): move what it needs down, or invert it by a trait",
            package.name, dependency.name
        );
        Finding::error(package.manifest(), dependency.line, "layers", advice)
    })
}

#[cfg(test)]
mod tests;
