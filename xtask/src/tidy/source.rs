//! Rust files, parsed once for every check that looks into them.

use proc_macro2::{TokenStream, TokenTree};

use crate::{finding::Finding, repository::Repository};

/// One token of a file, and the line on which it begins.
///
/// Groups are flattened: the brackets are tokens of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// One Rust file.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    pub(crate) file: syn::File,
    pub(crate) tokens: Vec<Token>,
}

impl Source<'_> {
    /// Whether the whole file is test code: budgets and library rules do not hold for it.
    pub(crate) fn is_test(&self) -> bool {
        let mut parts = self.path.split('/').rev();
        let name = parts.next().unwrap_or_default();
        let stem = name.strip_suffix(".rs").unwrap_or(name);
        stem == "tests"
            || stem.ends_with("_tests")
            || parts.any(|part| matches!(part, "tests" | "benches" | "examples" | "fuzz"))
    }
}

/// Parses every Rust file; one that does not parse is a finding.
pub(crate) fn sources(repository: &Repository) -> (Vec<Source<'_>>, Vec<Finding>) {
    let (mut sources, mut findings) = (Vec::new(), Vec::new());
    for (path, text) in repository.files("", ".rs") {
        let parsed = text
            .parse::<TokenStream>()
            .map_err(syn::Error::from)
            .and_then(|stream| Ok((tokens(stream), syn::parse_file(text)?)));
        match parsed {
            Ok((tokens, file)) => sources.push(Source {
                path,
                text,
                file,
                tokens,
            }),
            Err(error) => {
                let line = error.span().start().line;
                let advice = format!("make it valid Rust: {error}");
                findings.push(Finding::error(path, line, "source", advice));
            }
        }
    }
    (sources, findings)
}

fn tokens(stream: TokenStream) -> Vec<Token> {
    let mut flat = Vec::new();
    flatten(stream, &mut flat);
    flat
}

fn flatten(stream: TokenStream, into: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        let TokenTree::Group(group) = tree else {
            into.push(Token {
                text: tree.to_string(),
                line,
            });
            continue;
        };
        let (open, close) = match group.delimiter() {
            proc_macro2::Delimiter::Parenthesis => ("(", ")"),
            proc_macro2::Delimiter::Brace => ("{", "}"),
            proc_macro2::Delimiter::Bracket => ("[", "]"),
            proc_macro2::Delimiter::None => ("", ""),
        };
        into.push(Token {
            text: open.into(),
            line,
        });
        flatten(group.stream(), into);
        into.push(Token {
            text: close.into(),
            line: group.span_close().start().line,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_told_by_their_place_or_name() {
        let paths = [
            ("crates/a/src/lib.rs", false),
            ("crates/a/src/latest.rs", false),
            ("crates/a/src/tests.rs", true),
            ("crates/a/src/msm/bucket_tests.rs", true),
            ("crates/a/tests/prop.rs", true),
            ("crates/a/benches/ntt.rs", true),
            ("tests/it/golden.rs", true),
        ];
        for (path, expected) in paths {
            let repository = Repository::of(&[(path, "")]);
            assert_eq!(sources(&repository).0[0].is_test(), expected, "{path}");
        }
    }

    #[test]
    fn groups_are_flattened_with_their_lines() {
        let repository = Repository::of(&[("a.rs", "fn f(\n) {\n}\n")]);
        let (sources, _) = sources(&repository);
        let seen: Vec<_> = sources[0]
            .tokens
            .iter()
            .map(|t| (t.text.as_str(), t.line))
            .collect();
        let expected = [("fn", 1), ("f", 1), ("(", 1), (")", 2), ("{", 2), ("}", 3)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_file_that_does_not_parse_is_a_finding() {
        let repository = Repository::of(&[("a.rs", "\nfn {")]);
        let (sources, findings) = sources(&repository);
        assert!(sources.is_empty());
        assert!(
            findings[0]
                .to_string()
                .contains("source: make it valid Rust")
        );
    }
}
