use super::*;
use crate::tidy::source::sources;

fn findings(path: &str, text: &str) -> Vec<String> {
    let repository = Repository::of(&[(path, text)]);
    check(&repository, &sources(&repository).0)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_long_file_is_refused_and_a_rather_long_one_noted() {
    let refused = findings("a/src/x.rs", &"const A: u8 = 0;\n".repeat(501));
    let noted = findings("a/src/x.rs", &"const A: u8 = 0;\n".repeat(301));
    assert!(refused[0].starts_with("a/src/x.rs:501: sizes: 501 lines"));
    assert!(noted[0].starts_with("a/src/x.rs:301: sizes: note: 301 lines"));
    assert!(findings("a/src/x.rs", &"const A: u8 = 0;\n".repeat(300)).is_empty());
}

#[test]
fn lines_of_tests_do_not_count_for_the_file() {
    let tests = format!(
        "#[cfg(test)]\nmod tests {{\n{}}}\n",
        "const B: u8 = 0;\n".repeat(50)
    );
    let text = "const A: u8 = 0;\n".repeat(290) + &tests;
    assert!(findings("a/src/x.rs", &text).is_empty());
    assert!(findings("a/tests/x.rs", &"const A: u8 = 0;\n".repeat(900)).is_empty());
}

#[test]
fn a_long_function_is_refused_wherever_it_stands() {
    let body = "    let _ = 0;\n".repeat(79);
    let places = [
        format!("fn long() {{\n{body}}}\n"),
        format!("mod m {{ fn long() {{\n{body}}} }}\n"),
        format!("impl T {{ fn long() {{\n{body}}} }}\n"),
        format!("trait T {{ fn long() {{\n{body}}} }}\n"),
    ];
    for text in places {
        let found = findings("a/src/x.rs", &text);
        assert!(
            found[0].contains("long has 81 lines of at most 80"),
            "{found:?}"
        );
    }
}

#[test]
fn a_function_of_eighty_lines_and_a_long_test_are_allowed() {
    let fits = format!("fn long() {{\n{}}}\n", "    let _ = 0;\n".repeat(78));
    let test = format!(
        "#[test]\nfn long() {{\n{}}}\n",
        "    let _ = 0;\n".repeat(200)
    );
    assert!(findings("a/src/x.rs", &fits).is_empty());
    assert!(findings("a/src/x.rs", &test).is_empty());
}

#[test]
fn documentation_of_a_function_does_not_count() {
    let text = format!("{}fn short() {{}}\n", "/// Why.\n".repeat(100));
    assert!(findings("a/src/x.rs", &text).is_empty());
}

#[test]
fn a_long_crate_root_is_refused() {
    let found = findings("a/src/lib.rs", &"mod a;\n".repeat(81));
    assert!(found[0].contains("a crate root declares and exports"));
}

#[test]
fn a_long_readme_of_a_crate_is_refused() {
    assert_eq!(
        findings("crates/a/README.md", &"text\n".repeat(41)).len(),
        1
    );
    assert!(findings("README.md", &"text\n".repeat(300)).is_empty());
}
