//! Every decision record has the six parts, and the index lists exactly the records there are.

use crate::{
    finding::Finding,
    repository::{Repository, line_of},
};

const DIRECTORY: &str = "docs/decisions/";
const INDEX: &str = "docs/decisions/README.md";
const PARTS: [&str; 6] = [
    "Status",
    "Decision",
    "Why",
    "Implications",
    "How it is checked",
    "Revisit when",
];
const LINES: usize = 40;

pub(crate) fn check(repository: &Repository) -> Vec<Finding> {
    let Some(index) = repository.text(INDEX) else {
        return vec![Finding::error(
            INDEX,
            1,
            "decisions",
            "write the index of the records",
        )];
    };
    let records: Vec<_> = repository
        .files(DIRECTORY, ".md")
        .filter(|(path, _)| *path != INDEX)
        .collect();
    let mut findings: Vec<_> = records
        .iter()
        .flat_map(|(path, text)| check_record(path, text, index))
        .collect();
    for pair in records
        .windows(2)
        .filter(|pair| number(pair[0].0) == number(pair[1].0))
    {
        let advice = format!("give it the next free number: {} has this one", pair[0].0);
        findings.push(Finding::error(pair[1].0, 1, "decisions", advice));
    }
    for linked in links(index) {
        if !records
            .iter()
            .any(|(path, _)| path.strip_prefix(DIRECTORY) == Some(linked))
        {
            let advice = format!("{linked} does not exist: write it or take its row away");
            findings.push(Finding::error(
                INDEX,
                line_of(index, linked),
                "decisions",
                advice,
            ));
        }
    }
    findings
}

fn check_record(path: &str, text: &str, index: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fault = |line, advice: String| {
        findings.push(Finding::error(path, line, "decisions", advice));
    };
    let name = path.strip_prefix(DIRECTORY).unwrap_or(path);
    let number = number(path);
    if number.len() != 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        fault(1, "name the file NNNN-title.md".into());
    }
    if !text.starts_with(&format!("# {number} ")) {
        fault(1, format!("begin with `# {number} ` and the title"));
    }
    let headings: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    if headings != PARTS {
        fault(
            1,
            format!("give it the headings {} in this order", PARTS.join(", ")),
        );
    }
    let lines = text.lines().count();
    if lines > LINES {
        fault(
            LINES + 1,
            format!("{lines} lines of at most {LINES}: say it shorter"),
        );
    }
    if !links(index).any(|linked| linked == name) {
        fault(1, format!("add a row with a link to it to {INDEX}"));
    }
    findings
}

/// What stands before the first dash of a record's file name.
fn number(path: &str) -> &str {
    path.strip_prefix(DIRECTORY)
        .unwrap_or(path)
        .split('-')
        .next()
        .unwrap_or_default()
}

/// The targets of the links in a Markdown text that end in `.md`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets.filter(|target| target.ends_with(".md") && !target.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# 0001 A title\n\n## Status\n\n## Decision\n\n## Why\n\n## Implications\n\n\
        ## How it is checked\n\n## Revisit when\n";
    const LISTED: &str = "| [0001](0001-a-title.md) | a title |\n";

    fn findings(index: &str, record: &str) -> Vec<String> {
        let repository =
            Repository::of(&[(INDEX, index), ("docs/decisions/0001-a-title.md", record)]);
        check(&repository).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_record_in_the_index_passes() {
        assert!(findings(LISTED, GOOD).is_empty());
    }

    #[test]
    fn a_record_outside_the_index_is_refused() {
        assert!(findings("", GOOD)[0].contains("add a row with a link to it"));
    }

    #[test]
    fn a_row_of_the_index_without_a_record_is_refused() {
        let found = findings(&format!("{LISTED}[0002](0002-gone.md)\n"), GOOD);
        assert_eq!(
            found,
            [
                "docs/decisions/README.md:2: decisions: 0002-gone.md does not exist: \
              write it or take its row away"
            ]
        );
    }

    #[test]
    fn a_record_that_lacks_a_part_is_refused() {
        let found = findings(LISTED, &GOOD.replace("## Revisit when\n", ""));
        assert!(found[0].contains("give it the headings"));
    }

    #[test]
    fn a_long_record_is_refused() {
        assert_eq!(
            findings(LISTED, &format!("{GOOD}{}", "more\n".repeat(40))).len(),
            1
        );
    }

    #[test]
    fn a_record_with_another_number_in_its_title_is_refused() {
        assert_eq!(findings(LISTED, &GOOD.replace("0001", "0002")).len(), 1);
    }

    #[test]
    fn two_records_with_one_number_are_refused() {
        let index = format!("{LISTED}[0001](0001-b.md)\n");
        let repository = Repository::of(&[
            (INDEX, &index),
            ("docs/decisions/0001-a-title.md", GOOD),
            ("docs/decisions/0001-b.md", GOOD),
        ]);
        let found = check(&repository);
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .to_string()
                .starts_with("docs/decisions/0001-b.md:1: decisions: give it")
        );
    }

    #[test]
    fn a_repository_without_an_index_is_refused() {
        assert_eq!(check(&Repository::of(&[])).len(), 1);
    }
}
