//! The architecture document lists the phases that `cuzk_phase::Phase` has, in its order.

use cuzk_phase::Phase;

use crate::{
    finding::Finding,
    repository::{Repository, line_of},
};

const DOCUMENT: &str = "ARCHITECTURE.md";
const SECTION: &str = "## A proof, step by step";

pub(crate) fn check(repository: &Repository) -> Vec<Finding> {
    let names: Vec<&str> = Phase::ALL.iter().map(|phase| phase.name()).collect();
    let Some(text) = repository.text(DOCUMENT) else {
        return vec![Finding::error(
            DOCUMENT,
            1,
            "phases",
            "write it: it is the map of the code",
        )];
    };
    let listed = rows(text);
    if listed == names {
        return Vec::new();
    }
    let place = listed
        .iter()
        .zip(&names)
        .position(|(listed, name)| listed != name);
    let place = place.unwrap_or(listed.len().min(names.len()));
    let advice = match (listed.get(place), names.get(place)) {
        (Some(listed), Some(name)) => format!("row `{listed}` stands where Phase has `{name}`"),
        (Some(listed), None) => format!("row `{listed}` is no name of Phase"),
        _ => format!("below `{SECTION}` a row for `{}` is missing", names[place]),
    };
    vec![Finding::error(
        DOCUMENT,
        line_of(text, SECTION),
        "phases",
        advice,
    )]
}

/// The first cells, in back-ticks, of the table in the section.
fn rows(text: &str) -> Vec<&str> {
    let below = text.lines().skip_while(|line| *line != SECTION).skip(1);
    let section = below.take_while(|line| !line.starts_with("## "));
    section
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(names: &[&str]) -> String {
        let rows: String = names
            .iter()
            .map(|name| format!("| `{name}` | text |\n"))
            .collect();
        format!(
            "# Map\n\n{SECTION}\n\n| phase | what |\n| --- | --- |\n{rows}\n## Next\n\n| `other` |\n"
        )
    }

    fn findings(names: &[&str]) -> Vec<String> {
        let text = document(names);
        check(&Repository::of(&[(DOCUMENT, &text)]))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn names() -> Vec<&'static str> {
        Phase::ALL.iter().map(|phase| phase.name()).collect()
    }

    #[test]
    fn the_list_of_the_code_passes() {
        assert!(findings(&names()).is_empty());
    }

    #[test]
    fn a_missing_an_additional_and_a_misspelt_row_are_refused() {
        let all = names();
        let mut misspelt = all.clone();
        misspelt[2] = "compilation";
        let mut longer = all.clone();
        longer.push("rest");
        assert!(findings(&all[..all.len() - 1])[0].contains("is missing"));
        assert!(findings(&longer)[0].contains("row `rest` is no name of Phase"));
        assert!(findings(&misspelt)[0].contains("row `compilation` stands where"));
    }

    #[test]
    fn a_repository_without_the_document_is_refused() {
        assert_eq!(check(&Repository::of(&[])).len(), 1);
    }
}
