//! Checks of the repository's structure that no compiler makes.
//!
//! Each check is a function from the text of the repository to findings,
//! so that its tests can show it a repository that breaks the rule.

mod confined;
mod decisions;
mod field_reports;
mod layers;
mod manifests;
mod papers;
mod phases;
mod readmes;
mod sizes;
mod source;
mod words;

use std::path::Path;

use crate::{finding::Finding, repository::Repository};

/// Reads the checkout at `root` and makes every check.
pub(crate) fn check_directory(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut findings = check(&Repository::read(root)?);
    findings.sort_by(|a, b| {
        a.is_error()
            .cmp(&b.is_error())
            .then(a.place().cmp(&b.place()))
    });
    Ok(findings)
}

/// Every check on one repository.
fn check(repository: &Repository) -> Vec<Finding> {
    let (packages, mut findings) = manifests::packages(repository);
    let (sources, unreadable) = source::sources(repository);
    findings.extend(unreadable);
    findings.extend(layers::check(&packages));
    findings.extend(confined::check(&packages));
    findings.extend(confined::check_sources(&sources));
    findings.extend(sizes::check(repository, &sources));
    findings.extend(readmes::check(repository, &packages));
    findings.extend(decisions::check(repository));
    findings.extend(papers::check(repository));
    findings.extend(phases::check(repository));
    findings.extend(field_reports::check(repository));
    findings.extend(words::check(&sources));
    findings.extend(words::check_crate_roots(repository, &packages));
    findings
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_repository_is_tidy() -> anyhow::Result<()> {
        let findings = super::check_directory(&crate::repository::root())?;
        let errors: Vec<String> = findings
            .iter()
            .filter(|f| f.is_error())
            .map(ToString::to_string)
            .collect();
        assert!(
            errors.is_empty(),
            "cargo xtask tidy finds:\n{}",
            errors.join("\n")
        );
        Ok(())
    }
}
