use super::*;

fn package(name: &str, dependencies: &[(&str, Kind)]) -> Package {
    let dependencies = dependencies
        .iter()
        .map(|(name, kind)| Dependency {
            name: name.to_string(),
            kind: *kind,
            line: 7,
        })
        .collect();
    Package {
        name: name.into(),
        directory: format!("crates/{name}"),
        dependencies,
    }
}

fn findings(name: &str, dependencies: &[(&str, Kind)]) -> Vec<String> {
    check(&[package(name, dependencies)])
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn an_edge_down_and_an_outside_crate_are_allowed() {
    let edges = [("cuzk-curve", Kind::Normal), ("rayon", Kind::Normal)];
    assert!(findings("cuzk-cpu", &edges).is_empty());
}

#[test]
fn an_edge_up_is_refused_with_its_line() {
    let found = findings("cuzk-curve", &[("cuzk-cpu", Kind::Normal)]);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("crates/cuzk-curve/Cargo.toml:7: layers: cuzk-curve"));
}

#[test]
fn an_edge_to_a_peer_is_refused_unless_a_test_makes_it() {
    assert_eq!(
        findings("cuzk-groth16", &[("cuzk-cpu", Kind::Build)]).len(),
        1
    );
    assert!(findings("cuzk-groth16", &[("cuzk-cpu", Kind::Dev)]).is_empty());
}

#[test]
fn only_tests_may_use_the_testkit() {
    assert!(findings("cuzk-cpu", &[("cuzk-testkit", Kind::Dev)]).is_empty());
    assert_eq!(
        findings("cuzk-cpu", &[("cuzk-testkit", Kind::Normal)]).len(),
        1
    );
}

#[test]
fn a_test_that_looks_up_is_refused() {
    assert_eq!(
        findings("cuzk-synth", &[("cuzk-groth16", Kind::Dev)]).len(),
        1
    );
}

#[test]
fn a_package_without_a_row_is_refused() {
    let found = findings("cuzk-mystery", &[]);
    assert!(found[0].contains("give cuzk-mystery a row"));
}

#[test]
fn a_directory_bears_the_name_of_its_crate() {
    let mut misplaced = package("cuzk-cpu", &[]);
    misplaced.directory = "crates/cpu".into();
    assert_eq!(check(&[misplaced]).len(), 1);
}
