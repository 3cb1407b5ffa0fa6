//! The embedded text against the table.

use std::collections::BTreeSet;

use cuzk_kernels::{LAYOUT, Module, OLDEST_ARCHITECTURE, PTX_VERSION, module, modules};

/// The names that follow a directive, up to their parenthesis.
fn names_after<'a>(module: &'a Module, directive: &'a str) -> BTreeSet<&'a str> {
    let lines = module.ptx.lines();
    lines
        .filter_map(|line| line.split_once(directive)?.1.split(['(', ' ']).next())
        .collect()
}

/// The one line that begins with a directive, after it.
fn directive<'a>(module: &'a Module, name: &str) -> &'a str {
    let mut found = module
        .ptx
        .lines()
        .filter_map(|line| line.strip_prefix(name));
    let line = found
        .next()
        .unwrap_or_else(|| panic!("{}: no {name}", module.name));
    assert_eq!(found.next(), None, "{}: {name} twice", module.name);
    line.trim()
}

#[test]
fn there_are_modules_and_each_is_found_by_its_name() {
    assert!(!modules().is_empty());
    for each in modules() {
        assert_eq!(module(each.name), Some(each));
    }
    assert_eq!(module("no such module"), None);
}

#[test]
fn every_entry_point_is_in_the_text_and_the_text_has_no_other() {
    for module in modules() {
        let table: BTreeSet<&str> = module.entry_points.iter().map(|e| e.symbol).collect();
        assert_eq!(
            table.len(),
            module.entry_points.len(),
            "{}: a symbol twice",
            module.name
        );
        assert_eq!(names_after(module, ".entry "), table, "{}", module.name);
        for entry in module.entry_points {
            assert_eq!(module.entry_point(entry.symbol), Some(entry));
        }
    }
}

#[test]
fn version_and_target_are_what_the_crate_says() {
    for module in modules() {
        assert_eq!(
            directive(module, ".version"),
            PTX_VERSION,
            "{}",
            module.name
        );
        let (major, minor) = OLDEST_ARCHITECTURE;
        assert_eq!(
            directive(module, ".target"),
            format!("sm_{major}{minor}"),
            "{}",
            module.name
        );
    }
}

#[test]
fn every_module_tells_its_layout() {
    for module in modules() {
        for (symbol, bytes) in LAYOUT {
            let line = format!(".visible .const .align 4 .u32 {symbol} = {bytes};");
            assert!(module.ptx.contains(&line), "{}: no `{line}`", module.name);
        }
    }
}

#[test]
fn launch_bounds_in_the_text_are_those_of_the_table() {
    for module in modules() {
        for entry in module.entry_points {
            let start = format!(".entry {}(", entry.symbol);
            let (_, rest) = module
                .ptx
                .split_once(&start)
                .expect("the symbol is in the text");
            let head = rest.split('{').next().expect("the body begins");
            let params = format!("{}_param_0[{}]", entry.symbol, entry.param_bytes);
            assert!(head.contains(&params), "{}", entry.symbol);
            assert!(
                head.contains(&format!(".maxntid {}", entry.threads)),
                "{}",
                entry.symbol
            );
            assert!(
                head.contains(&format!(".minnctapersm {}", entry.min_blocks)),
                "{}",
                entry.symbol
            );
        }
    }
}

#[test]
fn the_text_carries_its_digest_and_no_other_comment() {
    for module in modules() {
        let comments: Vec<&str> = module
            .ptx
            .lines()
            .filter(|line| line.contains("//"))
            .collect();
        assert_eq!(comments.len(), 2, "{}", module.name);
        assert_eq!(comments[1], format!("// digest: {}", module.digest));
        assert_eq!(module.digest.len(), 64);
    }
}
