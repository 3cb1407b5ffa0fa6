//! Rules on what a file may be called and what may stand in it.

use std::collections::BTreeSet;

use syn::{
    ImplItemFn, ItemConst, ItemEnum, ItemFn, ItemMod, ItemStatic, ItemStruct, ItemTrait, ItemType,
    visit::{self, Visit},
};

use super::{
    manifests::Package,
    sizes::is_test,
    source::{Source, Token},
};
use crate::{
    finding::Finding,
    repository::{Repository, line_of},
};

/// Words that say nothing about a thing but that it came later.
const EMPTY_WORDS: [&str; 6] = ["fast", "faster", "optimised", "optimized", "improved", "v2"];
/// Macros that mark unfinished work.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];
/// Crates that hold unsafe code, each block with its reason.
const UNSAFE: &[&str] = &[
    "cuzk-curve",
    "cuzk-hostmem",
    "cuzk-device",
    "cuzk-lanes",
    "cuzk-kernel-host",
    "cuzk-driver",
    "cuzk-mock-driver",
    "cuzk-fold",
    "cuzk-ntt",
    "cuzk-msm",
    "cuzk-spmv",
];
const FORBID: &str = "#![forbid(unsafe_code)]";
const DEVICE_TEST: &str = "\"needs a CUDA device\"";

pub(crate) fn check(sources: &[Source<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        findings.extend(check_name(source));
        findings.extend(check_tokens(source));
        findings.extend(check_items(source));
    }
    findings
}

/// Every root of a package that is to hold no unsafe code says so.
pub(crate) fn check_crate_roots(repository: &Repository, packages: &[Package]) -> Vec<Finding> {
    let safe = packages
        .iter()
        .filter(|package| !package.is_bench() && !UNSAFE.contains(&package.name.as_str()));
    let roots = safe.flat_map(|package| {
        ["lib", "main"].map(|root| format!("{}/src/{root}.rs", package.directory))
    });
    let unmarked = roots.filter_map(|path| {
        let text = repository.text(&path)?;
        (!text.contains(FORBID)).then(|| {
            let advice = format!("add `{FORBID}`, or name the crate in xtask/src/tidy/words.rs");
            Finding::error(path, line_of(text, "#!["), "unsafe", advice)
        })
    });
    unmarked.collect()
}

fn check_name(source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = source.path.rsplit('/').next().unwrap_or(source.path);
    if name == "mod.rs" {
        let advice = "name the file after its module: `noun.rs` beside `noun/`";
        findings.push(Finding::error(source.path, 1, "names", advice));
    }
    if let Some(word) = empty_word(name.strip_suffix(".rs").unwrap_or(name)) {
        findings.push(Finding::error(source.path, 1, "names", say_instead(word)));
    }
    findings
}

fn check_tokens(source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fault = |token: &Token, rule, advice: &str| {
        findings.push(Finding::error(source.path, token.line, rule, advice));
    };
    for window in source.tokens.windows(2) {
        if UNFINISHED.contains(&window[0].text.as_str()) && window[1].text == "!" {
            fault(
                &window[0],
                "unfinished",
                &format!("finish it: {}! is for a draft", window[0].text),
            );
        }
        if window[0].text == "[" && window[1].text == "ignore" {
            let rest = source
                .tokens
                .iter()
                .skip_while(|token| !std::ptr::eq(*token, &window[1]));
            let reason = rest.take_while(|token| token.text != "]").last();
            if reason.is_some_and(|reason| reason.text != DEVICE_TEST) {
                let advice =
                    "let the test run: only a device test is ignored, as \"needs a CUDA device\"";
                fault(&window[1], "ignored", advice);
            }
        }
    }
    for statement in public_uses(&source.tokens) {
        if statement.iter().any(|token| token.text == "*") {
            fault(
                &statement[0],
                "glob",
                "name what is re-exported: a glob hides it from the reader",
            );
        }
    }
    findings
}

/// The tokens of each `pub use …;`, from `pub` to the semicolon.
fn public_uses(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    for start in (0..tokens.len()).filter(|index| tokens[*index].text == "pub") {
        let head = &tokens[start..tokens.len().min(start + 6)];
        let restricted = head.get(1).is_some_and(|token| token.text == "(");
        let word = if restricted {
            head.iter()
                .position(|token| token.text == ")")
                .map_or(1, |close| close + 1)
        } else {
            1
        };
        if head.get(word).is_some_and(|token| token.text == "use") {
            let length = tokens[start..]
                .iter()
                .take_while(|token| token.text != ";")
                .count();
            found.push(&tokens[start..start + length]);
        }
    }
    found
}

fn check_items(source: &Source<'_>) -> Vec<Finding> {
    let mut names = Names::default();
    names.visit_file(&source.file);
    let faults = names.found.into_iter().filter_map(|(name, line)| {
        Some(Finding::error(
            source.path,
            line,
            "names",
            say_instead(empty_word(&name)?),
        ))
    });
    faults.collect()
}

fn say_instead(word: &str) -> String {
    format!("say what the thing is: `{word}` only says that it came later")
}

/// The first empty word among the parts of a snake-case or camel-case name.
fn empty_word(name: &str) -> Option<&'static str> {
    let mut split = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            split.push('_');
        }
        split.extend(letter.to_lowercase());
    }
    let parts: BTreeSet<&str> = split.split(['_', '-']).collect();
    EMPTY_WORDS.into_iter().find(|word| parts.contains(word))
}

/// Collects the names of items, tests left out: the name of a test is a sentence.
#[derive(Default)]
struct Names {
    found: Vec<(String, usize)>,
}

impl Names {
    fn add(&mut self, name: &syn::Ident) {
        self.found
            .push((name.to_string(), name.span().start().line));
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            self.add(&item.ident);
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig.ident);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig.ident);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.add(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.add(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.add(&item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.add(&item.ident);
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.add(&item.ident);
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        self.add(&item.ident);
    }
}

#[cfg(test)]
mod tests;
