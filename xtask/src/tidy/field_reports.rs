//! Every report from the field has a test that exists, or a reason why it cannot occur.

use crate::{finding::Finding, repository::Repository};

const DOCUMENT: &str = "docs/field-reports.md";
const PENDING: &str = "(pending)";

pub(crate) fn check(repository: &Repository) -> Vec<Finding> {
    let Some(text) = repository.text(DOCUMENT) else {
        return vec![Finding::error(
            DOCUMENT,
            1,
            "field-reports",
            "write the list of reports",
        )];
    };
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(last) = line
            .strip_suffix('|')
            .and_then(|row| row.rsplit('|').next())
        else {
            continue;
        };
        let tests = tests(last);
        if last.contains(PENDING) {
            findings.push(Finding::note(
                DOCUMENT,
                index + 1,
                "field-reports",
                "name the test",
            ));
        } else if last.trim().is_empty() {
            let advice = "name a test, or say why it cannot occur";
            findings.push(Finding::error(DOCUMENT, index + 1, "field-reports", advice));
        }
        for (path, name) in tests
            .into_iter()
            .filter(|(path, name)| !exists(repository, path, name))
        {
            let advice = format!("there is no test {name} in {path}: name the one that shows it");
            findings.push(Finding::error(DOCUMENT, index + 1, "field-reports", advice));
        }
    }
    findings
}

/// The `path.rs::name` in back-ticks of one cell.
fn tests(cell: &str) -> Vec<(&str, &str)> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted
        .filter_map(|code| {
            code.split_once("::")
                .filter(|(path, _)| path.ends_with(".rs"))
        })
        .collect()
}

fn exists(repository: &Repository, path: &str, name: &str) -> bool {
    let functions = [format!("fn {name}("), format!("fn {name}<")];
    repository
        .text(path)
        .is_some_and(|text| functions.iter().any(|head| text.contains(head)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(row: &str) -> Vec<String> {
        let text = format!("| report | symptom | shown by |\n| --- | --- | --- |\n{row}\n");
        let repository = Repository::of(&[
            (DOCUMENT, &text),
            ("crates/a/tests/prop.rs", "#[test]\nfn it_holds() {}\n"),
        ]);
        check(&repository).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_with_a_test_or_a_reason_passes() {
        assert!(findings("| 1 | hangs | `crates/a/tests/prop.rs::it_holds` |").is_empty());
        assert!(findings("| 1 | hangs | Cannot occur: there is no lock. |").is_empty());
    }

    #[test]
    fn a_row_with_a_test_that_is_gone_is_refused() {
        let found = findings("| 1 | hangs | `crates/a/tests/prop.rs::it_held` |");
        assert!(found[0].starts_with("docs/field-reports.md:3: field-reports: there is no test"));
    }

    #[test]
    fn a_row_with_nothing_is_refused_and_a_pending_one_noted() {
        assert!(findings("| 1 | hangs | |")[0].contains("name a test, or say why"));
        assert!(findings("| 1 | hangs | (pending) |")[0].contains("note: name the test"));
    }
}
