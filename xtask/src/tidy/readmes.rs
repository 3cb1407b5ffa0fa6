//! A crate's README is its documentation: a title, one sentence, key items, what it does not know.

use super::manifests::Package;
use crate::{
    finding::Finding,
    repository::{Repository, line_of},
};

/// Where a stranger looks for a crate.
const MAP: &str = "ARCHITECTURE.md";

/// The line with which the root of a crate takes its README as documentation.
const INCLUDE: &str = "#![doc = include_str!(\"../README.md\")]";

pub(crate) fn check(repository: &Repository, packages: &[Package]) -> Vec<Finding> {
    let crates = packages
        .iter()
        .filter(|package| package.directory.starts_with("crates/"));
    crates
        .flat_map(|package| check_package(repository, package))
        .collect()
}

fn check_package(repository: &Repository, package: &Package) -> Vec<Finding> {
    let path = format!("{}/README.md", package.directory);
    let Some(readme) = repository.text(&path) else {
        return vec![Finding::error(
            path,
            1,
            "readme",
            "write it: it is the crate's documentation",
        )];
    };
    let mut findings = Vec::new();
    let map = repository.text(MAP).unwrap_or_default();
    if !map.contains(&format!("`{}`", package.name)) {
        let advice = format!("say in its code map what {} is for", package.name);
        findings.push(Finding::error(
            MAP,
            line_of(map, "## Code map"),
            "readme",
            advice,
        ));
    }
    let title = format!("# {}", package.name);
    if readme.lines().next() != Some(title.as_str()) {
        findings.push(Finding::error(
            &path,
            1,
            "readme",
            format!("begin with `{title}`"),
        ));
    }
    if !readme.contains("Does not know") {
        let advice = "add a line **Does not know**: what this crate leaves to others";
        findings.push(Finding::error(
            &path,
            readme.lines().count(),
            "readme",
            advice,
        ));
    }
    let root = format!("{}/src/lib.rs", package.directory);
    if let Some(text) = repository.text(&root)
        && !text.contains(INCLUDE)
    {
        let advice = format!("take the README as the crate's documentation: `{INCLUDE}`");
        findings.push(Finding::error(root, line_of(text, "#!["), "readme", advice));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::manifests::packages;

    fn findings(readme: &str, root: &str) -> Vec<String> {
        let repository = Repository::of(&[
            (
                "crates/cuzk-cpu/Cargo.toml",
                "[package]\nname = \"cuzk-cpu\"\n",
            ),
            (MAP, "# Map\n\n## Code map\n\n### `cuzk-cpu`\n"),
            ("crates/cuzk-cpu/README.md", readme),
            ("crates/cuzk-cpu/src/lib.rs", root),
        ]);
        let packages = packages(&repository).0;
        check(&repository, &packages)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    const GOOD: &str = "# cuzk-cpu\n\nOne sentence.\n\n**Does not know** CUDA.\n";

    #[test]
    fn a_complete_readme_passes() {
        assert!(findings(GOOD, INCLUDE).is_empty());
    }

    #[test]
    fn another_title_is_refused() {
        let found = findings(&GOOD.replace("# cuzk-cpu", "# The CPU"), INCLUDE);
        assert_eq!(
            found,
            ["crates/cuzk-cpu/README.md:1: readme: begin with `# cuzk-cpu`"]
        );
    }

    #[test]
    fn a_readme_must_say_what_the_crate_does_not_know() {
        let found = findings("# cuzk-cpu\n\nOne sentence.\n", INCLUDE);
        assert!(found[0].contains("Does not know"));
    }

    #[test]
    fn a_root_must_include_the_readme() {
        assert_eq!(findings(GOOD, "//! Another text.\n").len(), 1);
    }

    #[test]
    fn a_crate_that_the_map_does_not_show_is_refused() {
        let repository = Repository::of(&[
            (MAP, "# Map\n\n## Code map\n"),
            (
                "crates/cuzk-cpu/Cargo.toml",
                "[package]\nname = \"cuzk-cpu\"\n",
            ),
            ("crates/cuzk-cpu/README.md", GOOD),
        ]);
        let found = check(&repository, &packages(&repository).0);
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .to_string()
                .starts_with("ARCHITECTURE.md:3: readme: say in its code map")
        );
    }

    #[test]
    fn a_missing_readme_is_refused() {
        let repository = Repository::of(&[(
            "crates/cuzk-cpu/Cargo.toml",
            "[package]\nname = \"cuzk-cpu\"\n",
        )]);
        assert_eq!(check(&repository, &packages(&repository).0).len(), 1);
    }
}
