//! Code and documents cite works by keys of `docs/papers.md`, and the list holds no other works.

use std::collections::{BTreeMap, BTreeSet};

use crate::{finding::Finding, repository::Repository};

const PAPERS: &str = "docs/papers.md";
/// Suffixes of the files that cite.
const CITING: [&str; 4] = [".rs", ".md", ".cu", ".cuh"];
/// Lists whose brackets are links or upstream reports, not citations.
const NOT_CITING: [&str; 2] = [PAPERS, "CHANGELOG.md"];

pub(crate) fn check(repository: &Repository) -> Vec<Finding> {
    let Some(papers) = repository.text(PAPERS) else {
        return vec![Finding::error(
            PAPERS,
            1,
            "papers",
            "write the bibliography",
        )];
    };
    let keys = keys(papers);
    let mut cited = BTreeSet::new();
    let mut findings = Vec::new();
    let texts = CITING
        .iter()
        .flat_map(|suffix| repository.files("", suffix));
    for (path, text) in
        texts.filter(|(path, _)| !NOT_CITING.contains(path) && !path.starts_with("xtask/"))
    {
        for citation in citations(path, text) {
            if keys.contains_key(&citation.key) {
                cited.insert(citation.key);
            } else if citation.certain {
                let advice = format!(
                    "[{}] has no entry in {PAPERS}: add it or cite another",
                    citation.key
                );
                findings.push(Finding::error(path, citation.line, "papers", advice));
            }
        }
    }
    for (key, line) in keys.iter().filter(|(key, _)| !cited.contains(*key)) {
        let advice = format!("[{key}] is cited nowhere: cite it where it is used or drop it");
        findings.push(Finding::error(PAPERS, *line, "papers", advice));
    }
    findings
}

/// The keys that the bibliography defines, `- **[Key]** …`, and their lines.
fn keys(papers: &str) -> BTreeMap<String, usize> {
    let entries = papers.lines().enumerate().filter_map(|(index, line)| {
        let key = line.strip_prefix("- **[")?.split_once("]**")?.0;
        Some((key.to_owned(), index + 1))
    });
    entries.collect()
}

/// Something in brackets that may be a key.
struct Citation {
    key: String,
    line: usize,
    /// Whether the place makes it a citation: below `# Source`, before `§`, or an eprint number.
    certain: bool,
}

/// The bracketed texts of the comments of code, or of a whole Markdown file.
fn citations(path: &str, text: &str) -> Vec<Citation> {
    let is_code = !path.ends_with(".md");
    let mut below_source = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if is_code && !trimmed.starts_with("//") {
            below_source = false;
            continue;
        }
        let words = trimmed.trim_start_matches(['/', '!']).trim();
        if words.starts_with('#') {
            below_source = words == "# Source";
        }
        for (key, after) in brackets(words) {
            let after = after.trim_start_matches('`');
            let certain = below_source || after.starts_with(" §") || key.starts_with("eprint ");
            found.push(Citation {
                key,
                line: index + 1,
                certain,
            });
        }
    }
    found
}

/// Every `[text]`, in code marks or escaped or plain, that is no link, with what follows it.
fn brackets(line: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((_, inner)) = rest.split_once('[') {
        let Some((key, after)) = inner.split_once(']') else {
            break;
        };
        rest = after;
        let key = key.trim_end_matches('\\');
        let is_link = after.starts_with(['(', '[', ':']) || key.contains(['`', '[']);
        if !is_link && key.starts_with(|c: char| c.is_alphabetic()) {
            found.push((key.to_owned(), after));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "- **[EFD]** A database.\n- **[eprint 2012/549]** A paper.\n";
    const USE: &str = "/// # Source\n/// `[EFD]`, §4 of \\[eprint 2012/549\\].\nfn f() {}\n";

    fn findings(list: &str, code: &str) -> Vec<String> {
        let repository = Repository::of(&[(PAPERS, list), ("crates/a/src/x.rs", code)]);
        check(&repository).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn keys_that_are_listed_and_cited_pass() {
        assert!(findings(LIST, USE).is_empty(), "{:?}", findings(LIST, USE));
    }

    #[test]
    fn a_cited_key_without_an_entry_is_refused() {
        let places = [
            "/// By `[Nobody]` §3.\n",
            "/// # Source\n/// \\[Nobody\\]\n",
            "// By [Nobody] §3.\n",
            "// By [eprint 1/2].\n",
        ];
        for place in places {
            let found = findings(LIST, &format!("{USE}{place}"));
            assert_eq!(found.len(), 1, "{place}: {found:?}");
            assert!(
                found[0].contains("has no entry in docs/papers.md"),
                "{place}"
            );
        }
    }

    #[test]
    fn an_entry_that_nobody_cites_is_refused() {
        let found = findings(&format!("{LIST}- **[Idle]** A book.\n"), USE);
        assert_eq!(
            found,
            ["docs/papers.md:3: papers: [Idle] is cited nowhere: \
            cite it where it is used or drop it"]
        );
    }

    #[test]
    fn links_code_and_array_types_are_no_citations() {
        let code = "/// # Source\n/// [`Item`], [text](url), \\[EFD\\], [eprint 2012/549] of a [u64; 4].\n\
            fn f(x: [Nobody; 3]) {}\n/// A plain [Nobody].\n";
        let found = findings(LIST, code);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("[u64; 4]"));
    }

    #[test]
    fn device_code_cites_in_its_comments() {
        let header = "// Doubling: `dbl`, [EFD], by [eprint 2012/549].\nint a[Nobody];\n";
        let repository = Repository::of(&[(PAPERS, LIST), ("cuda-kernels/include/x.cuh", header)]);
        assert!(check(&repository).is_empty());
    }

    #[test]
    fn a_repository_without_a_bibliography_is_refused() {
        assert_eq!(check(&Repository::of(&[])).len(), 1);
    }
}
