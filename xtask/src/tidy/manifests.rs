//! The packages of the repository, as their manifests describe them.

use toml::{Table, Value};

use crate::{
    finding::Finding,
    repository::{Repository, line_of},
};

/// In which of a package's tables a dependency stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

/// One dependency of a package, by the name that the registry or the workspace knows.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) line: usize,
}

/// One package: a crate of the product, the tests, this crate or a program under `bench/`.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Directory relative to the root, without a slash at its end.
    pub(crate) directory: String,
    pub(crate) dependencies: Vec<Dependency>,
}

impl Package {
    pub(crate) fn manifest(&self) -> String {
        format!("{}/Cargo.toml", self.directory)
    }

    /// Whether this is a program of `bench/`, which stands outside the workspace.
    pub(crate) fn is_bench(&self) -> bool {
        self.directory == "bench" || self.directory.starts_with("bench/")
    }
}

/// Reads every manifest that names a package; one that does not parse is a finding.
pub(crate) fn packages(repository: &Repository) -> (Vec<Package>, Vec<Finding>) {
    let (mut packages, mut findings) = (Vec::new(), Vec::new());
    for (path, text) in repository.files("", "/Cargo.toml") {
        match text.parse::<Table>() {
            Ok(manifest) => {
                let package = package(path, text, &manifest);
                if package.as_ref().is_some_and(|package| !package.is_bench()) {
                    findings.extend(check_inheritance(path, &manifest));
                }
                packages.extend(package);
            }
            Err(error) => findings.push(Finding::error(
                path,
                1,
                "manifest",
                format!("make it valid TOML: {}", error.message()),
            )),
        }
    }
    (packages, findings)
}

/// Crates that stand in for an outside crate, and so bear the version that others ask for.
const STAND_INS: &[&str] = &["find_cuda_helper"];

/// What a package of the workspace takes from the workspace: decision 0010.
fn check_inheritance(path: &str, manifest: &Table) -> Vec<Finding> {
    let keys = ["version", "edition", "rust-version", "license"];
    let inherits = |value: Option<&Value>| {
        value
            .and_then(|value| value.get("workspace"))
            .and_then(Value::as_bool)
            == Some(true)
    };
    let package = manifest.get("package");
    let name = package
        .and_then(|table| table.get("name"))
        .and_then(Value::as_str);
    let stands_in = name.is_some_and(|name| STAND_INS.contains(&name));
    let mut findings = Vec::new();
    let keys = keys
        .into_iter()
        .filter(|key| *key != "version" || !stands_in);
    for key in keys.filter(|key| !inherits(package.and_then(|table| table.get(key)))) {
        let advice = format!("write `{key}.workspace = true`: all crates go in lock-step");
        findings.push(Finding::error(path, 1, "manifest", advice));
    }
    if !inherits(manifest.get("lints")) {
        let advice = "write `[lints]` with `workspace = true`: one set of lints serves all";
        findings.push(Finding::error(path, 1, "manifest", advice));
    }
    findings
}

fn package(path: &str, text: &str, manifest: &Table) -> Option<Package> {
    let name = manifest.get("package")?.get("name")?.as_str()?.to_owned();
    let directory = path.strip_suffix("/Cargo.toml")?.to_owned();
    let mut dependencies = Vec::new();
    collect(text, manifest, &mut dependencies);
    for target in manifest
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(Table::values)
    {
        if let Some(table) = target.as_table() {
            collect(text, table, &mut dependencies);
        }
    }
    Some(Package {
        name,
        directory,
        dependencies,
    })
}

/// Adds the dependencies of one `[dependencies]`, `[build-dependencies]`, `[dev-dependencies]` set.
fn collect(text: &str, tables: &Table, into: &mut Vec<Dependency>) {
    let kinds = [
        ("dependencies", Kind::Normal),
        ("build-dependencies", Kind::Build),
        ("dev-dependencies", Kind::Dev),
    ];
    for (key, kind) in kinds {
        let table = tables.get(key).and_then(Value::as_table);
        for (alias, value) in table.into_iter().flatten() {
            let name = value
                .get("package")
                .and_then(Value::as_str)
                .unwrap_or(alias)
                .to_owned();
            into.push(Dependency {
                name,
                kind,
                line: line_in(text, key, alias),
            });
        }
    }
}

/// The line of `alias` below the table header that ends in `key`.
fn line_in(text: &str, key: &str, alias: &str) -> usize {
    let header = |line: &str| {
        let name = line
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        name.is_some_and(|name| name == key || name.ends_with(&format!(".{key}")))
    };
    let Some(start) = text.lines().position(header) else {
        return line_of(text, alias);
    };
    let below = text
        .lines()
        .skip(start)
        .position(|line| line.trim_start().starts_with(alias));
    below.map_or(start + 1, |offset| start + offset + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"p\"\nversion.workspace = true\n\
        edition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\n\
        [lints]\nworkspace = true\n[dependencies]\nrayon = \"1\"\n\
        old = { package = \"real\", version = \"1\" }\n\n[dev-dependencies]\nrayon = \"1\"\n\n\
        [target.'cfg(unix)'.build-dependencies]\ncc = \"1\"\n";

    #[test]
    fn every_table_is_read_and_renamed_crates_keep_their_real_name() {
        let (packages, findings) = packages(&Repository::of(&[("crates/p/Cargo.toml", MANIFEST)]));
        assert!(findings.is_empty());
        let seen: Vec<_> = packages[0]
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.kind, d.line))
            .collect();
        assert_eq!(packages[0].directory, "crates/p");
        assert_eq!(
            seen,
            [
                ("real", Kind::Normal, 11),
                ("rayon", Kind::Normal, 10),
                ("rayon", Kind::Dev, 14),
                ("cc", Kind::Build, 17),
            ]
        );
    }

    #[test]
    fn a_manifest_that_does_not_parse_is_a_finding() {
        let (_, findings) = packages(&Repository::of(&[("crates/p/Cargo.toml", "[package\n")]));
        assert!(
            findings[0]
                .to_string()
                .starts_with("crates/p/Cargo.toml:1: manifest: make it")
        );
    }

    #[test]
    fn a_package_that_leaves_the_lock_step_is_a_finding() {
        let own = MANIFEST.replace(
            "version.workspace = true\nedition",
            "version = \"2.0\"\nedition",
        );
        let (_, found) = packages(&Repository::of(&[("crates/p/Cargo.toml", &own)]));
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .to_string()
                .contains("write `version.workspace = true`")
        );
        let (_, found) = packages(&Repository::of(&[("bench/p/Cargo.toml", &own)]));
        assert!(found.is_empty());
    }

    #[test]
    fn a_package_with_lints_of_its_own_is_a_finding() {
        let own = MANIFEST.replace("[lints]\nworkspace = true\n", "");
        let (_, found) = packages(&Repository::of(&[("crates/p/Cargo.toml", &own)]));
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_virtual_manifest_is_no_package() {
        let (packages, _) = packages(&Repository::of(&[("x/Cargo.toml", "[workspace]\n")]));
        assert!(packages.is_empty());
    }
}
