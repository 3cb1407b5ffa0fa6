//! Budgets of length, so that the middle of the distribution stays short.

use proc_macro2::Span;
use syn::{
    Attribute, ImplItemFn, Item, ItemFn, ItemMod, Meta, TraitItemFn,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::source::Source;
use crate::{finding::Finding, repository::Repository};

const FILE_SOFT: usize = 300;
const FILE_HARD: usize = 500;
const FUNCTION_HARD: usize = 80;
const ROOT_HARD: usize = 80;
const README_HARD: usize = 40;
const INLINE_TESTS: usize = 60;

/// Files above the hard budget, each with the reason why it is not split.
const LONG_FILES: &[(&str, &str)] = &[(
    "crates/cuzk-kernels/src/manifest.rs",
    "a table that `cargo xtask build-kernels` writes, a row for each kernel",
)];

/// Functions above the hard budget, as `path::name`, each with the reason why it is not split.
const LONG_FUNCTIONS: &[(&str, &str)] = &[];

pub(crate) fn check(repository: &Repository, sources: &[Source<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        findings.extend(check_file(source));
        findings.extend(check_functions(source));
    }
    for (path, text) in repository.files("crates/", "/README.md") {
        let lines = text.lines().count();
        if lines > README_HARD {
            let advice =
                format!("{lines} lines of at most {README_HARD}: move detail to the items");
            findings.push(Finding::error(path, README_HARD + 1, "sizes", advice));
        }
    }
    findings
}

fn check_file(source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let tests = test_modules(source);
    let in_tests: usize = tests.iter().map(|span| lines(*span)).sum();
    let code = source.text.lines().count() - in_tests;
    let allowed = LONG_FILES.iter().any(|(path, _)| *path == source.path);
    let is_root = source.path.ends_with("/src/lib.rs");
    if code > FILE_HARD && !allowed {
        let advice = format!("{code} lines of at most {FILE_HARD} without tests: split it by noun");
        findings.push(Finding::error(source.path, FILE_HARD + 1, "sizes", advice));
    } else if code > FILE_SOFT && !allowed {
        let advice = format!("{code} lines without tests, {FILE_SOFT} are a good measure");
        findings.push(Finding::note(source.path, FILE_SOFT + 1, "sizes", advice));
    } else if code <= FILE_HARD && allowed {
        let advice = format!("{code} lines: drop its row of LONG_FILES in xtask/src/tidy/sizes.rs");
        findings.push(Finding::error(source.path, 1, "sizes", advice));
    }
    if is_root && code > ROOT_HARD {
        let advice =
            format!("{code} lines of at most {ROOT_HARD}: a crate root declares and exports");
        findings.push(Finding::error(source.path, ROOT_HARD + 1, "sizes", advice));
    }
    for span in tests.iter().filter(|span| lines(**span) > INLINE_TESTS) {
        let advice = format!(
            "{} lines of tests: a file of their own reads better",
            lines(*span)
        );
        findings.push(Finding::note(
            source.path,
            span.start().line,
            "sizes",
            advice,
        ));
    }
    findings
}

fn check_functions(source: &Source<'_>) -> Vec<Finding> {
    let mut functions = Functions::default();
    functions.visit_file(&source.file);
    let mut findings = Vec::new();
    for (name, span) in functions.found {
        let length = lines(span);
        let row = format!("{}::{name}", source.path);
        let allowed = LONG_FUNCTIONS.iter().any(|(allowed, _)| *allowed == row);
        if length > FUNCTION_HARD && !allowed {
            let advice =
                format!("{name} has {length} lines of at most {FUNCTION_HARD}: name its steps");
            findings.push(Finding::error(
                source.path,
                span.start().line,
                "sizes",
                advice,
            ));
        } else if length <= FUNCTION_HARD && allowed {
            let advice = format!(
                "{name} has {length} lines: drop its row of LONG_FUNCTIONS in xtask/src/tidy/sizes.rs"
            );
            findings.push(Finding::error(
                source.path,
                span.start().line,
                "sizes",
                advice,
            ));
        }
    }
    findings
}

fn lines(span: Span) -> usize {
    span.end().line - span.start().line + 1
}

/// The spans of the modules at the top of the file that only a test build compiles.
fn test_modules(source: &Source<'_>) -> Vec<Span> {
    let modules = source.file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_some() && is_test(&module.attrs) => {
            Some(module.span())
        }
        _ => None,
    });
    modules.collect()
}

/// Whether an item bears `#[test]` or `#[cfg(test)]`.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            list.path.is_ident("cfg")
                && list
                    .tokens
                    .clone()
                    .into_iter()
                    .any(|token| token.to_string() == "test")
        }
        Meta::NameValue(_) => false,
    })
}

/// Collects every function that has a body, tests left out.
#[derive(Default)]
struct Functions {
    found: Vec<(String, Span)>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            self.found.push((
                function.sig.ident.to_string(),
                body(&function.sig, &function.block),
            ));
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.found.push((
            function.sig.ident.to_string(),
            body(&function.sig, &function.block),
        ));
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.found
                .push((function.sig.ident.to_string(), body(&function.sig, block)));
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// From the first word of the signature to the closing brace: documentation does not count.
fn body(signature: &syn::Signature, block: &syn::Block) -> Span {
    let start = signature.span();
    start.join(block.brace_token.span.close()).unwrap_or(start)
}

#[cfg(test)]
mod tests;
