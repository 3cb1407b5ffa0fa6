use super::*;
use crate::tidy::{manifests::packages, source::sources};

fn findings(path: &str, text: &str) -> Vec<String> {
    let repository = Repository::of(&[(path, text)]);
    check(&sources(&repository).0)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_file_called_mod_is_refused() {
    assert!(findings("a/src/msm/mod.rs", "")[0].starts_with("a/src/msm/mod.rs:1: names:"));
}

#[test]
fn a_file_or_an_item_that_boasts_is_refused() {
    assert_eq!(findings("a/src/fast_msm.rs", "").len(), 1);
    for item in [
        "struct MsmV2;",
        "fn optimised_sum() {}",
        "mod v2 {}",
        "impl A { fn go_fast() {} }",
    ] {
        assert_eq!(findings("a/src/x.rs", item).len(), 1, "{item}");
    }
}

#[test]
fn words_that_only_contain_such_a_word_are_allowed() {
    let text =
        "struct Breakfast; const PROOF_V1: u8 = 1; fn fasten() {} #[test] fn fast_is_right() {}";
    assert!(findings("a/src/x.rs", text).is_empty());
}

#[test]
fn unfinished_work_is_refused_even_inside_a_macro() {
    let found = findings("a/src/x.rs", "fn f() {\n    wrap! { todo!() }\n}\n");
    assert_eq!(
        found,
        ["a/src/x.rs:2: unfinished: finish it: todo! is for a draft"]
    );
    assert!(findings("a/src/x.rs", "/// todo!()\nfn todo() {}\n").is_empty());
}

#[test]
fn a_glob_re_export_is_refused_at_any_visibility() {
    let globs = [
        "pub use a::*;",
        "pub(crate) use a::*;",
        "pub use a::{b, c::*};",
    ];
    for glob in globs {
        assert_eq!(findings("a/src/x.rs", glob).len(), 1, "{glob}");
    }
    assert!(
        findings(
            "a/src/x.rs",
            "use a::*; pub use a::{b, c}; fn f() { 2 * 3; }"
        )
        .is_empty()
    );
}

#[test]
fn only_a_device_test_may_be_ignored() {
    let device = "#[test]\n#[ignore = \"needs a CUDA device\"]\nfn f() {}\n";
    assert!(findings("a/tests/x.rs", device).is_empty());
    for attribute in ["#[ignore]", "#[ignore = \"slow\"]"] {
        assert_eq!(
            findings("a/tests/x.rs", &format!("{attribute}\nfn f() {{}}\n")).len(),
            1
        );
    }
}

#[test]
fn a_crate_root_that_does_not_forbid_unsafe_code_is_refused() {
    let roots = |name: &str, root: &str| {
        let manifest = format!("[package]\nname = \"{name}\"\n");
        let repository = Repository::of(&[
            ("crates/a/Cargo.toml", &manifest),
            ("crates/a/src/lib.rs", root),
        ]);
        check_crate_roots(&repository, &packages(&repository).0).len()
    };
    assert_eq!(roots("cuzk-cpu", "//! Text.\n"), 1);
    assert_eq!(roots("cuzk-cpu", "//! Text.\n#![forbid(unsafe_code)]\n"), 0);
    assert_eq!(roots("cuzk-curve", "//! Text.\n"), 0);
}
